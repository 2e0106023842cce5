// oneMath's sparse BLAS over <prism/sparse.hpp>: namespace oneapi::math::sparse, matrices in CSR and COO with
// indices of 32 bits from 0 on; products with vectors and with dense matrices, triangular systems.
//
// `*_optimize` reads the structure of the matrix on the host and waits for it; the operation itself returns
// at once. It must be optimised first for the same matrix and operation. A workspace is not used: its size
// is 1. alpha and beta are read when the operation is called.
//
// Errors: uninitialized for a handle that is null and an operation that is not optimised, invalid_argument
// for sizes that disagree, unimplemented for indices of 64 bits or from 1 on and for views that PRISM lacks.
#pragma once

#include <oneapi/math/sparse_blas/handles.hpp>
#include <oneapi/math/translate.hpp>

#include <algorithm>

namespace oneapi::math::sparse {
namespace detail {

namespace own = prism::sparse;

inline own::op to_op(transpose op) {
  return op == transpose::nontrans ? own::op::none
         : op == transpose::trans  ? own::op::transposed
                                   : own::op::adjoint;
}
template <typename T>
auto vector(T* pointer, std::int64_t size) {
  return prism::vector_view<T>(pointer, std::size_t(size));
}
template <typename T>
auto vector(const buffer<T>& given, std::int64_t size) {
  return prism::vector_view<T, prism::buffer_place<T>>({given}, std::size_t(size), 1);
}
template <typename T>
auto rows_of(T* pointer, const dense_matrix& m) {
  const bool by_rows = m.order == layout::row_major;
  return prism::matrix_view<T>(pointer, std::size_t(m.rows), std::size_t(m.columns), by_rows ? m.leading : 1,
                               by_rows ? 1 : m.leading);
}
template <typename T>
auto rows_of(const buffer<T>& given, const dense_matrix& m) {
  const bool by_rows = m.order == layout::row_major;
  return prism::matrix_view<T, prism::buffer_place<T>>({given}, std::size_t(m.rows), std::size_t(m.columns),
                                                       by_rows ? m.leading : 1, by_rows ? 1 : m.leading);
}
template <typename Memory>
struct element_of;
template <typename T>
struct element_of<T*> {
  using type = T;
  using indices = std::int32_t*;
};
template <typename T>
struct element_of<buffer<T>> {
  using type = T;
  using indices = buffer<std::int32_t>;
};

/// The same kind of memory and type as another operand has.
template <typename Memory, typename Variant>
const Memory& same(const char* name, const Variant& given) {
  if (const Memory* const out = std::get_if<Memory>(&given)) return *out;
  throw invalid_argument("sparse_blas", name, "operands of different types, or in USM and in buffers");
}
/// A factor in memory of the host or of a device.
template <typename T>
T factor(sycl::queue& queue, const void* at) {
  T out{};
  if (sycl::get_pointer_type(at, queue.get_context()) == sycl::usm::alloc::device)
    queue.memcpy(&out, at, sizeof out).wait();
  else out = *static_cast<const T*>(at);
  return out;
}

/// body(view) with the view of the matrix.
template <typename Body>
auto with_view(const char* name, const matrix& m, const Body& body) {
  return std::visit([&](const auto& values) {
    using Memory = std::decay_t<decltype(values)>;
    using Indices = typename element_of<Memory>::indices;
    const auto &first = same<Indices>(name, m.first), &second = same<Indices>(name, m.second);
    const auto rows = std::size_t(m.rows), columns = std::size_t(m.columns);
    return m.is_csr ? body(own::csr(rows, columns, vector(first, m.rows + 1), vector(second, m.elements),
                                    vector(values, m.elements)))
                    : body(own::coo(rows, columns, vector(first, m.elements), vector(second, m.elements),
                                    vector(values, m.elements)));
  }, m.values);
}
inline own::symmetry stored(const char* name, const matrix_view& view) {
  const bool lower = view.uplo_view == uplo::lower;
  switch (view.type_view) {
    case matrix_descr::general: return own::symmetry::general;
    case matrix_descr::symmetric:
      return lower ? own::symmetry::symmetric_lower : own::symmetry::symmetric_upper;
    case matrix_descr::hermitian:
      return lower ? own::symmetry::hermitian_lower : own::symmetry::hermitian_upper;
    default: throw unimplemented("sparse_blas", name, "for a triangular or diagonal view");
  }
}
template <typename Description>
void require_optimised(const char* name, const Description* d, transpose op, const matrix* of) {
  require_handle(name, of);
  if (d == nullptr || !d->plan || d->of != of || d->op != op)
    throw uninitialized("sparse_blas", name, "it is not optimised for this matrix and operation");
}
template <typename Description>
void prepare(const char* name, sycl::queue& queue, Description* d, transpose op, const matrix_view& view,
             const matrix* of, const std::vector<sycl::event>& dependencies) {
  require_handle(name, d), require_handle(name, of);
  math::detail::translated("sparse_blas", name, [&] {
    with_view(name, *of,
              [&](const auto& a) { d->plan.emplace(queue, a, to_op(op), stored(name, view), dependencies); });
  });
  d->of = of, d->op = op;
}

} // namespace detail

// ---- products with a vector

inline void init_spmv_descr(sycl::queue&, spmv_descr_t* description) {
  *description = new std::remove_pointer_t<spmv_descr_t>;
}
inline sycl::event release_spmv_descr(sycl::queue& queue, spmv_descr_t description,
                                      const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, description, dependencies);
}
inline void spmv_buffer_size(sycl::queue&, transpose, const void*, matrix_view, matrix_handle_t,
                             dense_vector_handle_t, const void*, dense_vector_handle_t, spmv_alg,
                             spmv_descr_t, std::size_t& temp_buffer_size) {
  temp_buffer_size = 1;
}
inline sycl::event spmv_optimize(sycl::queue& queue, transpose op, const void*, matrix_view view,
                                 matrix_handle_t a, dense_vector_handle_t, const void*, dense_vector_handle_t,
                                 spmv_alg, spmv_descr_t description, void*,
                                 const std::vector<sycl::event>& dependencies = {}) {
  detail::prepare("spmv_optimize", queue, description, op, view, a, dependencies);
  return queue.ext_oneapi_submit_barrier(dependencies);
}
inline void spmv_optimize(sycl::queue& queue, transpose op, const void*, matrix_view view, matrix_handle_t a,
                          dense_vector_handle_t, const void*, dense_vector_handle_t, spmv_alg,
                          spmv_descr_t description, sycl::buffer<std::uint8_t, 1>) {
  detail::prepare("spmv_optimize", queue, description, op, view, a, {});
}
/// y = alpha op(A) x + beta y.
inline sycl::event spmv(sycl::queue& queue, transpose op, const void* alpha, matrix_view, matrix_handle_t a,
                        dense_vector_handle_t x, const void* beta, dense_vector_handle_t y, spmv_alg,
                        spmv_descr_t description, const std::vector<sycl::event>& dependencies = {}) {
  detail::require_optimised("spmv", description, op, a);
  detail::require_handle("spmv", x), detail::require_handle("spmv", y);
  return math::detail::translated("sparse_blas", "spmv", [&] {
    return std::visit([&](const auto& values) {
      using Memory = std::decay_t<decltype(values)>;
      using T = typename detail::element_of<Memory>::type;
      return description->plan->multiply(
          queue, detail::factor<T>(queue, alpha), detail::vector(values, a->elements),
          detail::vector(detail::same<Memory>("spmv", x->values), x->size), detail::factor<T>(queue, beta),
          detail::vector(detail::same<Memory>("spmv", y->values), y->size), dependencies);
    }, a->values);
  });
}

// ---- products with a dense matrix

inline void init_spmm_descr(sycl::queue&, spmm_descr_t* description) { *description = new spmm_description; }
inline sycl::event release_spmm_descr(sycl::queue& queue, spmm_descr_t description,
                                      const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, description, dependencies);
}
inline void spmm_buffer_size(sycl::queue&, transpose, transpose, const void*, matrix_view, matrix_handle_t,
                             dense_matrix_handle_t, const void*, dense_matrix_handle_t, spmm_alg,
                             spmm_descr_t, std::size_t& temp_buffer_size) {
  temp_buffer_size = 1;
}
inline sycl::event spmm_optimize(sycl::queue& queue, transpose op, transpose, const void*, matrix_view view,
                                 matrix_handle_t a, dense_matrix_handle_t, const void*, dense_matrix_handle_t,
                                 spmm_alg, spmm_descr_t description, void*,
                                 const std::vector<sycl::event>& dependencies = {}) {
  detail::prepare("spmm_optimize", queue, description, op, view, a, dependencies);
  return queue.ext_oneapi_submit_barrier(dependencies);
}
inline void spmm_optimize(sycl::queue& queue, transpose op, transpose, const void*, matrix_view view,
                          matrix_handle_t a, dense_matrix_handle_t, const void*, dense_matrix_handle_t,
                          spmm_alg, spmm_descr_t description, sycl::buffer<std::uint8_t, 1>) {
  detail::prepare("spmm_optimize", queue, description, op, view, a, {});
}
/// C = alpha op(A) op(B) + beta C.
inline sycl::event spmm(sycl::queue& queue, transpose op, transpose op_b, const void* alpha, matrix_view,
                        matrix_handle_t a, dense_matrix_handle_t b, const void* beta, dense_matrix_handle_t c,
                        spmm_alg, spmm_descr_t description,
                        const std::vector<sycl::event>& dependencies = {}) {
  detail::require_optimised("spmm", description, op, a);
  detail::require_handle("spmm", b), detail::require_handle("spmm", c);
  return math::detail::translated("sparse_blas", "spmm", [&] {
    return std::visit([&](const auto& values) {
      using Memory = std::decay_t<decltype(values)>;
      using T = typename detail::element_of<Memory>::type;
      const auto right = detail::rows_of(detail::same<Memory>("spmm", b->values), *b);
      const auto multiply = [&](const auto& of_b) {
        return description->plan->multiply(
            queue, detail::factor<T>(queue, alpha), detail::vector(values, a->elements), of_b,
            detail::factor<T>(queue, beta), detail::rows_of(detail::same<Memory>("spmm", c->values), *c),
            dependencies);
      };
      if (op_b == transpose::nontrans) return multiply(right);
      if (op_b == transpose::conjtrans && !std::is_floating_point_v<T>)
        throw unimplemented("sparse_blas", "spmm", "for the adjoint of a complex dense matrix");
      return multiply(right.transposed());
    }, a->values);
  });
}

// ---- triangular systems

inline void init_spsv_descr(sycl::queue&, spsv_descr_t* description) {
  *description = new std::remove_pointer_t<spsv_descr_t>;
}
inline sycl::event release_spsv_descr(sycl::queue& queue, spsv_descr_t description,
                                      const std::vector<sycl::event>& dependencies = {}) {
  return detail::released(queue, description, dependencies);
}
inline void spsv_buffer_size(sycl::queue&, transpose, const void*, matrix_view, matrix_handle_t,
                             dense_vector_handle_t, dense_vector_handle_t, spsv_alg, spsv_descr_t,
                             std::size_t& temp_buffer_size) {
  temp_buffer_size = 1;
}
namespace detail {
inline void analyse(sycl::queue& queue, spsv_descr_t d, transpose op, const matrix_view& view,
                    const matrix* of, const std::vector<sycl::event>& dependencies) {
  require_handle("spsv_optimize", d), require_handle("spsv_optimize", of);
  if (view.type_view != matrix_descr::triangular)
    throw invalid_argument("sparse_blas", "spsv_optimize", "the view is not triangular");
  math::detail::translated("sparse_blas", "spsv_optimize", [&] {
    with_view("spsv_optimize", *of, [&](const auto& a) {
      d->plan.emplace(queue, a,
                      view.uplo_view == uplo::lower ? prism::blas::uplo::lower : prism::blas::uplo::upper,
                      view.diag_view == diag::unit ? prism::blas::diag::unit : prism::blas::diag::non_unit,
                      to_op(op), dependencies);
    });
  });
  d->of = of, d->op = op;
}
} // namespace detail
inline sycl::event spsv_optimize(sycl::queue& queue, transpose op, const void*, matrix_view view,
                                 matrix_handle_t a, dense_vector_handle_t, dense_vector_handle_t, spsv_alg,
                                 spsv_descr_t description, void*,
                                 const std::vector<sycl::event>& dependencies = {}) {
  detail::analyse(queue, description, op, view, a, dependencies);
  return queue.ext_oneapi_submit_barrier(dependencies);
}
inline void spsv_optimize(sycl::queue& queue, transpose op, const void*, matrix_view view, matrix_handle_t a,
                          dense_vector_handle_t, dense_vector_handle_t, spsv_alg, spsv_descr_t description,
                          sycl::buffer<std::uint8_t, 1>) {
  detail::analyse(queue, description, op, view, a, {});
}
/// op(A) y = alpha x.
inline sycl::event spsv(sycl::queue& queue, transpose op, const void* alpha, matrix_view, matrix_handle_t a,
                        dense_vector_handle_t x, dense_vector_handle_t y, spsv_alg, spsv_descr_t description,
                        const std::vector<sycl::event>& dependencies = {}) {
  detail::require_optimised("spsv", description, op, a);
  detail::require_handle("spsv", x), detail::require_handle("spsv", y);
  return math::detail::translated("sparse_blas", "spsv", [&] {
    return std::visit([&](const auto& values) {
      using Memory = std::decay_t<decltype(values)>;
      using T = typename detail::element_of<Memory>::type;
      return description->plan->solve(
          queue, detail::factor<T>(queue, alpha), detail::vector(values, a->elements),
          detail::vector(detail::same<Memory>("spsv", x->values), x->size),
          detail::vector(detail::same<Memory>("spsv", y->values), y->size), dependencies);
    }, a->values);
  });
}

} // namespace oneapi::math::sparse
