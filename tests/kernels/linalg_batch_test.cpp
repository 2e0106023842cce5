// Batches of matrices, one by one against what single matrices must satisfy.
#include "tests/kernels/linalg_common.hpp"

namespace {

using namespace linalg_test;
namespace la = prism::linalg;

template <typename T>
struct linalg_batches : linalg_typed<T> {
  void SetUp() override {
    linalg_typed<T>::SetUp();
    if (!usm::is_there(this->queue)) GTEST_SKIP() << "the device has no USM";
  }
};
TYPED_TEST_SUITE(linalg_batches, all_types, type_names);

/// `count` matrices in one allocation, each with numbers of its own; rows or columns contiguous.
template <typename T>
struct batch {
  std::size_t count, rows, columns;
  bool by_rows;
  std::vector<T> values;
  batch(std::size_t matrices, std::size_t m, std::size_t n, bool rows_contiguous, unsigned seed)
      : count(matrices), rows(m), columns(n), by_rows(rows_contiguous) {
    const operand<T> numbers(matrices * m * n + 1, 1, seed);
    for (std::size_t i = 0; i < matrices * m * n; ++i) values.push_back(numbers.at(i));
    if (values.empty()) values.push_back(T(0));
  }
  std::size_t index(std::size_t b, std::size_t i, std::size_t j) const {
    return b * rows * columns + (by_rows ? i * columns + j : j * rows + i);
  }
  dense matrix(std::size_t b) const {
    dense out(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out(i, j) = exactly(values[index(b, i, j)]);
    return out;
  }
  void set(std::size_t b, const dense& from) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) values[index(b, i, j)] = rounded<T>(from(i, j));
  }
};

/// The batch in USM or in a buffer while it lives.
template <typename T>
struct batch_in_usm {
  sycl::queue& queue;
  batch<T>& of;
  T* data;
  batch_in_usm(sycl::queue& q, batch<T>& b)
      : queue(q), of(b), data(sycl::malloc_device<T>(b.values.size(), q)) {
    queue.copy(of.values.data(), data, of.values.size()).wait();
  }
  ~batch_in_usm() { sycl::free(data, queue); }
  batch_in_usm(const batch_in_usm&) = delete;
  prism::batch_view<T> view() const {
    const auto m = std::ptrdiff_t(of.rows), n = std::ptrdiff_t(of.columns);
    return {data, of.count, of.rows, of.columns, m * n, of.by_rows ? n : 1, of.by_rows ? 1 : m};
  }
  prism::matrix_view<T> lines() const {
    return {data, of.count, of.rows * of.columns, std::ptrdiff_t(of.rows * of.columns), 1};
  }
  prism::vector_view<T> numbers() const { return {data, of.count}; }
  batch<T>& fetch() {
    queue.copy(data, of.values.data(), of.values.size()).wait();
    return of;
  }
};

class linalg_batch_check {
public:
  explicit linalg_batch_check(sycl::queue& queue, std::size_t count) : m_info(queue, count), m_count(count) {}
  prism::vector_view<std::int64_t> info() const { return m_info.view(); }
  void expect_zero() const {
    for (const std::int64_t one : m_info.found()) ASSERT_EQ(one, 0);
  }
  std::vector<std::int64_t> found() const { return m_info.found(); }

private:
  indices_in_usm m_info;
  std::size_t m_count;
};

const std::vector<std::size_t> orders{1, 2, 3, 4, 7, 16, 32, 33};

TYPED_TEST(linalg_batches, solutions_inverses_and_determinants_are_those_of_each_matrix) {
  using T = TypeParam;
  for (const std::size_t n : orders)
    for (const bool by_rows : {true, false}) {
      const std::size_t count = n >= 32 ? 3 : 37;
      batch<T> a(count, n, n, by_rows, unsigned(n)), b(count, n, 2, !by_rows, 7),
          inverse(count, n, n, by_rows, 8), determinant(count, 1, 1, true, 9), factors = a;
      const batch<T> old = b;
      batch_in_usm<T> in(this->queue, a), x(this->queue, b), to(this->queue, inverse),
          one(this->queue, determinant), in_place(this->queue, factors);
      linalg_batch_check check(this->queue, count);
      const std::size_t pivot_count = count * n;
      indices_in_usm pivots(this->queue, pivot_count);
      const prism::matrix_view<std::int64_t> rows(pivots.view().data, count, n, std::ptrdiff_t(n), 1);
      la::solve(this->queue, in.view(), x.view(), check.info()).wait();
      check.expect_zero();
      la::inverse(this->queue, in.view(), to.view(), check.info()).wait();
      check.expect_zero();
      la::determinant(this->queue, in.view(), one.numbers()).wait();
      la::lu(this->queue, in_place.view(), rows, check.info()).wait();
      check.expect_zero();
      x.fetch(), to.fetch(), one.fetch(), in_place.fetch();
      const std::vector<std::int64_t> exchanged = pivots.found();
      for (std::size_t i = 0; i < count; ++i) {
        const dense whole = a.matrix(i), solution = b.matrix(i), inverted = inverse.matrix(i),
                    lu = factors.matrix(i);
        ASSERT_LE(ratio<T>(old.matrix(i) - whole * solution, norm1(whole) * norm1(solution), 1), of_systems)
            << n;
        ASSERT_LE(ratio<T>(whole * inverted - identity(n, n), norm1(whole) * norm1(inverted), n), of_systems)
            << n;
        dense l = identity(n, n), u(n, n);
        exact product = 1;
        for (std::size_t r = 0; r < n; ++r) {
          for (std::size_t c = 0; c < n; ++c) (r > c ? l(r, c) : u(r, c)) = lu(r, c);
          product *= lu(r, r) * (std::size_t(exchanged[i * n + r]) == r ? 1.0L : -1.0L);
        }
        dense again = l * u;
        for (std::size_t r = n; r-- > 0;)
          for (std::size_t c = 0; c < n; ++c)
            std::swap(again(r, c), again(std::size_t(exchanged[i * n + r]), c));
        ASSERT_LE(ratio<T>(again - whole, norm1(whole), n), of_systems) << n;
        ASSERT_LE(std::abs(determinant.matrix(i)(0, 0) - product), std::abs(product) * 1e4L * epsilon<T>())
            << n;
      }
    }
}

TYPED_TEST(linalg_batches, cholesky_and_qr_give_each_matrix) {
  using T = TypeParam;
  for (const std::size_t n : orders)
    for (const bool lower : {true, false}) {
      const std::size_t count = n >= 32 ? 3 : 21, m = n + 3;
      batch<T> a(count, n, n, lower, 3), tall(count, m, n, !lower, 5), taus(count, 1, n, true, 6);
      for (std::size_t i = 0; i < count; ++i) {
        dense square = a.matrix(i) * adjoint(a.matrix(i));
        for (std::size_t r = 0; r < n; ++r) square(r, r) = square(r, r).real() + 1;
        a.set(i, square);
      }
      const batch<T> before = a, old = tall;
      batch_in_usm<T> in(this->queue, a), of_qr(this->queue, tall), tau(this->queue, taus);
      linalg_batch_check check(this->queue, count);
      la::cholesky(this->queue, lower ? uplo::lower : uplo::upper, in.view(), check.info()).wait();
      check.expect_zero();
      la::qr(this->queue, of_qr.view(), tau.lines()).wait();
      in.fetch(), of_qr.fetch(), tau.fetch();
      for (std::size_t i = 0; i < count; ++i) {
        const dense found = a.matrix(i), whole = before.matrix(i);
        dense l(n, n);
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t c = 0; c < n; ++c) {
            if (lower ? r >= c : c >= r) l(r, c) = found(r, c);
            else ASSERT_EQ(found(r, c), whole(r, c)) << "the other triangle has changed";
          }
        if (!lower) l = adjoint(l);
        ASSERT_LE(ratio<T>(l * adjoint(l) - whole, norm1(whole), n), of_systems) << n;
        const dense reflectors = tall.matrix(i);
        dense q = identity(m, m), r(m, n);
        for (std::size_t k = n; k-- > 0;) { // Q = H_0 H_1 ...
          dense v(m, 1);
          v(k, 0) = 1;
          for (std::size_t c = k + 1; c < m; ++c) v(c, 0) = reflectors(c, k);
          dense product = v * (adjoint(v) * q);
          for (exact& value : product.values) value *= exactly(taus.values[i * n + k]);
          q = q - product;
        }
        for (std::size_t c = 0; c < n; ++c)
          for (std::size_t k = 0; k <= c; ++k) r(k, c) = reflectors(k, c);
        ASSERT_LE(ratio<T>(q * r - old.matrix(i), norm1(old.matrix(i)), m), of_systems) << n;
        ASSERT_LE(lost_orthogonality<T>(q), of_systems) << n;
      }
    }
}

TYPED_TEST(linalg_batches, eigenvectors_and_singular_vectors_are_those_of_each_matrix) {
  using T = TypeParam;
  using R = real<T>;
  for (const std::size_t n : orders)
    for (const bool lower : {true, false}) {
      const std::size_t count = n >= 32 ? 3 : 19,
                        m = lower   ? n + 2
                            : n > 2 ? n - 2
                                    : n,
                        least = std::min(m, n);
      batch<T> a(count, n, n, lower, 3), v(count, n, n, !lower, 4), any(count, m, n, lower, 5),
          u(count, m, least, lower, 6), w(count, least, n, !lower, 7);
      batch<R> values(count, 1, n, true, 8), singular(count, 1, least, true, 9);
      any.set(count - 1, dense(m, n)); // and one of zeros
      batch_in_usm<T> in(this->queue, a), vectors(this->queue, v), of_svd(this->queue, any),
          left(this->queue, u), right(this->queue, w);
      batch_in_usm<R> of_eigen(this->queue, values), of_singular(this->queue, singular);
      linalg_batch_check check(this->queue, count);
      la::eigh(this->queue, lower ? uplo::lower : uplo::upper, in.view(), of_eigen.lines(), vectors.view(),
               check.info())
          .wait();
      check.expect_zero();
      la::svd(this->queue, of_svd.view(), of_singular.lines(), left.view(), right.view(), check.info())
          .wait();
      check.expect_zero();
      vectors.fetch(), of_eigen.fetch(), of_singular.fetch(), left.fetch(), right.fetch();
      for (std::size_t i = 0; i < count; ++i) {
        dense whole = a.matrix(i), turned = v.matrix(i), d(n, n), s(least, least);
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t c = 0; c < n; ++c)
            if (lower ? c > r : r > c) whole(r, c) = std::conj(whole(c, r));
        for (std::size_t r = 0; r < n; ++r)
          whole(r, r) = whole(r, r).real(), d(r, r) = values.values[i * n + r];
        ASSERT_LE(ratio<T>(whole - turned * d * adjoint(turned), norm1(whole), n), of_symmetric) << n;
        ASSERT_LE(lost_orthogonality<T>(turned), of_symmetric) << n;
        for (std::size_t r = 0; r < least; ++r) s(r, r) = singular.values[i * least + r];
        const dense old = any.matrix(i);
        ASSERT_LE(ratio<T>(old - u.matrix(i) * s * w.matrix(i), std::max(norm1(old), 1e-30L), std::max(m, n)),
                  of_symmetric)
            << m << " x " << n;
        ASSERT_LE(lost_orthogonality<T>(u.matrix(i)), of_symmetric) << m << " x " << n;
        ASSERT_LE(lost_orthogonality<T>(adjoint(w.matrix(i))), of_symmetric) << m << " x " << n;
        for (std::size_t r = 1; r < n; ++r) ASSERT_LE(values.values[i * n + r - 1], values.values[i * n + r]);
        for (std::size_t r = 1; r < least; ++r)
          ASSERT_GE(singular.values[i * least + r - 1], singular.values[i * least + r]);
      }
    }
}

TYPED_TEST(linalg_batches, info_is_that_of_each_matrix) {
  using T = TypeParam;
  const std::size_t n = 4, count = 9;
  batch<T> a(count, n, n, true, 1), b(count, n, 1, true, 2), v(count, n, n, true, 3);
  batch<real<T>> w(count, 1, n, true, 4);
  for (std::size_t i = 0; i < count; ++i) a.set(i, identity(n, n));
  dense wrong = identity(n, n);
  wrong(2, 2) = 0;
  a.set(4, wrong);
  wrong(2, 2) = std::numeric_limits<long double>::quiet_NaN();
  a.set(5, wrong);
  batch_in_usm<T> in(this->queue, a), x(this->queue, b), vectors(this->queue, v);
  batch_in_usm<real<T>> values(this->queue, w);
  linalg_batch_check check(this->queue, count);
  la::solve(this->queue, in.view(), x.view(), check.info()).wait();
  EXPECT_EQ(check.found(), (std::vector<std::int64_t>{0, 0, 0, 0, 3, 0, 0, 0, 0}));
  la::eigh(this->queue, uplo::lower, in.view(), values.lines(), vectors.view(), check.info()).wait();
  EXPECT_EQ(check.found(), (std::vector<std::int64_t>{0, 0, 0, 0, 0, -1, 0, 0, 0}));
  la::cholesky(this->queue, uplo::lower, in.view(), check.info()).wait();
  EXPECT_EQ(check.found(), (std::vector<std::int64_t>{0, 0, 0, 0, 3, 3, 0, 0, 0}));
}

TEST(linalg_batch_rules, buffers_a_shared_matrix_and_counts_that_disagree) {
  sycl::queue queue;
  sycl::buffer<float> a(sycl::range<1>(4)), b(sycl::range<1>(6));
  sycl::buffer<std::int64_t> info(sycl::range<1>(3));
  {
    const sycl::host_accessor of_a(a, sycl::write_only), of_b(b, sycl::write_only);
    for (int i = 0; i < 4; ++i) of_a[i] = i % 3 == 0 ? 2.0f : 0.0f;
    for (int i = 0; i < 6; ++i) of_b[i] = float(i);
  }
  const prism::buffer_batch_view<float> shared(prism::row_major(a, 2, 2), 3, 0),
      right(prism::row_major(b, 2, 1), 3, 2);
  la::solve(queue, shared, right, prism::view_of(info));
  const sycl::host_accessor found(b, sycl::read_only);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(found[i], float(i) / 2);
  const prism::buffer_vector_view<std::int64_t> two({info}, 2);
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { la::solve(queue, shared, right, two); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("has a batch of 2 instead of 3"), std::string::npos) << text;
}

} // namespace
