// Operands of the library's kernels: their memory, their shape, and the blocks of them that a blocked
// algorithm uses. Strides, offsets and sizes count elements; kernels count components (element.hpp).
#pragma once

#include "kernels/blas/source.hpp"

#include <prism/blas/request.hpp>

namespace prism::blas {

/// A USM pointer or a buffer of reals, and the offset of the first element.
template <typename Real>
struct place {
  Real* pointer = nullptr;
  std::optional<sycl::buffer<Real, 1>> buffer;
  std::ptrdiff_t offset = 0;

  place() = default;
  explicit place(const detail::memory& from, int parts = parts_of<Real>)
      : pointer(static_cast<Real*>(from.pointer)), offset(static_cast<std::ptrdiff_t>(from.offset) * parts) {
    if (!from.buffer) return;
    sycl::buffer<std::uint8_t, 1> bytes = *from.buffer;
    buffer = bytes.reinterpret<Real, 1>(sycl::range<1>(bytes.byte_size() / sizeof(Real)));
  }
  explicit place(const sycl::buffer<Real, 1>& from) : buffer(from) {}

  /// The pointer that a kernel captures, and to which it adds `offset`. For a buffer, the group receives an
  /// accessor and the kernel its token, which submission replaces by the address (accessor.hpp guarantees
  /// that). One kernel therefore works with both kinds of memory.
  Real* read_write(sycl::handler& h) const { return in<sycl::access_mode::read_write>(h); }
  const Real* read_only(sycl::handler& h) const { return in<sycl::access_mode::read>(h); }
  place moved(std::ptrdiff_t reals) const {
    place out = *this;
    out.offset += reals;
    return out;
  }

private:
  template <sycl::access_mode Mode>
  Real* in(sycl::handler& h) const {
    if (!buffer) return pointer;
    sycl::buffer<Real, 1> of = *buffer;
    const sycl::accessor<Real, 1, Mode> all(of, h);
    return reinterpret_cast<Real*>(all.prism_token());
  }
};

/// A kernel's operand of elements T as a request has it.
template <typename T>
detail::memory memory_of(const place<real_of<T>>& where) {
  detail::memory out;
  if (where.buffer) out = detail::memory_at(buffer_place<real_of<T>>(*where.buffer));
  else out.pointer = where.pointer;
  out.element_bytes = sizeof(T), out.offset = static_cast<std::uint64_t>(where.offset / parts_of<T>);
  return out;
}

/// A vector as kernels see it. The stride counts components.
template <typename Real>
struct elements {
  Real* data;
  std::ptrdiff_t offset, stride;
  std::size_t size;
  Real* at(std::size_t i) const { return data + (offset + static_cast<std::ptrdiff_t>(i) * stride); }
};

template <typename T>
struct vector {
  using real = real_of<T>;
  place<real> where;
  std::size_t size = 0;
  std::ptrdiff_t stride = 1; // in components
  bool conjugate = false;

  vector() = default;
  vector(place<real> first, std::size_t count, std::ptrdiff_t distance, bool conjugated = false)
      : where(std::move(first)), size(count), stride(distance), conjugate(conjugated) {}
  vector(const detail::request& from, int operand)
      : where(from.operands[operand], parts_of<T>),
        size(static_cast<std::size_t>(from.what.operand[operand].extent[0])),
        stride(from.what.operand[operand].stride[0] * parts_of<T>),
        conjugate((from.what.operand[operand].flags & PRISM_CONJUGATED) != 0) {}

  elements<const real> read(sycl::handler& h) const {
    return {where.read_only(h), where.offset, stride, size};
  }
  elements<real> write(sycl::handler& h) const { return {where.read_write(h), where.offset, stride, size}; }
  vector part(std::size_t first, std::size_t count) const {
    return {where.moved(static_cast<std::ptrdiff_t>(first) * stride), count, stride, conjugate};
  }
  bool is_contiguous() const { return stride == parts_of<T> || size < 2; }
};

template <typename T>
struct matrix {
  using real = real_of<T>;
  place<real> where;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 0; // in components
  form kind = form::general;
  bool lower = false, unit = false, conjugate = false;
  std::ptrdiff_t between = 0; // for a batch: components from one matrix to the next

  matrix() = default;
  matrix(place<real> first, std::size_t row_count, std::size_t column_count, std::ptrdiff_t between_rows,
         std::ptrdiff_t between_columns)
      : where(std::move(first)), rows(row_count), columns(column_count), row_stride(between_rows),
        column_stride(between_columns) {}
  matrix(const detail::request& from, int operand, form what = form::general)
      : where(from.operands[operand], parts_of<T>), kind(what), lower(from.what.uplo == PRISM_UPLO_LOWER),
        unit(from.what.diag == PRISM_DIAG_UNIT) {
    const prism_provider_operand& o = from.what.operand[operand];
    rows = static_cast<std::size_t>(o.extent[0]), columns = static_cast<std::size_t>(o.extent[1]);
    row_stride = o.stride[0] * parts_of<T>, column_stride = o.stride[1] * parts_of<T>;
    if (o.rank == 3) between = o.stride[2] * parts_of<T>;
    conjugate = (o.flags & PRISM_CONJUGATED) != 0;
  }
  /// A vector as a matrix of one column.
  explicit matrix(const vector<T>& v)
      : where(v.where), rows(v.size), columns(1), row_stride(v.stride), column_stride(parts_of<T>),
        conjugate(v.conjugate) {}

  source<const real> read(sycl::handler& h) const {
    return {where.read_only(h), row_stride, column_stride, kind, lower, unit, conjugate, where.offset};
  }
  matrix transposed() const {
    matrix out = *this;
    std::swap(out.rows, out.columns), std::swap(out.row_stride, out.column_stride);
    out.lower = !lower;
    return out;
  }
  matrix conjugated() const {
    matrix out = *this;
    out.conjugate = !conjugate;
    return out;
  }
  /// A block of a general matrix. Of a triangular matrix: one inside of the triangle or on the diagonal.
  matrix block(std::size_t row, std::size_t column, std::size_t row_count, std::size_t column_count) const {
    matrix out = *this;
    out.where = where.moved(static_cast<std::ptrdiff_t>(row) * row_stride +
                            static_cast<std::ptrdiff_t>(column) * column_stride);
    out.rows = row_count, out.columns = column_count;
    if (row != column) out.kind = form::general;
    return out;
  }
  vector<T> column() const { return {where, rows, row_stride, conjugate}; }
  vector<T> row() const { return {where, columns, column_stride, conjugate}; }
  std::size_t size() const { return rows * columns; }
  /// One matrix of a batch.
  matrix number(std::size_t i) const {
    matrix out = *this;
    out.where = where.moved(static_cast<std::ptrdiff_t>(i) * between), out.between = 0;
    return out;
  }
};

} // namespace prism::blas
