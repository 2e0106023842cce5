// <prism/sparse.hpp> on one device against dense matrices in long double.
#include "tests/kernels/blas_operands.hpp"

#include <prism/sparse.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <thread>

namespace {

using namespace blas_test;
namespace sp = prism::sparse;
using integers = std::vector<std::int32_t>;

/// A dense matrix with zeros, and as elements of a sparse one.
template <typename T>
struct dense {
  std::size_t rows, columns;
  std::vector<T> data;

  dense(std::size_t m, std::size_t n, unsigned seed, double filled = 0.2) : rows(m), columns(n), data(m * n) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> any(-1, 1), part(0, 1);
    if (filled == 0) return;
    for (T& value : data) {
      const double re = any(random), im = any(random);
      if (part(random) < filled) value = rounded<T>({re, is_complex<T> ? im : 0});
    }
  }
  T& at(std::size_t i, std::size_t j) { return data[i * columns + j]; }
  const T& at(std::size_t i, std::size_t j) const { return data[i * columns + j]; }
  dense changed(sp::op how) const {
    if (how == sp::op::none) return *this;
    dense out(columns, rows, 0, 0);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        out.at(j, i) = at(i, j);
        if constexpr (is_complex<T>)
          if (how == sp::op::adjoint) out.at(j, i) = std::conj(at(i, j));
      }
    return out;
  }
};

/// A sparse matrix in memory of the host.
template <typename T>
struct stored {
  sp::format layout;
  std::size_t rows, columns, block = 1;
  integers offsets, indices;
  std::vector<T> values;
};

/// Elements in the opposite order of their columns, and the first one of each row in two parts.
template <typename T>
stored<T> stored_as(sp::format layout, const dense<T>& a, std::size_t block = 1) {
  stored<T> out{layout, a.rows, a.columns, block, {}, {}, {}};
  const bool by_columns = layout == sp::format::csc;
  if (layout == sp::format::bsr) {
    out.offsets.push_back(0);
    for (std::size_t i = 0; i < a.rows; i += block) {
      for (std::size_t j = a.columns; j != 0; j -= block) {
        std::vector<T> part;
        for (std::size_t k = 0; k < block * block; ++k)
          part.push_back(a.at(i + k / block, j - block + k % block));
        if (std::all_of(part.begin(), part.end(), [](T x) { return x == T(0); })) continue;
        out.indices.push_back(std::int32_t(j / block - 1));
        out.values.insert(out.values.end(), part.begin(), part.end());
      }
      out.offsets.push_back(std::int32_t(out.indices.size()));
    }
    return out;
  }
  const std::size_t lines = by_columns ? a.columns : a.rows, length = by_columns ? a.rows : a.columns;
  if (layout != sp::format::coo) out.offsets.push_back(0);
  for (std::size_t i = 0; i < lines; ++i) {
    bool first = true;
    for (std::size_t j = length; j-- > 0;) {
      const T value = by_columns ? a.at(j, i) : a.at(i, j);
      if (value == T(0)) continue;
      for (int part = 0; part < (first ? 2 : 1); ++part) {
        out.indices.push_back(std::int32_t(j));
        out.values.push_back(first ? value * T(real<T>(0.5)) : value);
        if (layout == sp::format::coo) out.offsets.push_back(std::int32_t(i));
      }
      first = false;
    }
    if (layout != sp::format::coo) out.offsets.push_back(std::int32_t(out.indices.size()));
  }
  return out;
}

/// Memory of either kind, with one element more, which must not change.
template <typename U>
class usm {
public:
  using view = prism::vector_view<U>;
  usm(sycl::queue& queue, const std::vector<U>& from)
      : m_queue(queue), m_size(from.size()), m_data(sycl::malloc_device<U>(from.size() + 1, queue)) {
    queue.copy(from.data(), m_data, m_size).wait();
  }
  ~usm() { sycl::free(m_data, m_queue); }
  usm(const usm&) = delete;
  view all() const { return {m_data, m_size}; }
  prism::matrix_view<U> matrix(std::size_t columns) const {
    return prism::row_major(m_data, m_size / columns, columns);
  }
  std::vector<U> found() const {
    std::vector<U> out(m_size);
    m_queue.wait();
    m_queue.copy(m_data, out.data(), m_size).wait();
    return out;
  }

private:
  sycl::queue& m_queue;
  std::size_t m_size;
  U* m_data;
};
template <typename U>
class buffer {
public:
  using view = prism::buffer_vector_view<U>;
  buffer(sycl::queue&, const std::vector<U>& from) : m_size(from.size()), m_data(sycl::range<1>(m_size + 1)) {
    const sycl::host_accessor to(m_data, sycl::write_only);
    std::copy(from.begin(), from.end(), to.begin());
  }
  view all() const { return {{m_data}, m_size}; }
  prism::buffer_matrix_view<U> matrix(std::size_t columns) const {
    return prism::row_major(m_data, m_size / columns, columns);
  }
  std::vector<U> found() const {
    const sycl::host_accessor all(m_data, sycl::read_only);
    return {all.begin(), all.begin() + std::ptrdiff_t(m_size)};
  }

private:
  std::size_t m_size;
  mutable sycl::buffer<U, 1> m_data;
};

/// A sparse matrix on the device.
template <typename T, template <typename> class Memory>
struct on_device {
  const stored<T>& from;
  Memory<std::int32_t> offsets, indices;
  Memory<T> values;
  on_device(sycl::queue& queue, const stored<T>& of)
      : from(of), offsets(queue, of.offsets), indices(queue, of.indices), values(queue, of.values) {}
  auto view() const {
    return sp::view({from.layout, from.rows, from.columns, from.block}, offsets.all(), indices.all(),
                    values.all());
  }
};

template <typename T>
std::vector<T> values(std::size_t count, unsigned seed) {
  return dense<T>(count, 1, seed, 1).data;
}

template <typename T>
void expect_close(const std::vector<T>& found, const std::vector<exact>& expected,
                  const std::vector<long double>& size, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(exactly(found[i]) - expected[i]), 40 * unit<T>() * size[i]) << what << ", " << i;
}

/// alpha A X + beta Y.
template <typename T>
void expect_product(const std::vector<T>& found, T alpha, const dense<T>& a, const std::vector<T>& x, T beta,
                    const std::vector<T>& y, std::size_t columns, const std::string& what) {
  std::vector<exact> expected(y.size());
  std::vector<long double> size(y.size());
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      exact sum = 0;
      long double of = 0;
      for (std::size_t k = 0; k < a.columns; ++k) {
        const exact product = exactly(a.at(i, k)) * exactly(x[k * columns + j]);
        sum += product, of += std::abs(product);
      }
      const exact old = exactly(beta) * (beta == T(0) ? exact(0) : exactly(y[i * columns + j]));
      expected[i * columns + j] = exactly(alpha) * sum + old;
      size[i * columns + j] = std::abs(exactly(alpha)) * of + std::abs(old);
    }
  expect_close(found, expected, size, what);
}

template <typename T>
class sparse : public testing::Test {
protected:
  void SetUp() override {
    if (!has_type<T>(sycl::queue())) GTEST_SKIP() << "the device has no such numbers";
  }
};
using sparse_types = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(sparse, sparse_types);

const std::pair<sp::format, std::size_t> formats[] = {{sp::format::csr, 1},
                                                      {sp::format::csc, 1},
                                                      {sp::format::coo, 1},
                                                      {sp::format::bsr, 3},
                                                      {sp::format::bsr, 1}};

template <typename T, template <typename> class Memory>
void check_products(std::size_t m, std::size_t n, std::size_t columns) {
  sycl::queue queue;
  const dense<T> a(m, n, 1);
  const T alpha = rounded<T>({2, is_complex<T> ? 1 : 0}), beta = rounded<T>({-0.5, is_complex<T> ? 2 : 0});
  for (const auto& [layout, block] : formats) {
    const stored<T> host = stored_as(layout, a, block);
    const on_device<T, Memory> device(queue, host);
    for (const sp::op how : {sp::op::none, sp::op::transposed, sp::op::adjoint}) {
      const dense<T> of = a.changed(how);
      const sp::prepared plan(queue, device.view(), how);
      const std::vector<T> x = values<T>(of.columns * columns, 2), y = values<T>(of.rows * columns, 3);
      const std::string what = "format " + std::to_string(int(layout)) + ", op " + std::to_string(int(how));
      const Memory<T> in(queue, x), out(queue, y), direct(queue, y);
      const bool has_direct = how == sp::op::none && (layout == sp::format::csr || layout == sp::format::bsr);
      if (columns == 1) {
        plan.multiply(queue, alpha, device.values.all(), in.all(), beta, out.all());
        if (has_direct) sp::multiply(queue, alpha, device.view(), in.all(), beta, direct.all());
      } else {
        plan.multiply(queue, alpha, device.values.all(), in.matrix(columns), beta, out.matrix(columns));
        if (has_direct)
          sp::multiply(queue, alpha, device.view(), in.matrix(columns), beta, direct.matrix(columns));
      }
      expect_product(out.found(), alpha, of, x, beta, y, columns, what);
      if (has_direct) expect_product(direct.found(), alpha, of, x, beta, y, columns, what + ", direct");
    }
  }
}
TYPED_TEST(sparse, products_with_vectors_and_matrices_in_every_format) {
  check_products<TypeParam, buffer>(30, 45, 1);
  check_products<TypeParam, buffer>(30, 45, 11);
  if (sycl::queue().get_device().has(sycl::aspect::usm_device_allocations)) {
    check_products<TypeParam, usm>(45, 30, 1);
    check_products<TypeParam, usm>(45, 30, 8);
  }
}

TYPED_TEST(sparse, matrices_of_which_one_triangle_is_stored) {
  using T = TypeParam;
  sycl::queue queue;
  const std::size_t n = 24;
  const dense<T> a(n, n, 1, 0.3);
  const stored<T> host = stored_as(sp::format::csr, a);
  const on_device<T, buffer> device(queue, host);
  for (const sp::symmetry stored : {sp::symmetry::symmetric_lower, sp::symmetry::symmetric_upper,
                                    sp::symmetry::hermitian_lower, sp::symmetry::hermitian_upper}) {
    dense<T> whole = a;
    const bool lower = stored == sp::symmetry::symmetric_lower || stored == sp::symmetry::hermitian_lower,
               hermitian = int(stored) >= int(sp::symmetry::hermitian_lower);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        T value = lower ? a.at(i, j) : a.at(j, i);
        (lower ? whole.at(i, j) : whole.at(j, i)) = value;
        if constexpr (is_complex<T>)
          if (hermitian) value = std::conj(value);
        (lower ? whole.at(j, i) : whole.at(i, j)) = value;
      }
    const sp::prepared plan(queue, device.view(), sp::op::none, stored);
    const std::vector<T> x = values<T>(n, 2), y(n, T(std::numeric_limits<real<T>>::quiet_NaN()));
    const buffer<T> in(queue, x), out(queue, y);
    plan.multiply(queue, T(1), device.values.all(), in.all(), T(0), out.all());
    expect_product(out.found(), T(1), whole, x, T(0), y, 1, "symmetry " + std::to_string(int(stored)));
  }
}

/// op(A) X - alpha B must be as small as backward stability says.
template <typename T>
void check_solution(const dense<T>& a, bool lower, bool has_unit, sp::op how, sp::format layout,
                    std::size_t columns) {
  sycl::queue queue;
  dense<T> triangle = a;
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.rows; ++j)
      if (lower ? j > i : j < i) triangle.at(i, j) = T(0);
      else if (i == j && has_unit) triangle.at(i, j) = T(1);
  const dense<T> of = triangle.changed(how);
  stored<T> host{layout, a.rows, a.rows, 1, integers(1, 0), {}, {}};
  for (std::size_t i = 0; i < a.rows; ++i) { // no element twice
    for (std::size_t j = 0; j < a.rows; ++j) {
      const T value = layout == sp::format::csc ? a.at(j, i) : a.at(i, j);
      if (value != T(0)) host.indices.push_back(std::int32_t(j)), host.values.push_back(value);
    }
    host.offsets.push_back(std::int32_t(host.indices.size()));
  }
  const on_device<T, buffer> device(queue, host);
  const sp::triangular_solver plan(queue, device.view(),
                                   lower ? prism::blas::uplo::lower : prism::blas::uplo::upper,
                                   has_unit ? prism::blas::diag::unit : prism::blas::diag::non_unit, how);
  const std::vector<T> b = values<T>(a.rows * columns, 5);
  const buffer<T> x(queue, b);
  if (columns == 1) plan.solve(queue, T(2), device.values.all(), x.all(), x.all());
  else plan.solve(queue, T(2), device.values.all(), x.matrix(columns), x.matrix(columns));
  const std::vector<T> found = x.found();
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      exact left = exactly(b[i * columns + j]) * 2.0L;
      long double size = std::abs(left);
      for (std::size_t k = 0; k < a.rows; ++k) {
        if (of.at(i, k) == T(0)) continue;
        const exact product = exactly(of.at(i, k)) * exactly(found[k * columns + j]);
        left -= product, size += std::abs(product);
      }
      ASSERT_LE(std::abs(left), 40 * unit<T>() * size)
          << "row " << i << ", column " << j << ", op " << int(how);
    }
}
TYPED_TEST(sparse, triangular_systems_of_both_triangles) {
  using T = TypeParam;
  dense<T> a(60, 60, 7, 0.1);
  for (std::size_t i = 0; i < 60; ++i) a.at(i, i) = T(real<T>(3));
  for (const bool lower : {true, false})
    for (const sp::op how : {sp::op::none, sp::op::transposed, sp::op::adjoint})
      for (const bool unit : {false, true})
        check_solution(a, lower, unit, how, unit ? sp::format::csc : sp::format::csr, unit ? 3 : 1);
}
TEST(sparse_rules, wide_levels_of_a_triangular_system_are_solved_at_once) {
  dense<float> a(3600, 3600, 7, 0);
  for (std::size_t i = 0; i < 3600; ++i) {
    a.at(i, i) = 2;
    if (i >= 1200) a.at(i, i % 1200 + (i / 1200 - 1) * 1200) = 1;
    if (i > 0 && i < 20) a.at(i, i - 1) = 1; // narrow levels between
  }
  check_solution(a, true, false, sp::op::none, sp::format::csr, 1);
  check_solution(a, true, false, sp::op::transposed, sp::format::csr, 2);
}

template <typename T>
dense<T> dense_of(const stored<T>& from) {
  dense<T> out(from.rows, from.columns, 0, 0);
  const std::size_t b = from.block;
  for (std::size_t i = 0; i + 1 < from.offsets.size() && from.layout != sp::format::coo; ++i)
    for (auto e = std::size_t(from.offsets[i]); e < std::size_t(from.offsets[i + 1]); ++e)
      for (std::size_t k = 0; k < b * b; ++k) {
        const std::size_t j = std::size_t(from.indices[e]);
        (from.layout == sp::format::csc ? out.at(j, i) : out.at(i * b + k / b, j * b + k % b)) +=
            from.values[e * b * b + k];
      }
  if (from.layout == sp::format::coo)
    for (std::size_t e = 0; e < from.indices.size(); ++e)
      out.at(std::size_t(from.offsets[e]), std::size_t(from.indices[e])) += from.values[e];
  return out;
}

template <typename T>
stored<T> empty_for(const sp::conversion& plan, sp::format layout, std::size_t m, std::size_t n,
                    std::size_t block) {
  return {layout,
          m,
          n,
          block,
          integers(plan.offsets(), -1),
          integers(plan.indices(), -1),
          std::vector<T>(plan.values(), T(9))};
}
template <typename T>
void read_back(stored<T>& host, const on_device<T, buffer>& device) {
  const integers offsets = device.offsets.found(), indices = device.indices.found();
  const std::vector<T> values = device.values.found();
  host.offsets = offsets, host.indices = indices, host.values = values;
}

TYPED_TEST(sparse, conversions_between_all_formats_and_dense) {
  using T = TypeParam;
  sycl::queue queue;
  const dense<T> a(12, 18, 3);
  for (const auto& [layout, block] : formats) {
    const stored<T> host = stored_as(layout, a, block);
    const on_device<T, buffer> from(queue, host);
    const sp::prepared plan(queue, from.view());
    const buffer<T> full(queue, std::vector<T>(a.data.size(), T(5)));
    plan.to_dense(queue, from.values.all(), full.matrix(18));
    EXPECT_EQ(full.found(), a.data) << int(layout);
    for (const auto& [to, edge] : formats) {
      const sp::conversion convert(plan, to, edge);
      stored<T> result = empty_for<T>(convert, to, 12, 18, edge);
      const on_device<T, buffer> target(queue, result);
      convert.run(queue, from.values.all(), target.view());
      read_back(result, target);
      EXPECT_EQ(dense_of(result).data, a.data) << int(layout) << " to " << int(to);
      for (std::size_t i = 0; to == sp::format::csr && i < 12; ++i)
        EXPECT_TRUE(std::is_sorted(result.indices.begin() + result.offsets[i],
                                   result.indices.begin() + result.offsets[i + 1]));
    }
  }
  for (const auto& [to, edge] : formats) {
    const buffer<T> full(queue, a.data);
    const sp::conversion convert(queue, full.matrix(18), to, edge);
    stored<T> result = empty_for<T>(convert, to, 12, 18, edge);
    const on_device<T, buffer> target(queue, result);
    convert.run(queue, full.matrix(18), target.view());
    read_back(result, target);
    EXPECT_EQ(dense_of(result).data, a.data) << "dense to " << int(to);
  }
}

TYPED_TEST(sparse, products_of_sparse_matrices) {
  using T = TypeParam;
  sycl::queue queue;
  const dense<T> a(21, 30, 1), b(18, 30, 2);
  const stored<T> left = stored_as(sp::format::csr, a), right = stored_as(sp::format::bsr, b, 3);
  const on_device<T, buffer> of_a(queue, left), of_b(queue, right);
  const sp::sparse_product plan(queue, sp::prepared(queue, of_a.view()),
                                sp::prepared(queue, of_b.view(), sp::op::adjoint));
  stored<T> result{sp::format::csr,
                   21,
                   18,
                   1,
                   integers(22, -1),
                   integers(plan.nonzeros(), -1),
                   std::vector<T>(plan.nonzeros())};
  const on_device<T, buffer> c(queue, result);
  plan.multiply(queue, of_a.values.all(), of_b.values.all(), c.view());
  read_back(result, c);
  const dense<T> other = b.changed(sp::op::adjoint);
  expect_product(dense_of(result).data, T(1), a, other.data, T(0), std::vector<T>(21 * 18), 18, "A B^H");
}

TEST(sparse_rules, rows_without_elements_and_matrices_without_rows) {
  sycl::queue queue;
  const dense<float> none(5, 4, 1, 0);
  const stored<float> host = stored_as(sp::format::csr, none);
  const on_device<float, buffer> device(queue, host);
  const buffer<float> x(queue, values<float>(4, 1)), y(queue, values<float>(5, 2));
  sp::multiply(queue, 1, device.view(), x.all(), 0, y.all());
  EXPECT_EQ(y.found(), std::vector<float>(5, 0));
  const stored<float> nothing{sp::format::csr, 0, 4, 1, {0}, {}, {}};
  const on_device<float, buffer> empty(queue, nothing);
  const buffer<float> zero(queue, {});
  sp::multiply(queue, 1, empty.view(), x.all(), 0, zero.all());
  const sp::prepared plan(queue, empty.view(), sp::op::transposed);
  const buffer<float> z(queue, values<float>(4, 2));
  plan.multiply(queue, 1, empty.values.all(), zero.all(), 0, z.all());
  EXPECT_EQ(z.found(), std::vector<float>(4, 0));
}

TEST(sparse_rules, plans_are_used_by_many_threads_at_once) {
  constexpr std::size_t n = 60, threads = 4, times = 20;
  sycl::queue queue;
  dense<float> all(n, n, 1);
  for (std::size_t i = 0; i < n; ++i) all.at(i, i) = 8;
  stored<float> host{sp::format::csr, n, n, 1, {0}, {}, {}}; // no element twice: a solver refuses that
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      if (all.at(i, j) != 0) host.indices.push_back(std::int32_t(j)), host.values.push_back(all.at(i, j));
    host.offsets.push_back(std::int32_t(host.indices.size()));
  }
  const on_device<float, buffer> a(queue, host);
  const sp::prepared turned(queue, a.view(), sp::op::transposed), plain(queue, a.view());
  const sp::triangular_solver lower(queue, a.view(), prism::blas::uplo::lower);
  const sp::sparse_product square(queue, plain, turned);
  const std::vector<float> x = dense<float>(n, 1, 2, 1).data;
  struct results {
    std::vector<float> products, solutions, values;
    integers indices;
    bool operator==(const results& other) const {
      return products == other.products && solutions == other.solutions && values == other.values &&
             indices == other.indices;
    }
  };
  const auto computed = [&](std::size_t by) {
    const sp::prepared mine = turned; // copied, as a program may
    const sp::triangular_solver my_solver = lower;
    const sp::sparse_product my_square = square;
    sycl::queue own(queue.get_context(), queue.get_device());
    std::vector<float> values = host.values, scaled = x;
    for (float& each : values) each *= float(by);
    const buffer<float> of_a(own, values), of_x(own, scaled), y(own, std::vector<float>(n)),
        z(own, std::vector<float>(n)), c(own, std::vector<float>(my_square.nonzeros()));
    const buffer<std::int32_t> offsets(own, integers(n + 1)), indices(own, integers(my_square.nonzeros()));
    mine.multiply(own, 1, of_a.all(), of_x.all(), 0, y.all());
    my_solver.solve(own, 1, of_a.all(), of_x.all(), z.all());
    my_square.multiply(own, of_a.all(), of_a.all(), sp::csr(n, n, offsets.all(), indices.all(), c.all()));
    return results{y.found(), z.found(), c.found(), indices.found()};
  };
  std::vector<results> expected;
  for (std::size_t t = 0; t < threads; ++t) expected.push_back(computed(t + 1));
  EXPECT_FALSE(expected[0] == expected[1]) << "each thread has its own values";
  std::array<std::size_t, threads> right{};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      for (std::size_t i = 0; i < times; ++i) right[t] += computed(t + 1) == expected[t];
    });
  for (std::thread& each : running) each.join();
  for (std::size_t t = 0; t < threads; ++t) EXPECT_EQ(right[t], times) << "thread " << t;
}

TEST(sparse_rules, nan_reaches_only_rows_that_use_it) {
  sycl::queue queue;
  const stored<float> host{sp::format::csr, 3, 3, 1, {0, 2, 3, 4}, {0, 1, 2, 1}, {1, 1, 1, 1}};
  const on_device<float, buffer> a(queue, host);
  const buffer<float> x(queue, {1, std::nanf(""), 3}), y(queue, {0, 0, 0});
  sp::multiply(queue, 1, a.view(), x.all(), 0, y.all());
  const std::vector<float> found = y.found();
  EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[2]));
  EXPECT_EQ(found[1], 3);
}

TEST(sparse_rules, wrong_structures_are_refused_with_the_place) {
  sycl::queue queue;
  const auto refusal = [&](const stored<float>& host, auto make) {
    std::string text;
    const on_device<float, buffer> a(queue, host);
    EXPECT_EQ(prism_test::error_of([&] { make(a.view()); }, &text), sycl::errc::invalid);
    return text;
  };
  const auto prepare = [&](const auto& view) { sp::prepared(queue, view); };
  const auto solve = [&](const auto& view) { sp::triangular_solver(queue, view, prism::blas::uplo::lower); };
  using f = sp::format;
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal({f::csr, 2, 2, 1, {0, 1}, {0}, {1}}, prepare), "2 offsets for 2 rows instead of 3");
  has(refusal({f::csr, 2, 2, 1, {1, 1, 1}, {0}, {1}}, prepare), "the first offset is 1");
  has(refusal({f::csr, 2, 2, 1, {0, 2, 1}, {0}, {1}}, prepare), "row 1 begins at 2 and ends before, at 1");
  has(refusal({f::csr, 2, 2, 1, {0, 1, 1}, {0, 1}, {1, 1}}, prepare), "the last offset is 1; there are 2");
  has(refusal({f::csr, 2, 2, 1, {0, 1, 2}, {0, 2}, {1, 1}}, prepare), "index 1 is 2; there are 2 columns");
  has(refusal({f::coo, 2, 2, 1, {0, -1}, {0, 1}, {1, 1}}, prepare), "index 1 is -1; there are 2 rows");
  has(refusal({f::coo, 3'000'000'000, 2, 1, {0}, {0}, {1}}, prepare),
      "3000000000 rows; indices have 32 bits");
  has(refusal({f::csr, 2, 3'000'000'000, 1, {0, 1, 1}, {0}, {1}}, prepare), "3000000000 columns");
  has(refusal({f::bsr, 3, 4, 2, {0, 0}, {}, {}}, prepare), "not whole blocks of 2");
  has(refusal({f::bsr, 2, 4, 2, {0, 1}, {0}, {1, 1, 1}}, prepare), "3 values for 1 indices");
  has(refusal({f::csr, 2, 2, 1, {0, 1, 2}, {0, 0}, {1, 1}}, solve), "row 1 has no element on the diagonal");
  has(refusal({f::csr, 2, 3, 1, {0, 1, 2}, {0, 0}, {1, 1}}, solve), "a triangular matrix of 2 x 3");
  const auto multiply = [&](const auto& view) {
    const buffer<float> x(queue, {1, 1}), y(queue, {1, 1, 1});
    sp::multiply(queue, 1, view, x.all(), 0, y.all());
  };
  has(refusal({f::csr, 2, 2, 1, {0, 1, 2}, {0, 0}, {1, 1}}, multiply), "y has 3 rows instead of 2");
  has(refusal({f::csc, 3, 2, 1, {0, 1, 2}, {0, 0}, {1, 1}}, multiply), "others need sparse::prepared");
}

} // namespace
