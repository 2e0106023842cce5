// Programs written for oneMath's LAPACK: its arguments, pivots from 1, jobs, batches and exceptions.
#include "tests/onemath/shared_memory.hpp"

#include <oneapi/math.hpp>

#include <cmath>
#include <complex>

namespace {

namespace math = oneapi::math;
namespace lapack = oneapi::math::lapack;
using math::transpose;
using math::uplo;
template <typename T>
using values = std::vector<T>;
using complex = std::complex<float>;
using indices = std::vector<std::int64_t>;

template <typename T>
struct shared {
  sycl::queue queue;
  T* data;
  std::size_t size;
  shared(sycl::queue& q, const std::vector<T>& from)
      : queue(q), data(sycl::malloc_shared<T>(from.size() + 1, q)), size(from.size()) {
    std::copy(from.begin(), from.end(), data);
  }
  shared(const shared&) = delete;
  ~shared() { sycl::free(data, queue); }
  values<T> all() const { return values<T>(data, data + size); }
};

template <typename T>
T conjugate(T x) {
  if constexpr (std::is_same_v<T, complex>) return std::conj(x);
  else return x;
}
/// m x n by columns; no two rows or columns are alike, and the leading blocks are regular.
template <typename T>
values<T> matrix(std::int64_t m, std::int64_t n) {
  values<T> out;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < m; ++i) {
      const float re = float((i * 7 + j * 11 + i * j * 3) % 13) - 6 + (i == j ? 9.0f : 0.0f);
      if constexpr (std::is_same_v<T, complex>) out.push_back({re, float((i * 5 + j * 3) % 7) - 3});
      else out.push_back(re);
    }
  return out;
}
template <typename T>
values<T> adjoint(const values<T>& a, std::int64_t m, std::int64_t n) {
  values<T> out(a.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) out[std::size_t(j + i * n)] = conjugate(a[std::size_t(i + j * m)]);
  return out;
}
/// A B with A of m x k, B of k x n.
template <typename T>
values<T> product(const values<T>& a, const values<T>& b, std::int64_t m, std::int64_t k, std::int64_t n) {
  values<T> out(std::size_t(m * n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t i = 0; i < m; ++i)
        out[std::size_t(i + j * m)] += a[std::size_t(i + p * m)] * b[std::size_t(p + j * k)];
  return out;
}
template <typename T>
values<T> positive(std::int64_t n) {
  const values<T> a = matrix<T>(n, n);
  return product(a, adjoint(a, n, n), n, n, n);
}
template <typename T>
values<T> identity(std::int64_t n) {
  values<T> out(std::size_t(n * n));
  for (std::int64_t i = 0; i < n; ++i) out[std::size_t(i * (n + 1))] = 1;
  return out;
}
template <typename T>
void expect_near(const values<T>& found, const values<T>& expected, float bound = 2e-4f) {
  ASSERT_EQ(found.size(), expected.size());
  float largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, float(std::abs(expected[i])));
    const float here = float(std::abs(found[i] - expected[i]));
    if (!(here <= difference)) difference = here; // a NaN stays
  }
  EXPECT_LE(difference, bound * largest);
}

template <typename T>
struct onemath_lapack : testing::Test {
  sycl::queue queue;
  std::int64_t n = 6;
};
using types = testing::Types<float, complex>;
TYPED_TEST_SUITE(onemath_lapack, types);

TYPED_TEST(onemath_lapack, systems_by_lu_over_usm_and_its_inverse) {
  using T = TypeParam;
  REQUIRE_SHARED_MEMORY(this->queue);
  auto& q = this->queue;
  const std::int64_t n = this->n;
  const values<T> given = matrix<T>(n, n), x = matrix<T>(n, 2);
  shared<T> a(q, given), b(q, product(given, x, n, n, 2)), c(q, product(adjoint(given, n, n), x, n, n, 2));
  shared<std::int64_t> pivots(q, indices(std::size_t(n), -5));
  const std::int64_t size = lapack::getrf_scratchpad_size<T>(q, n, n, n);
  shared<T> pad(q, values<T>(std::size_t(size)));
  const sycl::event factored = lapack::getrf(q, n, n, a.data, n, pivots.data, pad.data, size);
  lapack::getrs(q, transpose::nontrans, n, 2, a.data, n, pivots.data, b.data, n, pad.data, size, {factored})
      .wait();
  lapack::getrs(q, transpose::conjtrans, n, 2, a.data, n, pivots.data, c.data, n, pad.data, size).wait();
  expect_near(b.all(), x);
  expect_near(c.all(), x);
  for (std::int64_t i = 0; i < n; ++i) {
    EXPECT_GT(pivots.data[i], i) << "pivots count from 1";
    EXPECT_LE(pivots.data[i], n);
  }
  lapack::getri(q, n, a.data, n, pivots.data, pad.data, size).wait();
  expect_near(product(a.all(), given, n, n, n), identity<T>(n));
}

TYPED_TEST(onemath_lapack, systems_by_lu_over_buffers) {
  using T = TypeParam;
  const std::int64_t n = this->n;
  const values<T> given = matrix<T>(n, n), x = matrix<T>(n, 2);
  values<T> factors = given, right = product(given, x, n, n, 2);
  {
    sycl::buffer<T, 1> a(factors.data(), factors.size()), b(right.data(), right.size()),
        pad(sycl::range<1>(1));
    sycl::buffer<std::int64_t, 1> pivots{sycl::range<1>(std::size_t(n))};
    lapack::getrf(this->queue, n, n, a, n, pivots, pad, 1);
    lapack::getrs(this->queue, transpose::nontrans, n, 2, a, n, pivots, b, n, pad, 1);
    lapack::getri(this->queue, n, a, n, pivots, pad, 1);
  }
  expect_near(right, x);
  expect_near(product(factors, given, n, n, n), identity<T>(n));
}

TYPED_TEST(onemath_lapack, cholesky_writes_one_triangle_and_so_does_its_inverse) {
  using T = TypeParam;
  const std::int64_t n = this->n;
  const values<T> given = positive<T>(n), x = matrix<T>(n, 3);
  for (const uplo which : {uplo::lower, uplo::upper}) {
    const auto is_stored = [&](std::int64_t i, std::int64_t j) {
      return which == uplo::lower ? i >= j : i <= j;
    };
    values<T> a = given, right = product(given, x, n, n, 3);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        if (!is_stored(i, j)) a[std::size_t(i + j * n)] = T(77);
    {
      sycl::buffer<T, 1> of_a(a.data(), a.size()), b(right.data(), right.size()), pad(sycl::range<1>(1));
      lapack::potrf(this->queue, which, n, of_a, n, pad, 1);
      lapack::potrs(this->queue, which, n, 3, of_a, n, b, n, pad, 1);
      lapack::potri(this->queue, which, n, of_a, n, pad, 1);
    }
    expect_near(right, x, 3e-3f);
    values<T> inverse = a;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) {
        if (is_stored(i, j)) continue;
        EXPECT_EQ(a[std::size_t(i + j * n)], T(77)) << "the other triangle";
        inverse[std::size_t(i + j * n)] = conjugate(a[std::size_t(j + i * n)]);
      }
    expect_near(product(inverse, given, n, n, n), identity<T>(n), 3e-3f);
  }
}

TYPED_TEST(onemath_lapack, triangles_are_solved_in_each_form) {
  using T = TypeParam;
  const std::int64_t n = this->n;
  values<T> upper = matrix<T>(n, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = j + 1; i < n; ++i) upper[std::size_t(i + j * n)] = 0;
  const values<T> x = matrix<T>(n, 2);
  for (const transpose op : {transpose::nontrans, transpose::conjtrans}) {
    values<T> right = product(op == transpose::nontrans ? upper : adjoint(upper, n, n), x, n, n, 2);
    {
      sycl::buffer<T, 1> a(upper.data(), upper.size()), b(right.data(), right.size()), pad(sycl::range<1>(1));
      lapack::trtrs(this->queue, uplo::upper, op, math::diag::nonunit, n, 2, a, n, b, n, pad, 1);
    }
    expect_near(right, x);
  }
}

template <typename T, typename... Arguments>
void form_q(sycl::queue& queue, Arguments&&... arguments) {
  if constexpr (std::is_same_v<T, complex>) lapack::ungqr(queue, arguments...);
  else lapack::orgqr(queue, arguments...);
}
template <typename T, typename... Arguments>
void multiply_q(sycl::queue& queue, Arguments&&... arguments) {
  if constexpr (std::is_same_v<T, complex>) lapack::unmqr(queue, arguments...);
  else lapack::ormqr(queue, arguments...);
}
template <typename T, typename... Arguments>
void multiply_rq(sycl::queue& queue, Arguments&&... arguments) {
  if constexpr (std::is_same_v<T, complex>) lapack::unmrq(queue, arguments...);
  else lapack::ormrq(queue, arguments...);
}

TYPED_TEST(onemath_lapack, qr_gives_the_matrix_back) {
  using T = TypeParam;
  const std::int64_t m = 7, n = 4;
  const values<T> given = matrix<T>(m, n);
  values<T> factors = given, q, r(std::size_t(m * n)), turned = given;
  {
    sycl::buffer<T, 1> a(factors.data(), factors.size()), tau(sycl::range<1>(4)), pad(sycl::range<1>(1));
    sycl::buffer<T, 1> c(turned.data(), turned.size());
    lapack::geqrf(this->queue, m, n, a, m, tau, pad, 1);
    multiply_q<T>(this->queue, math::side::left, transpose::conjtrans, m, n, n, a, m, tau, c, m, pad, 1);
    {
      const sycl::host_accessor found(a);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i <= j; ++i) r[std::size_t(i + j * m)] = found[std::size_t(i + j * m)];
    }
    form_q<T>(this->queue, m, n, n, a, m, tau, pad, 1);
  }
  values<T> square;
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) square.push_back(r[std::size_t(i + j * m)]);
  expect_near(product(factors, square, m, n, n), given);
  expect_near(product(adjoint(factors, m, n), factors, n, m, n), identity<T>(n));
  expect_near(turned, r);
}

TYPED_TEST(onemath_lapack, rq_gives_the_matrix_back_from_both_sides) {
  using T = TypeParam;
  const std::int64_t m = 4, n = 7;
  const values<T> given = matrix<T>(m, n);
  values<T> factors = given, c(std::size_t(m * n)), d;
  {
    sycl::buffer<T, 1> a(factors.data(), factors.size()), tau(sycl::range<1>(4)), pad(sycl::range<1>(1));
    lapack::gerqf(this->queue, m, n, a, m, tau, pad, 1);
    const sycl::host_accessor found(a);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = n - m + i; j < n; ++j) c[std::size_t(i + j * m)] = found[std::size_t(i + j * m)];
    d = adjoint(c, m, n);
  }
  {
    sycl::buffer<T, 1> a(sycl::range<1>(28)), tau(sycl::range<1>(4)), pad(sycl::range<1>(1)),
        right(c.data(), c.size()), left(d.data(), d.size());
    { // the factors again, from the last rows of A
      const sycl::host_accessor to(a, sycl::write_only);
      std::copy(given.begin(), given.end(), to.begin());
    }
    lapack::gerqf(this->queue, m, n, a, m, tau, pad, 1);
    multiply_rq<T>(this->queue, math::side::right, transpose::nontrans, m, n, m, a, m, tau, right, m, pad, 1);
    multiply_rq<T>(this->queue, math::side::left, transpose::conjtrans, n, m, m, a, m, tau, left, n, pad, 1);
  }
  expect_near(c, given);                // R Q
  expect_near(d, adjoint(given, m, n)); // Q^H R^H
}

TYPED_TEST(onemath_lapack, hermitian_eigenvalues_ascend_and_vectors_replace_the_matrix) {
  using T = TypeParam;
  const std::int64_t n = this->n;
  const values<T> given = positive<T>(n), second = [&] {
    values<T> out = positive<T>(n);
    for (std::int64_t i = 0; i < n; ++i) out[std::size_t(i * (n + 1))] += T(100);
    return out;
  }();
  for (const bool is_generalised : {false, true}) {
    values<T> v = given, b = second;
    values<float> w(std::size_t(n), -1), alone(w);
    {
      sycl::buffer<T, 1> a(v.data(), v.size()), of_b(b.data(), b.size()), again(given),
          pad(sycl::range<1>(1));
      sycl::buffer<float, 1> of_w(w.data(), w.size()), of_alone(alone.data(), alone.size());
      if constexpr (std::is_same_v<T, complex>) {
        if (is_generalised)
          lapack::hegvd(this->queue, 1, math::job::vec, uplo::lower, n, a, n, of_b, n, of_w, pad, 1);
        else lapack::heevd(this->queue, math::job::vec, uplo::lower, n, a, n, of_w, pad, 1);
        lapack::heevd(this->queue, math::job::novec, uplo::upper, n, again, n, of_alone, pad, 1);
      } else {
        if (is_generalised)
          lapack::sygvd(this->queue, 1, math::job::vec, uplo::lower, n, a, n, of_b, n, of_w, pad, 1);
        else lapack::syevd(this->queue, math::job::vec, uplo::lower, n, a, n, of_w, pad, 1);
        lapack::syevd(this->queue, math::job::novec, uplo::upper, n, again, n, of_alone, pad, 1);
      }
    }
    for (std::int64_t i = 1; i < n; ++i) EXPECT_LE(w[std::size_t(i - 1)], w[std::size_t(i)]);
    if (!is_generalised) expect_near(w, alone);
    values<T> right = is_generalised ? product(second, v, n, n, n) : v;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i) right[std::size_t(i + j * n)] *= w[std::size_t(j)];
    expect_near(product(given, v, n, n, n), right, 2e-3f);
  }
}

TYPED_TEST(onemath_lapack, singular_vectors_as_each_pair_of_jobs_asks) {
  using T = TypeParam;
  using math::jobsvd;
  const std::int64_t m = 5, n = 3;
  const values<T> given = matrix<T>(m, n);
  for (const jobsvd of_u : {jobsvd::novec, jobsvd::vectors, jobsvd::somevec, jobsvd::vectorsina})
    for (const jobsvd of_vt : {jobsvd::novec, jobsvd::vectors, jobsvd::somevec, jobsvd::vectorsina}) {
      if (of_u == jobsvd::vectorsina && of_vt == jobsvd::vectorsina) continue;
      values<T> a = given, u(25, T(55)), vt(9, T(55));
      values<float> s(3);
      {
        sycl::buffer<T, 1> of_a(a.data(), a.size()), left(u.data(), u.size()), right(vt.data(), vt.size()),
            pad(sycl::range<1>(1));
        sycl::buffer<float, 1> of_s(s.data(), s.size());
        lapack::gesvd(this->queue, of_u, of_vt, m, n, of_a, m, of_s, left, m, right, n, pad, 1);
      }
      EXPECT_GE(s[0], s[1]);
      EXPECT_GE(s[1], s[2]);
      values<T> columns(a.begin(), a.end());
      if (of_u != jobsvd::vectorsina) columns.assign(u.begin(), u.begin() + m * n);
      values<T> rows = vt;
      if (of_vt == jobsvd::vectorsina)
        for (std::int64_t j = 0; j < n; ++j)
          for (std::int64_t i = 0; i < n; ++i) rows[std::size_t(i + j * n)] = a[std::size_t(i + j * m)];
      if (of_u == jobsvd::novec) {
        EXPECT_EQ(u, values<T>(25, T(55)));
      } else {
        expect_near(product(adjoint(columns, m, n), columns, n, m, n), identity<T>(n));
      }
      if (of_u == jobsvd::somevec) {
        EXPECT_EQ(u[15], T(55)) << "only three columns";
      }
      if (of_vt == jobsvd::novec) {
        EXPECT_EQ(vt, values<T>(9, T(55)));
      } else {
        expect_near(product(rows, adjoint(rows, n, n), n, n, n), identity<T>(n));
      }
      if (of_u == jobsvd::novec || of_vt == jobsvd::novec) continue;
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < m; ++i) columns[std::size_t(i + j * m)] *= s[std::size_t(j)];
      expect_near(product(columns, rows, m, n, n), given);
    }
}

TYPED_TEST(onemath_lapack, batches_with_strides_and_in_groups) {
  using T = TypeParam;
  REQUIRE_SHARED_MEMORY(this->queue);
  auto& q = this->queue;
  const std::int64_t n = 3, count = 2, stride = 10;
  const values<T> first = matrix<T>(n, n), second = positive<T>(n), x = matrix<T>(n, 1);
  values<T> both(std::size_t(stride * count), T(9)), right;
  std::copy(first.begin(), first.end(), both.begin());
  std::copy(second.begin(), second.end(), both.begin() + stride);
  for (const values<T>& each : {first, second})
    for (const T& value : product(each, x, n, n, 1)) right.push_back(value);
  shared<T> a(q, both), b(q, right), pad(q, {T()});
  shared<std::int64_t> pivots(q, indices(8, -1));
  lapack::getrf_batch(q, n, n, a.data, n, stride, pivots.data, 4, count, pad.data, 1).wait();
  lapack::getrs_batch(q, transpose::nontrans, n, 1, a.data, n, stride, pivots.data, 4, b.data, n, 3, count,
                      pad.data, 1)
      .wait();
  values<T> twice = x;
  twice.insert(twice.end(), x.begin(), x.end());
  expect_near(b.all(), twice, 2e-3f);
  EXPECT_EQ(a.data[9], T(9)) << "between members nothing is written";
  EXPECT_EQ(pivots.data[3], -1);
  lapack::getri_batch(q, n, a.data, n, stride, pivots.data, 4, count, pad.data, 1).wait();
  expect_near(product(values<T>(a.data + stride, a.data + stride + 9), second, n, n, n), identity<T>(n),
              3e-3f);

  shared<T> c(q, second), d(q, positive<T>(2)), e(q, product(second, x, n, n, 1));
  shared<T*> all(q, {c.data, d.data}), rights(q, {e.data});
  shared<uplo> triangles(q, {uplo::lower, uplo::upper});
  shared<std::int64_t> sizes(q, {3, 2}), members(q, {1, 1}), one(q, {1});
  const std::int64_t size =
      lapack::potrf_batch_scratchpad_size<T>(q, triangles.data, sizes.data, sizes.data, 2, members.data);
  lapack::potrf_batch(q, triangles.data, sizes.data, all.data, sizes.data, 2, members.data, pad.data, size)
      .wait();
  lapack::potrs_batch(q, triangles.data, sizes.data, one.data, all.data, sizes.data, rights.data, sizes.data,
                      1, members.data, pad.data, size)
      .wait();
  expect_near(e.all(), x, 3e-3f);
}

/// The exceptions that a queue reports.
struct reports {
  std::vector<std::exception_ptr> all;
  sycl::queue queue{[this](const sycl::exception_list& given) {
    for (const std::exception_ptr& each : given) all.push_back(each);
  }};
};

TEST(onemath_lapack_errors, singular_matrices_are_asynchronous_errors_with_their_info) {
  reports found;
  const values<float> of_rank_1{1, 2, 2, 4}, three_of_2{4, 0, 0, 4, 1, 2, 2, 1, 0, 0, 0, 0};
  sycl::buffer<float, 1> a(of_rank_1), three(three_of_2), pad(sycl::range<1>(1));
  sycl::buffer<std::int64_t, 1> pivots(sycl::range<1>(2));
  lapack::getrf(found.queue, 2, 2, a, 2, pivots, pad, 1);
  found.queue.wait_and_throw();
  ASSERT_EQ(found.all.size(), 1u);
  try {
    std::rethrow_exception(found.all[0]);
  } catch (const lapack::computation_error& error) {
    EXPECT_EQ(error.info(), 2);
    EXPECT_NE(std::string(error.what()).find("getrf"), std::string::npos) << error.what();
  }
  lapack::getri(found.queue, 2, a, 2, pivots, pad, 1);
  found.queue.wait_and_throw();
  ASSERT_EQ(found.all.size(), 2u);
  EXPECT_THROW(std::rethrow_exception(found.all[1]), math::computation_error);

  lapack::potrf_batch(found.queue, uplo::lower, 2, three, 2, 4, 3, pad, 1);
  found.queue.wait_and_throw();
  ASSERT_EQ(found.all.size(), 3u);
  try {
    std::rethrow_exception(found.all[2]);
  } catch (const lapack::batch_error& error) {
    EXPECT_EQ(error.ids(), (indices{1, 2}));
    EXPECT_EQ(error.exceptions().size(), 2u);
    EXPECT_EQ(error.info(), 2);
  }
}

TEST(onemath_lapack_errors, arguments_that_cannot_be_and_routines_that_there_are_not) {
  sycl::queue queue;
  sycl::buffer<float, 1> a(sycl::range<1>(16)), pad(sycl::range<1>(1)), tau(sycl::range<1>(4));
  sycl::buffer<std::int64_t, 1> pivots(sycl::range<1>(4));
  EXPECT_THROW(lapack::getrf(queue, 4, 4, a, 3, pivots, pad, 1), lapack::invalid_argument);
  EXPECT_THROW(lapack::getrf(queue, -1, 4, a, 4, pivots, pad, 1), math::invalid_argument);
  try {
    lapack::geqrf(queue, 4, 4, a, 4, tau, pad, 0);
    FAIL() << "a scratchpad of 0 elements";
  } catch (const lapack::invalid_argument& error) {
    EXPECT_EQ(error.detail(), 1);
  }
  try {
    lapack::sytrd(queue, uplo::lower, 4, a, 4, tau, tau, tau, pad, 1);
    FAIL() << "sytrd";
  } catch (const math::unimplemented& error) {
    EXPECT_NE(std::string(error.what()).find("sytrd"), std::string::npos) << error.what();
  }
  EXPECT_THROW(lapack::sytrf_scratchpad_size<float>(queue, uplo::lower, 4, 4), math::unimplemented);
  EXPECT_THROW(lapack::sygvd(queue, 2, math::job::vec, uplo::lower, 2, a, 2, a, 2, tau, pad, 1),
               math::unimplemented);
  lapack::getrf(queue, 0, 0, a, 1, pivots, pad, 1); // nothing to do
  queue.wait_and_throw();
}

} // namespace
