// The handles of oneMath's sparse BLAS: what a program says of its vectors and matrices, which stay in its
// memory. A handle is used by one thread at a time, and lives until it is released.
#pragma once

#include <oneapi/math/exceptions.hpp>
#include <oneapi/math/types.hpp>

#include <prism/sparse.hpp>

#include <complex>
#include <optional>
#include <variant>

namespace oneapi::math::sparse {

enum class matrix_property { symmetric, sorted, sorted_by_rows };
enum class spmm_alg {
  default_alg,
  no_optimize_alg,
  coo_alg1,
  coo_alg2,
  coo_alg3,
  coo_alg4,
  csr_alg1,
  csr_alg2,
  csr_alg3
};
enum class spmv_alg { default_alg, no_optimize_alg, coo_alg1, coo_alg2, csr_alg1, csr_alg2, csr_alg3 };
enum class spsv_alg { default_alg, no_optimize_alg };
enum class matrix_descr { general, symmetric, hermitian, triangular, diagonal };

struct matrix_view {
  matrix_descr type_view = matrix_descr::general;
  uplo uplo_view = uplo::lower;
  diag diag_view = diag::nonunit;
  matrix_view() = default;
  matrix_view(matrix_descr type) : type_view(type) {}
};

namespace detail {

template <typename T>
using buffer = sycl::buffer<T, 1>;
/// Elements of one type in one kind of memory.
using memory = std::variant<float*, double*, std::complex<float>*, std::complex<double>*, buffer<float>,
                            buffer<double>, buffer<std::complex<float>>, buffer<std::complex<double>>>;
using indices = std::variant<std::int32_t*, buffer<std::int32_t>>;

template <typename T>
inline constexpr bool is_supported =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::complex<float>> ||
    std::is_same_v<T, std::complex<double>>;

struct dense_vector {
  memory values;
  std::int64_t size;
};
struct dense_matrix {
  memory values;
  std::int64_t rows, columns, leading;
  layout order;
};
struct matrix {
  bool is_csr;
  std::int64_t rows, columns, elements;
  indices first, second; // offsets or row indices; column indices
  memory values;
};
/// What `optimize` prepares, and for which call.
template <typename Plan>
struct description {
  std::optional<Plan> plan;
  const matrix* of = nullptr;
  transpose op = transpose::nontrans;
};

} // namespace detail

using dense_vector_handle_t = detail::dense_vector*;
using dense_matrix_handle_t = detail::dense_matrix*;
using matrix_handle_t = detail::matrix*;
using spmv_descr_t = detail::description<prism::sparse::prepared>*;
/// A type of its own, so that a descriptor of one operation is not one of another.
struct spmm_description : detail::description<prism::sparse::prepared> {};
using spmm_descr_t = spmm_description*;
using spsv_descr_t = detail::description<prism::sparse::triangular_solver>*;

namespace detail {

/// PRISM's indices are std::int32_t from 0 on.
template <typename I>
void require_indices(const char* name, index_base base) {
  if (!std::is_same_v<I, std::int32_t>) throw unimplemented("sparse_blas", name, "for indices of 64 bits");
  if (base != index_base::zero) throw unimplemented("sparse_blas", name, "for indices from 1 on");
}
template <typename I>
indices indices_of(const I& given) {
  if constexpr (std::is_constructible_v<indices, I>) return given;
  else return static_cast<std::int32_t*>(nullptr);
}
inline void require_size(const char* name, std::int64_t value) {
  if (value < 0) throw invalid_argument("sparse_blas", name, "a size of " + std::to_string(value));
}
template <typename Handle>
void require_handle(const char* name, const Handle* handle) {
  if (handle == nullptr) throw uninitialized("sparse_blas", name, "a handle is null");
}
/// What a release returns.
template <typename Handle>
sycl::event released(sycl::queue& queue, Handle* handle, const std::vector<sycl::event>& dependencies) {
  delete handle; // commands hold what they use
  return queue.ext_oneapi_submit_barrier(dependencies);
}

} // namespace detail

#define PRISM_ONEMATH_DENSE(Memory)                                                                          \
  template <typename T>                                                                                      \
  std::enable_if_t<detail::is_supported<T>> set_dense_vector_data(                                           \
      sycl::queue&, dense_vector_handle_t handle, std::int64_t size, Memory values) {                        \
    detail::require_handle("set_dense_vector_data", handle);                                                 \
    detail::require_size("set_dense_vector_data", size);                                                     \
    *handle = {values, size};                                                                                \
  }                                                                                                          \
  template <typename T>                                                                                      \
  std::enable_if_t<detail::is_supported<T>> init_dense_vector(sycl::queue&, dense_vector_handle_t* handle,   \
                                                              std::int64_t size, Memory values) {            \
    detail::require_size("init_dense_vector", size);                                                         \
    *handle = new detail::dense_vector{values, size};                                                        \
  }                                                                                                          \
  template <typename T>                                                                                      \
  std::enable_if_t<detail::is_supported<T>> set_dense_matrix_data(                                           \
      sycl::queue&, dense_matrix_handle_t handle, std::int64_t rows, std::int64_t columns,                   \
      std::int64_t leading, layout order, Memory values) {                                                   \
    detail::require_handle("set_dense_matrix_data", handle);                                                 \
    detail::require_size("set_dense_matrix_data", std::min(rows, columns));                                  \
    *handle = {values, rows, columns, leading, order};                                                       \
  }                                                                                                          \
  template <typename T>                                                                                      \
  std::enable_if_t<detail::is_supported<T>> init_dense_matrix(                                               \
      sycl::queue&, dense_matrix_handle_t* handle, std::int64_t rows, std::int64_t columns,                  \
      std::int64_t leading, layout order, Memory values) {                                                   \
    detail::require_size("init_dense_matrix", std::min(rows, columns));                                      \
    *handle = new detail::dense_matrix{values, rows, columns, leading, order};                               \
  }
#define PRISM_ONEMATH_POINTER(T) T*
#define PRISM_ONEMATH_BUFFER(T) sycl::buffer<T, 1>
PRISM_ONEMATH_DENSE(PRISM_ONEMATH_POINTER(T))
PRISM_ONEMATH_DENSE(PRISM_ONEMATH_BUFFER(T))
#undef PRISM_ONEMATH_DENSE

#define PRISM_ONEMATH_SPARSE(kind, is_csr, Place)                                                            \
  template <typename T, typename I>                                                                          \
  std::enable_if_t<detail::is_supported<T>> set_##kind##_matrix_data(                                        \
      sycl::queue&, matrix_handle_t handle, std::int64_t rows, std::int64_t columns, std::int64_t elements,  \
      index_base base, Place(I) first, Place(I) second, Place(T) values) {                                   \
    detail::require_handle("set_" #kind "_matrix_data", handle);                                             \
    detail::require_size("set_" #kind "_matrix_data", std::min({rows, columns, elements}));                  \
    detail::require_indices<I>("set_" #kind "_matrix_data", base);                                           \
    *handle = {is_csr, rows, columns, elements, detail::indices_of(first), detail::indices_of(second),       \
               values};                                                                                      \
  }                                                                                                          \
  template <typename T, typename I>                                                                          \
  std::enable_if_t<detail::is_supported<T>> init_##kind##_matrix(                                            \
      sycl::queue&, matrix_handle_t* handle, std::int64_t rows, std::int64_t columns, std::int64_t elements, \
      index_base base, Place(I) first, Place(I) second, Place(T) values) {                                   \
    detail::require_size("init_" #kind "_matrix", std::min({rows, columns, elements}));                      \
    detail::require_indices<I>("init_" #kind "_matrix", base);                                               \
    *handle = new detail::matrix{                                                                            \
        is_csr, rows, columns, elements, detail::indices_of(first), detail::indices_of(second), values};     \
  }
PRISM_ONEMATH_SPARSE(csr, true, PRISM_ONEMATH_POINTER)
PRISM_ONEMATH_SPARSE(csr, true, PRISM_ONEMATH_BUFFER)
PRISM_ONEMATH_SPARSE(coo, false, PRISM_ONEMATH_POINTER)
PRISM_ONEMATH_SPARSE(coo, false, PRISM_ONEMATH_BUFFER)
#undef PRISM_ONEMATH_SPARSE
#undef PRISM_ONEMATH_POINTER
#undef PRISM_ONEMATH_BUFFER

inline sycl::event release_dense_vector(sycl::queue& queue, dense_vector_handle_t handle,
                                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, handle, dependencies);
}
inline sycl::event release_dense_matrix(sycl::queue& queue, dense_matrix_handle_t handle,
                                        const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, handle, dependencies);
}
inline sycl::event release_sparse_matrix(sycl::queue& queue, matrix_handle_t handle,
                                         const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, handle, dependencies);
}
/// False: PRISM uses none of the properties.
inline bool set_matrix_property(sycl::queue&, matrix_handle_t handle, matrix_property) {
  detail::require_handle("set_matrix_property", handle);
  return false;
}

} // namespace oneapi::math::sparse
