// BLAS level 2 of banded matrices and of triangles in packed storage. Part of <prism/blas.hpp>, whose rules
// hold: the element types, what is read, errors, events.
//
//   prism::blas::gbmv(queue, 1, prism::blas::banded(a, m, n, lower, upper), x, 0, y);
//
// Providers compute these operations (OpenBLAS and BLIS on the host). The library has no kernels of its own
// for these storages: where no provider supports a call, it throws errc::kernel_not_supported with the reason
// of each implementation. The CBLAS has no symmetric matrix of complex numbers (sbmv, spmv, spr, spr2), so
// these calls are refused too. Operands without elements need no provider.
//
// Only stored elements are used; the others are zero (banded) or follow from the triangle. Complexity: one
// multiplication for each stored element. Source: Dongarra et al. 1988 (BLAS level 2); the storages are those
// of LAPACK.
#pragma once

#include <prism/blas.hpp>

namespace prism::blas {

/// rows x columns, zero outside of the main diagonal, `lower` diagonals below and `upper` above it. Element
/// (i, j) is at data[j * pitch + upper + i - j] or, `by_rows`, at data[i * pitch + lower + j - i]. Those
/// places of the array that are no elements are not read or written. Triangular, symmetric and Hermitian
/// matrices have diagonals on the side of their triangle only.
template <typename T, typename Place = T*>
struct banded_view {
  using element_type = T;

  Place data;
  std::size_t rows = 0, columns = 0, lower = 0, upper = 0;
  std::ptrdiff_t pitch = 0;
  bool by_rows = false;

  banded_view(Place first, std::size_t row_count, std::size_t column_count, std::size_t below,
              std::size_t above, std::ptrdiff_t between_lines, bool rows_are_lines)
      : data(std::move(first)), rows(row_count), columns(column_count), lower(below), upper(above),
        pitch(between_lines), by_rows(rows_are_lines) {}
  template <typename U, typename Other,
            std::enable_if_t<prism::detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  banded_view(const banded_view<U, Other>& m)
      : banded_view(m.data, m.rows, m.columns, m.lower, m.upper, m.pitch, m.by_rows) {}

  /// columns x rows. Nothing moves.
  banded_view transposed() const { return {data, columns, rows, upper, lower, pitch, !by_rows}; }
};

/// A triangle of `size` rows and columns without gaps: its columns one after the other or, `by_rows`, its
/// rows. The operation says which triangle it is.
template <typename T, typename Place = T*>
struct packed_view {
  using element_type = T;

  Place data;
  std::size_t size = 0;
  bool by_rows = false;

  packed_view(Place first, std::size_t order, bool rows_are_lines)
      : data(std::move(first)), size(order), by_rows(rows_are_lines) {}
  template <typename U, typename Other,
            std::enable_if_t<prism::detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  packed_view(const packed_view<U, Other>& m) : packed_view(m.data, m.size, m.by_rows) {}

  /// The other triangle becomes the stored one. Nothing moves.
  packed_view transposed() const { return {data, size, !by_rows}; }
};

/// LAPACK's band storage: columns of `pitch` elements, by default lower + upper + 1.
template <typename T>
banded_view<T> banded(T* data, std::size_t rows, std::size_t columns, std::size_t lower, std::size_t upper,
                      std::size_t pitch) {
  return {data,  rows,  columns,
          lower, upper, prism::detail::pitch_of("banded", "columns", lower + upper + 1, pitch),
          false};
}
template <typename T>
banded_view<T> banded(T* data, std::size_t rows, std::size_t columns, std::size_t lower, std::size_t upper) {
  return banded(data, rows, columns, lower, upper, lower + upper + 1);
}
/// The same over a buffer; the array begins at the buffer's element `offset`.
template <typename T>
banded_view<T, buffer_place<T>> banded(const sycl::buffer<T, 1>& buffer, std::size_t rows,
                                       std::size_t columns, std::size_t lower, std::size_t upper,
                                       std::size_t pitch, std::size_t offset = 0) {
  return {buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset)),           rows, columns, lower, upper,
          prism::detail::pitch_of("banded", "columns", lower + upper + 1, pitch), false};
}
template <typename T>
banded_view<T, buffer_place<T>> banded(const sycl::buffer<T, 1>& buffer, std::size_t rows,
                                       std::size_t columns, std::size_t lower, std::size_t upper) {
  return banded(buffer, rows, columns, lower, upper, lower + upper + 1);
}
/// The columns of a triangle, one after the other; `packed(data, n).transposed()` has the rows of one.
template <typename T>
packed_view<T> packed(T* data, std::size_t size) {
  return {data, size, false};
}
template <typename T>
packed_view<T, buffer_place<T>> packed(const sycl::buffer<T, 1>& buffer, std::size_t size,
                                       std::size_t offset = 0) {
  return {buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset)), size, false};
}

template <typename T, typename Place>
conjugated_view<banded_view<T, Place>> conjugated(const banded_view<T, Place>& view) {
  return {view};
}
template <typename T, typename Place>
conjugated_view<packed_view<T, Place>> conjugated(const packed_view<T, Place>& view) {
  return {view};
}

namespace detail {

template <typename T, typename Place>
struct stored_inputs {
  using banded = input<banded_view<const T, typename const_place<Place>::type>>;
  using packed = input<packed_view<const T, typename const_place<Place>::type>>;
};

} // namespace detail

/// Operands that are read.
template <typename T, typename Place>
using banded_in = typename detail::stored_inputs<T, Place>::banded;
template <typename T, typename Place>
using packed_in = typename detail::stored_inputs<T, Place>::packed;

namespace detail {

/// Throws errc::invalid for a null pointer, sizes beyond 2^63 and elements outside of the buffer.
template <typename T, typename Place>
void require_possible(const std::string& what, const banded_view<T, Place>& m) {
  constexpr std::size_t most = std::size_t(1) << 61; // diagonals, whose sum does not overflow then
  const std::size_t lines = m.by_rows ? m.rows : m.columns, width = m.lower + m.upper + 1;
  const bool empty = m.rows == 0 || m.columns == 0;
  prism::detail::reach needed;
  if (m.lower > most || m.upper > most || m.pitch < static_cast<std::ptrdiff_t>(width))
    prism::detail::refuse_view(what + ": " + std::to_string(m.lower) + " and " + std::to_string(m.upper) +
                               " diagonals do not fit a pitch of " + std::to_string(m.pitch));
  if (!empty) needed.add(lines, m.pitch), needed.add(width, 1);
  if (needed.overflows)
    prism::detail::refuse_view(what + ": " + std::to_string(lines) + " lines, " + std::to_string(m.pitch) +
                               " apart, reach beyond 2^63");
  prism::detail::require_place(what, m.data, needed, empty);
}
template <typename T, typename Place>
void require_possible(const std::string& what, const packed_view<T, Place>& m) {
  constexpr std::size_t most = std::size_t(1) << 31; // n (n + 1) / 2 < 2^62
  if (m.size > most)
    prism::detail::refuse_view(what + ": a packed triangle of " + std::to_string(m.size) + " rows");
  prism::detail::reach needed;
  needed.add(m.size * (m.size + 1) / 2, 1);
  prism::detail::require_place(what, m.data, needed, m.size == 0);
}

template <typename T, typename Place>
void add(request& to, const char* name, const banded_view<T, Place>& m, bool conjugated = false) {
  require_possible(name, m);
  prism_provider_operand& o = to.template next<std::remove_const_t<T>>(2, conjugated);
  o.storage = PRISM_STORED_BANDED;
  o.flags |= m.by_rows ? PRISM_TRANSPOSED : 0;
  o.extent[0] = static_cast<std::int64_t>(m.by_rows ? m.columns : m.rows);
  o.extent[1] = static_cast<std::int64_t>(m.by_rows ? m.rows : m.columns);
  o.lower = static_cast<std::int64_t>(m.by_rows ? m.upper : m.lower);
  o.upper = static_cast<std::int64_t>(m.by_rows ? m.lower : m.upper);
  o.stride[0] = 1, o.stride[1] = m.pitch;
  to.put(m.data);
}
template <typename T, typename Place>
void add(request& to, const char* name, const packed_view<T, Place>& m, bool conjugated = false) {
  require_possible(name, m);
  prism_provider_operand& o = to.template next<std::remove_const_t<T>>(2, conjugated);
  o.storage = PRISM_STORED_PACKED;
  o.flags |= m.by_rows ? PRISM_TRANSPOSED : 0;
  o.extent[0] = o.extent[1] = static_cast<std::int64_t>(m.size);
  o.stride[0] = o.stride[1] = 1;
  to.put(m.data);
}
template <typename View>
void add(request& to, const char* name, const input<View>& in) {
  add(to, name, in.view, in.conjugated);
}

/// A provider's `uplo` is that of the matrix as it is stored.
inline std::int32_t stored_triangle(uplo triangle, bool by_rows) {
  return static_cast<std::int32_t>((triangle == uplo::upper) != by_rows ? uplo::upper : uplo::lower);
}

template <typename Scalar, typename Matrix, typename X, typename Y>
sycl::event times_vector(sycl::queue& queue, std::int32_t operation, std::int32_t triangle,
                         const Scalar& alpha, const Matrix& a, const X& x, const Scalar& beta, const Y& y,
                         const events& depends) {
  request r(operation);
  r.what.uplo = triangle;
  r.set(r.alpha, alpha);
  add(r, "a", a);
  r.add("x", x);
  r.set(r.beta, beta);
  r.add("y", y);
  return run(queue, r, depends);
}
template <typename Matrix, typename X>
sycl::event by_triangle(sycl::queue& queue, std::int32_t operation, uplo triangle, diag diagonal,
                        const Matrix& a, const X& x, const events& depends) {
  request r(operation);
  r.what.uplo = stored_triangle(triangle, a.view.by_rows);
  r.what.diag = static_cast<std::int32_t>(diagonal);
  add(r, "a", a);
  r.add("x", x);
  return run(queue, r, depends);
}
/// With one vector, x and y are the same.
template <typename Scalar, typename X, typename Matrix>
sycl::event update(sycl::queue& queue, std::int32_t operation, uplo triangle, const Scalar& alpha, const X& x,
                   const X* y, const Matrix& a, const events& depends) {
  request r(operation);
  r.what.uplo = stored_triangle(triangle, a.by_rows);
  r.set(r.alpha, alpha);
  r.add("x", x);
  if (y) r.add("y", *y);
  add(r, "a", a);
  return run(queue, r, depends);
}

} // namespace detail

// ---- banded matrices

/// y = alpha A x + beta y, with A banded, of m x n, x of n and y of m elements.
template <typename T, typename Place>
sycl::event gbmv(sycl::queue& queue, scalar<T> alpha, const banded_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  return detail::times_vector(queue, PRISM_GEMV, 0, alpha, a, x, beta, y, depends);
}
/// The same with A symmetric, of which `triangle` is stored.
template <typename T, typename Place>
sycl::event sbmv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const banded_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  return detail::times_vector(queue, PRISM_SYMV, detail::stored_triangle(triangle, a.view.by_rows), alpha, a,
                              x, beta, y, depends);
}
/// The same with A Hermitian.
template <typename T, typename Place>
sycl::event hbmv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const banded_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  return detail::times_vector(queue, PRISM_HEMV, detail::stored_triangle(triangle, a.view.by_rows), alpha, a,
                              x, beta, y, depends);
}
/// x = A x, with A triangular.
template <typename T, typename Place>
sycl::event tbmv(sycl::queue& queue, uplo triangle, diag diagonal, const banded_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  return detail::by_triangle(queue, PRISM_TRMV, triangle, diagonal, a, x, depends);
}
/// x = inv(A) x, with A triangular.
template <typename T, typename Place>
sycl::event tbsv(sycl::queue& queue, uplo triangle, diag diagonal, const banded_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  return detail::by_triangle(queue, PRISM_TRSV, triangle, diagonal, a, x, depends);
}

// ---- packed triangles

/// y = alpha A x + beta y, with A symmetric.
template <typename T, typename Place>
sycl::event spmv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const packed_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  return detail::times_vector(queue, PRISM_SYMV, detail::stored_triangle(triangle, a.view.by_rows), alpha, a,
                              x, beta, y, depends);
}
/// The same with A Hermitian.
template <typename T, typename Place>
sycl::event hpmv(sycl::queue& queue, uplo triangle, scalar<T> alpha, const packed_in<T, Place>& a,
                 const vector_in<T, Place>& x, scalar<T> beta, const vector_view<T, Place>& y,
                 const events& depends = {}) {
  return detail::times_vector(queue, PRISM_HEMV, detail::stored_triangle(triangle, a.view.by_rows), alpha, a,
                              x, beta, y, depends);
}
/// A = alpha x x^T + A, with A symmetric.
template <typename T, typename Place>
sycl::event spr(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                const packed_view<T, Place>& a, const events& depends = {}) {
  return detail::update<scalar<T>, vector_in<T, Place>>(queue, PRISM_SYR, triangle, alpha, x, nullptr, a,
                                                        depends);
}
/// A = alpha x x^H + A, with A Hermitian; alpha is real.
template <typename T, typename Place>
sycl::event hpr(sycl::queue& queue, uplo triangle, real<T> alpha, const vector_in<T, Place>& x,
                const packed_view<T, Place>& a, const events& depends = {}) {
  return detail::update<real<T>, vector_in<T, Place>>(queue, PRISM_HER, triangle, alpha, x, nullptr, a,
                                                      depends);
}
/// A = alpha x y^T + alpha y x^T + A, with A symmetric.
template <typename T, typename Place>
sycl::event spr2(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const packed_view<T, Place>& a, const events& depends = {}) {
  return detail::update(queue, PRISM_SYR2, triangle, alpha, x, &y, a, depends);
}
/// A = alpha x y^H + conj(alpha) y x^H + A, with A Hermitian.
template <typename T, typename Place>
sycl::event hpr2(sycl::queue& queue, uplo triangle, scalar<T> alpha, const vector_in<T, Place>& x,
                 const vector_in<T, Place>& y, const packed_view<T, Place>& a, const events& depends = {}) {
  return detail::update(queue, PRISM_HER2, triangle, alpha, x, &y, a, depends);
}
/// x = A x, with A triangular.
template <typename T, typename Place>
sycl::event tpmv(sycl::queue& queue, uplo triangle, diag diagonal, const packed_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  return detail::by_triangle(queue, PRISM_TRMV, triangle, diagonal, a, x, depends);
}
/// x = inv(A) x, with A triangular.
template <typename T, typename Place>
sycl::event tpsv(sycl::queue& queue, uplo triangle, diag diagonal, const packed_in<T, Place>& a,
                 const vector_view<T, Place>& x, const events& depends = {}) {
  return detail::by_triangle(queue, PRISM_TRSV, triangle, diagonal, a, x, depends);
}

} // namespace prism::blas
