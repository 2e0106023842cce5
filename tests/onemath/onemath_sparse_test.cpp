// Programs written for oneMath's sparse BLAS: handles, views, descriptors and exceptions. Every product is
// compared with that of the dense matrix; numbers are whole, so results are exact.
#include "tests/onemath/shared_memory.hpp"

#include <oneapi/math.hpp>

#include <complex>
#include <memory>

namespace {

namespace math = oneapi::math;
namespace sparse = oneapi::math::sparse;
using math::transpose;
using complex = std::complex<float>;

template <typename T>
T conjugate(T x) {
  if constexpr (std::is_same_v<T, complex>) return std::conj(x);
  else return x;
}
template <typename T>
T number(int re, int im) {
  if constexpr (std::is_same_v<T, complex>) return {float(re), float(im)};
  else return T(re);
}

/// A matrix by rows and as its elements.
template <typename T>
struct sample {
  std::int64_t rows, columns;
  std::vector<T> dense;
  std::vector<std::int32_t> row_indices, offsets{0}, indices;
  std::vector<T> values;

  sample(std::int64_t m, std::int64_t n, bool is_lower = false)
      : rows(m), columns(n), dense(std::size_t(m * n)) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const bool is_diagonal = i == j;
        if (is_lower ? j > i : (i * 5 + j * 3) % 4 == 1) continue;
        const T value = is_lower && is_diagonal ? T(2) : number<T>(int((i + 2 * j) % 5) - 1, int(j % 3) - 1);
        dense[std::size_t(i * n + j)] = value;
        row_indices.push_back(std::int32_t(i)), indices.push_back(std::int32_t(j)), values.push_back(value);
      }
      offsets.push_back(std::int32_t(indices.size()));
    }
  }
  T at(transpose op, std::int64_t i, std::int64_t j) const {
    if (op == transpose::nontrans) return dense[std::size_t(i * columns + j)];
    const T value = dense[std::size_t(j * columns + i)];
    return op == transpose::conjtrans ? conjugate(value) : value;
  }
};
template <typename T>
std::vector<T> numbers(std::int64_t count) {
  std::vector<T> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(number<T>(int(i % 4) - 2, int(i % 3)));
  return out;
}
const auto every_operation = {transpose::nontrans, transpose::trans, transpose::conjtrans};

/// The matrix in buffers, with its handle.
template <typename T>
struct handle {
  sycl::queue& queue;
  sycl::buffer<std::int32_t, 1> first, second;
  sycl::buffer<T, 1> values;
  sparse::matrix_handle_t value = nullptr;

  handle(sycl::queue& q, const sample<T>& a, bool is_csr)
      : queue(q), first(is_csr ? a.offsets : a.row_indices), second(a.indices), values(a.values) {
    const auto count = std::int64_t(a.values.size());
    if (is_csr)
      sparse::init_csr_matrix(q, &value, a.rows, a.columns, count, math::index_base::zero, first, second,
                              values);
    else
      sparse::init_coo_matrix(q, &value, a.rows, a.columns, count, math::index_base::zero, first, second,
                              values);
  }
  ~handle() { sparse::release_sparse_matrix(queue, value); }
  handle(const handle&) = delete;
};
template <typename T>
struct vector_handle {
  sycl::queue& queue;
  sparse::dense_vector_handle_t value = nullptr;
  vector_handle(sycl::queue& q, sycl::buffer<T, 1>& memory) : queue(q) {
    sparse::init_dense_vector(q, &value, std::int64_t(memory.size()), memory);
  }
  ~vector_handle() { sparse::release_dense_vector(queue, value); }
  vector_handle(const vector_handle&) = delete;
};

template <typename T>
struct onemath_sparse : testing::Test {
  sycl::queue queue;
  sycl::buffer<std::uint8_t, 1> workspace{sycl::range<1>(1)};
};
using types = testing::Types<float, complex>;
TYPED_TEST_SUITE(onemath_sparse, types);

TYPED_TEST(onemath_sparse, products_with_vectors_of_both_formats_and_every_operation) {
  using T = TypeParam;
  auto& q = this->queue;
  const sample<T> a(5, 7);
  for (const bool is_csr : {true, false})
    for (const transpose op : every_operation) {
      const std::int64_t m = op == transpose::nontrans ? 5 : 7, n = 12 - m;
      const std::vector<T> x = numbers<T>(n), old = numbers<T>(m);
      std::vector<T> y = old;
      const T alpha = number<T>(2, 1), beta = number<T>(3, 0);
      {
        sycl::buffer<T, 1> of_x(x), of_y(y.data(), y.size());
        const handle<T> matrix(q, a, is_csr);
        const vector_handle<T> in(q, of_x), out(q, of_y);
        sparse::spmv_descr_t description = nullptr;
        sparse::init_spmv_descr(q, &description);
        std::size_t size = 0;
        sparse::spmv_buffer_size(q, op, &alpha, {}, matrix.value, in.value, &beta, out.value,
                                 sparse::spmv_alg::default_alg, description, size);
        EXPECT_EQ(size, 1u);
        sparse::spmv_optimize(q, op, &alpha, {}, matrix.value, in.value, &beta, out.value,
                              sparse::spmv_alg::default_alg, description, this->workspace);
        sparse::spmv(q, op, &alpha, {}, matrix.value, in.value, &beta, out.value,
                     sparse::spmv_alg::default_alg, description);
        sparse::release_spmv_descr(q, description);
      }
      for (std::int64_t i = 0; i < m; ++i) {
        T sum = 0;
        for (std::int64_t j = 0; j < n; ++j) sum += a.at(op, i, j) * x[std::size_t(j)];
        EXPECT_EQ(y[std::size_t(i)], alpha * sum + beta * old[std::size_t(i)])
            << i << (is_csr ? " csr" : " coo");
      }
    }
}

TYPED_TEST(onemath_sparse, a_symmetric_view_uses_one_triangle) {
  using T = TypeParam;
  auto& q = this->queue;
  const sample<T> a(6, 6);
  const std::vector<T> x = numbers<T>(6);
  std::vector<T> y(6, T(9));
  const T one = 1, zero = 0;
  sparse::matrix_view view(sparse::matrix_descr::symmetric);
  view.uplo_view = math::uplo::upper;
  {
    sycl::buffer<T, 1> of_x(x), of_y(y.data(), y.size());
    const handle<T> matrix(q, a, true);
    const vector_handle<T> in(q, of_x), out(q, of_y);
    sparse::spmv_descr_t description = nullptr;
    sparse::init_spmv_descr(q, &description);
    sparse::spmv_optimize(q, transpose::nontrans, &one, view, matrix.value, in.value, &zero, out.value,
                          sparse::spmv_alg::csr_alg1, description, this->workspace);
    sparse::spmv(q, transpose::nontrans, &one, view, matrix.value, in.value, &zero, out.value,
                 sparse::spmv_alg::csr_alg1, description);
    sparse::release_spmv_descr(q, description);
  }
  for (std::int64_t i = 0; i < 6; ++i) {
    T sum = 0;
    for (std::int64_t j = 0; j < 6; ++j)
      sum += a.at(transpose::nontrans, std::min(i, j), std::max(i, j)) * x[std::size_t(j)];
    EXPECT_EQ(y[std::size_t(i)], sum) << i;
  }
}

TYPED_TEST(onemath_sparse, products_with_dense_matrices_of_both_layouts) {
  using T = TypeParam;
  auto& q = this->queue;
  const sample<T> a(5, 7);
  const T alpha = number<T>(1, 1), beta = number<T>(2, 0);
  for (const math::layout order : {math::layout::row_major, math::layout::col_major})
    for (const transpose op_b : {transpose::nontrans, transpose::trans}) {
      const bool by_rows = order == math::layout::row_major, plain = op_b == transpose::nontrans;
      const std::int64_t rows_b = plain ? 7 : 3, columns_b = 10 - rows_b,
                         lead_b = (by_rows ? columns_b : rows_b) + 1, lead_c = (by_rows ? 3 : 5) + 2;
      const auto place = [&](std::int64_t i, std::int64_t j, std::int64_t lead) {
        return std::size_t(by_rows ? i * lead + j : i + j * lead);
      };
      const std::vector<T> b = numbers<T>(lead_b * (by_rows ? rows_b : columns_b)),
                           old = numbers<T>(lead_c * (by_rows ? 5 : 3));
      std::vector<T> c = old;
      {
        sycl::buffer<T, 1> of_b(b), of_c(c.data(), c.size());
        const handle<T> matrix(q, a, true);
        sparse::dense_matrix_handle_t right = nullptr, result = nullptr;
        sparse::init_dense_matrix(q, &right, rows_b, columns_b, lead_b, order, of_b);
        sparse::init_dense_matrix(q, &result, 5, 3, lead_c, order, of_c);
        sparse::spmm_descr_t description = nullptr;
        sparse::init_spmm_descr(q, &description);
        sparse::spmm_optimize(q, transpose::nontrans, op_b, &alpha, {}, matrix.value, right, &beta, result,
                              sparse::spmm_alg::default_alg, description, this->workspace);
        sparse::spmm(q, transpose::nontrans, op_b, &alpha, {}, matrix.value, right, &beta, result,
                     sparse::spmm_alg::default_alg, description);
        sparse::release_spmm_descr(q, description);
        sparse::release_dense_matrix(q, right), sparse::release_dense_matrix(q, result);
      }
      std::vector<T> expected = old;
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t k = 0; k < 3; ++k) {
          T sum = 0;
          for (std::int64_t j = 0; j < 7; ++j)
            sum += a.at(transpose::nontrans, i, j) * b[plain ? place(j, k, lead_b) : place(k, j, lead_b)];
          expected[place(i, k, lead_c)] = alpha * sum + beta * old[place(i, k, lead_c)];
        }
      EXPECT_EQ(c, expected);
    }
}

TYPED_TEST(onemath_sparse, triangular_systems_over_usm) {
  using T = TypeParam;
  auto& q = this->queue;
  REQUIRE_SHARED_MEMORY(q);
  const sample<T> a(5, 5, true);
  const auto shared = [&](const auto& from) {
    using E = typename std::decay_t<decltype(from)>::value_type;
    const auto free = [q](E* p) { sycl::free(p, q); };
    std::unique_ptr<E, decltype(free)> out(sycl::malloc_shared<E>(from.size(), q), free);
    std::copy(from.begin(), from.end(), out.get());
    return out;
  };
  const auto offsets = shared(a.offsets), indices = shared(a.indices);
  const auto values = shared(a.values);
  const T alpha = 4;
  for (const transpose op : every_operation) {
    const std::vector<T> y = numbers<T>(5);
    std::vector<T> right(5);
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j < 5; ++j) right[std::size_t(i)] += a.at(op, i, j) * y[std::size_t(j)] / T(4);
    const auto b = shared(right), x = shared(std::vector<T>(5, T(7)));
    sparse::matrix_handle_t matrix = nullptr;
    sparse::init_csr_matrix(q, &matrix, 5, 5, std::int64_t(a.values.size()), math::index_base::zero,
                            offsets.get(), indices.get(), values.get());
    sparse::dense_vector_handle_t in = nullptr, out = nullptr;
    sparse::init_dense_vector(q, &in, 5, b.get()), sparse::init_dense_vector(q, &out, 5, x.get());
    sparse::spsv_descr_t description = nullptr;
    sparse::init_spsv_descr(q, &description);
    const sparse::matrix_view view(sparse::matrix_descr::triangular);
    const sycl::event ready = sparse::spsv_optimize(q, op, &alpha, view, matrix, in, out,
                                                    sparse::spsv_alg::default_alg, description, nullptr);
    sparse::spsv(q, op, &alpha, view, matrix, in, out, sparse::spsv_alg::default_alg, description, {ready})
        .wait();
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(std::abs(x.get()[i] - y[i]), 0, 1e-3) << i;
    sparse::release_spsv_descr(q, description);
    sparse::release_dense_vector(q, in), sparse::release_dense_vector(q, out);
    sparse::release_sparse_matrix(q, matrix);
  }
}

TEST(onemath_sparse_errors, what_cannot_be_is_refused_by_name) {
  sycl::queue q;
  const sample<float> a(4, 4);
  sycl::buffer<float, 1> x(sycl::range<1>(4)), y(sycl::range<1>(3));
  sycl::buffer<double, 1> of_other_type(sycl::range<1>(4));
  sycl::buffer<std::uint8_t, 1> workspace(sycl::range<1>(1));
  const handle<float> matrix(q, a, true);
  const vector_handle<float> in(q, x), short_one(q, y);
  const vector_handle<double> other(q, of_other_type);
  const float one = 1;
  const auto normal = transpose::nontrans;
  const auto usual = sparse::spmv_alg::default_alg;
  sparse::spmv_descr_t description = nullptr;
  sparse::init_spmv_descr(q, &description);
  EXPECT_THROW(sparse::spmv(q, normal, &one, {}, matrix.value, in.value, &one, in.value, usual, description),
               math::uninitialized);
  sparse::spmv_optimize(q, normal, &one, {}, matrix.value, in.value, &one, in.value, usual, description,
                        workspace);
  EXPECT_THROW(
      sparse::spmv(q, transpose::trans, &one, {}, matrix.value, in.value, &one, in.value, usual, description),
      math::uninitialized);
  EXPECT_THROW(
      sparse::spmv(q, normal, &one, {}, matrix.value, in.value, &one, short_one.value, usual, description),
      math::invalid_argument);
  EXPECT_THROW(
      sparse::spmv(q, normal, &one, {}, matrix.value, other.value, &one, in.value, usual, description),
      math::invalid_argument);
  EXPECT_THROW(sparse::spmv_optimize(q, normal, &one, {sparse::matrix_descr::triangular}, matrix.value,
                                     in.value, &one, in.value, usual, description, workspace),
               math::unimplemented);
  EXPECT_THROW(sparse::spmv_optimize(q, normal, &one, {}, nullptr, in.value, &one, in.value, usual,
                                     description, workspace),
               math::uninitialized);
  sparse::release_spmv_descr(q, description);
  sparse::matrix_handle_t none = nullptr;
  sycl::buffer<std::int64_t, 1> large(sycl::range<1>(5));
  sycl::buffer<std::int32_t, 1> small(sycl::range<1>(5));
  EXPECT_THROW(sparse::init_csr_matrix(q, &none, 4, 4, 4, math::index_base::zero, large, large, x),
               math::unimplemented);
  EXPECT_THROW(sparse::init_csr_matrix(q, &none, 4, 4, 4, math::index_base::one, small, small, x),
               math::unimplemented);
  EXPECT_THROW(sparse::init_csr_matrix(q, &none, 4, -4, 4, math::index_base::zero, small, small, x),
               math::invalid_argument);
}

} // namespace
