// Strided views: the operands of PRISM's operations. A view is plain data: the location of its first element,
// its extents, and for each dimension a stride, which is the distance in elements between neighbours.
// Row-major, column-major, transposed, sub-matrix and batched operands therefore have one form. A stride may
// be negative (the elements are visited backwards; the view still begins at its first element). In operands
// that are only read it may be zero (one element, repeated).
//
// A view refers to memory and owns none. `vector_view<T>` is over a USM pointer, `buffer_vector_view<T>` over
// a sycl::buffer with an offset. (The latter keeps a reference to the buffer, as every copy of a buffer
// does.) Views are values: they may be copied freely, by any thread. A view of T converts to a view of const
// T.
//
// Members that make views are constexpr and check their arguments: errc::invalid, with the numbers that
// disagree. The operation that takes the view checks extents and strides that were given as numbers, such as
// `matrix_view<float>(pointer, 4, 4, 1, 4)`. Source of the idea: BLIS's row and column strides (Van Zee & van
// de Geijn 2015); std::mdspan with std::layout_stride.
#pragma once

#include <sycl/buffer.hpp>
#include <sycl/exception.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace prism {

/// Elements of a buffer from `offset` on. Sub-buffers are allowed; the offset then counts from the
/// sub-buffer's begin.
template <typename T>
struct buffer_place {
  using buffer_type = sycl::buffer<std::remove_const_t<T>, 1>;
  buffer_type buffer;
  std::ptrdiff_t offset = 0;

  buffer_place(const buffer_type& elements, std::ptrdiff_t first = 0) : buffer(elements), offset(first) {}
  template <typename U = T, std::enable_if_t<std::is_const_v<U>, int> = 0>
  buffer_place(const buffer_place<std::remove_const_t<T>>& other)
      : buffer(other.buffer), offset(other.offset) {}
  friend buffer_place operator+(const buffer_place& place, std::ptrdiff_t elements) {
    return {place.buffer, place.offset + elements};
  }
};

namespace detail {

[[noreturn]] inline void refuse_view(const std::string& what) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what);
}

inline std::string extents_text(std::size_t rows, std::size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

constexpr void require_inside(const char* what, const char* of, std::size_t first, std::size_t count,
                              std::size_t extent) {
  if (first > extent || count > extent - first)
    refuse_view(std::string(what) + ": " + std::to_string(count) + " " + of + " from " +
                std::to_string(first) + " on are not inside of " + std::to_string(extent));
}

/// The range of a view's elements on both sides of its first: `lowest` <= 0 <= `highest`, in elements.
struct reach {
  std::ptrdiff_t lowest = 0, highest = 0;
  bool overflows = false;
  constexpr void add(std::size_t extent, std::ptrdiff_t stride) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    if (extent < 2 || stride == 0 || overflows) return;
    const std::size_t step =
        stride < 0 ? std::size_t(0) - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
    const auto used = static_cast<std::size_t>(highest - lowest);
    if (extent - 1 > (most - used) / step) overflows = true;
    else if (stride < 0) lowest -= static_cast<std::ptrdiff_t>((extent - 1) * step);
    else highest += static_cast<std::ptrdiff_t>((extent - 1) * step);
  }
};

template <typename T>
void require_place(const std::string& what, T* data, const reach&, bool empty) {
  if (!data && !empty) refuse_view(what + " has elements and a null pointer");
}
template <typename T>
void require_place(const std::string& what, const buffer_place<T>& place, const reach& needed, bool empty) {
  const auto elements = static_cast<std::ptrdiff_t>(place.buffer.size());
  if (empty) return;
  // Neither side can overflow: a buffer is smaller than memory, and `needed` fits into a ptrdiff_t.
  if (place.offset < 0 || place.offset >= elements || needed.lowest < -place.offset ||
      needed.highest >= elements - place.offset)
    refuse_view(what + " begins at element " + std::to_string(place.offset) + " and reaches from " +
                std::to_string(needed.lowest) + " to " + std::to_string(needed.highest) +
                " elements from there; its buffer has " + std::to_string(elements));
}

template <typename To, typename From>
inline constexpr bool adds_const = std::is_const_v<To> && std::is_same_v<std::remove_const_t<To>, From>;

} // namespace detail

/// `size` elements at distance `stride`.
template <typename T, typename Place = T*>
struct vector_view {
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  Place data;
  std::size_t size = 0;
  std::ptrdiff_t stride = 1;

  constexpr vector_view(Place first, std::size_t elements, std::ptrdiff_t distance = 1)
      : data(std::move(first)), size(elements), stride(distance) {}
  template <typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  constexpr vector_view(const vector_view<U, Other>& v) : vector_view(v.data, v.size, v.stride) {}

  constexpr bool empty() const noexcept { return size == 0; }
  /// `count` elements: `first`, `first + step`, ... `step` may be negative, but not 0.
  constexpr vector_view subvector(std::size_t first, std::size_t count, std::ptrdiff_t step = 1) const {
    if (step == 0) detail::refuse_view("subvector: a step of 0");
    detail::require_inside("subvector", "elements", first, count ? 1 : 0, size);
    const std::size_t room = count < 2 ? 0 : step > 0 ? size - 1 - first : first;
    const std::size_t distance =
        step > 0 ? static_cast<std::size_t>(step) : std::size_t(0) - static_cast<std::size_t>(step);
    if (count > 1 && count - 1 > room / distance)
      detail::refuse_view("subvector: " + std::to_string(count) + " elements from " + std::to_string(first) +
                          " on, " + std::to_string(step) + " apart, are not inside of " +
                          std::to_string(size));
    return {data + static_cast<std::ptrdiff_t>(first) * stride, count, stride * step};
  }
  /// The same elements in reverse order.
  constexpr vector_view reversed() const {
    return size ? vector_view{data + static_cast<std::ptrdiff_t>(size - 1) * stride, size, -stride} : *this;
  }
  /// Whether no two indices of the view refer to one element.
  constexpr bool is_distinct() const noexcept { return size < 2 || stride != 0; }
};

/// `rows` x `columns` elements; element (i, j) is i * row_stride + j * column_stride after the first.
template <typename T, typename Place = T*>
struct matrix_view {
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  Place data;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row_stride = 0, column_stride = 1;

  constexpr matrix_view(Place first, std::size_t row_count, std::size_t column_count,
                        std::ptrdiff_t between_rows, std::ptrdiff_t between_columns)
      : data(std::move(first)), rows(row_count), columns(column_count), row_stride(between_rows),
        column_stride(between_columns) {}
  template <typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  constexpr matrix_view(const matrix_view<U, Other>& m)
      : matrix_view(m.data, m.rows, m.columns, m.row_stride, m.column_stride) {}

  constexpr bool empty() const noexcept { return rows == 0 || columns == 0; }
  /// columns x rows: element (i, j) is (j, i) of this one. Nothing moves.
  constexpr matrix_view transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  constexpr matrix_view submatrix(std::size_t row, std::size_t column, std::size_t row_count,
                                  std::size_t column_count) const {
    detail::require_inside("submatrix", "rows", row, row_count, rows);
    detail::require_inside("submatrix", "columns", column, column_count, columns);
    return {at(row_count && column_count ? row : 0, row_count && column_count ? column : 0), row_count,
            column_count, row_stride, column_stride};
  }
  constexpr vector_view<T, Place> row(std::size_t i) const {
    detail::require_inside("row", "rows", i, 1, rows);
    return {at(columns ? i : 0, 0), columns, column_stride};
  }
  constexpr vector_view<T, Place> column(std::size_t j) const {
    detail::require_inside("column", "columns", j, 1, columns);
    return {at(0, rows ? j : 0), rows, row_stride};
  }
  /// Elements (i, i + offset); a negative offset is below the main diagonal.
  constexpr vector_view<T, Place> diagonal(std::ptrdiff_t offset = 0) const {
    const std::size_t down = offset < 0 ? std::size_t(0) - static_cast<std::size_t>(offset) : 0,
                      right = offset > 0 ? static_cast<std::size_t>(offset) : 0;
    if (down > rows || right > columns)
      detail::refuse_view("diagonal: offset " + std::to_string(offset) + " is not inside of " +
                          detail::extents_text(rows, columns));
    const std::size_t count = rows - down < columns - right ? rows - down : columns - right;
    return {at(count ? down : 0, count ? right : 0), count, row_stride + column_stride};
  }
  /// Whether adjacent elements of a row (of a column) are adjacent in memory.
  constexpr bool is_row_major() const noexcept {
    return column_stride == 1 && row_stride >= static_cast<std::ptrdiff_t>(columns);
  }
  constexpr bool is_column_major() const noexcept {
    return row_stride == 1 && column_stride >= static_cast<std::ptrdiff_t>(rows);
  }
  /// Whether no two indices of the view refer to one element. False also for strides for which only a search
  /// could decide, such as 2 and 3 in a larger matrix.
  constexpr bool is_distinct() const noexcept {
    const auto distance = [](std::ptrdiff_t s) {
      return s < 0 ? std::size_t(0) - static_cast<std::size_t>(s) : static_cast<std::size_t>(s);
    };
    const std::size_t down = distance(row_stride), across = distance(column_stride);
    if (rows < 2) return columns < 2 || across != 0;
    if (columns < 2) return down != 0;
    return down < across ? down != 0 && (rows - 1) <= (across - 1) / down
                         : across != 0 && down != 0 && (columns - 1) <= (down - 1) / across;
  }

private:
  constexpr Place at(std::size_t i, std::size_t j) const {
    return data +
           (static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride);
  }
};

/// `count` matrices of one shape at distance `batch_stride`, in elements. A stride of 0 means one matrix for
/// all, which must only be read.
template <typename T, typename Place = T*>
struct batch_view {
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  Place data;
  std::size_t count = 0, rows = 0, columns = 0;
  std::ptrdiff_t batch_stride = 0, row_stride = 0, column_stride = 1;

  constexpr batch_view(Place first, std::size_t matrices, std::size_t row_count, std::size_t column_count,
                       std::ptrdiff_t between_matrices, std::ptrdiff_t between_rows,
                       std::ptrdiff_t between_columns)
      : data(std::move(first)), count(matrices), rows(row_count), columns(column_count),
        batch_stride(between_matrices), row_stride(between_rows), column_stride(between_columns) {}
  /// `matrices` matrices of the shape of `first`, at distance `between_matrices`, in elements.
  constexpr batch_view(const matrix_view<T, Place>& first, std::size_t matrices,
                       std::ptrdiff_t between_matrices)
      : batch_view(first.data, matrices, first.rows, first.columns, between_matrices, first.row_stride,
                   first.column_stride) {}
  template <typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  constexpr batch_view(const batch_view<U, Other>& b)
      : batch_view(b.data, b.count, b.rows, b.columns, b.batch_stride, b.row_stride, b.column_stride) {}

  constexpr bool empty() const noexcept { return count == 0 || rows == 0 || columns == 0; }
  constexpr matrix_view<T, Place> operator[](std::size_t i) const {
    detail::require_inside("batch_view", "matrices", i, 1, count);
    return {data + (empty() ? 0 : static_cast<std::ptrdiff_t>(i) * batch_stride), rows, columns, row_stride,
            column_stride};
  }
  /// Matrices `first` to `first + matrices - 1`.
  constexpr batch_view subbatch(std::size_t first, std::size_t matrices) const {
    detail::require_inside("subbatch", "matrices", first, matrices, count);
    return {data + (matrices ? static_cast<std::ptrdiff_t>(first) * batch_stride : 0),
            matrices,
            rows,
            columns,
            batch_stride,
            row_stride,
            column_stride};
  }
  constexpr batch_view transposed() const {
    return {data, count, columns, rows, batch_stride, column_stride, row_stride};
  }
  /// The same submatrix of each matrix.
  constexpr batch_view submatrix(std::size_t row, std::size_t column, std::size_t row_count,
                                 std::size_t column_count) const {
    return {matrix_view<T, Place>(data, rows, columns, row_stride, column_stride)
                .submatrix(row, column, row_count, column_count),
            count, batch_stride};
  }
};

template <typename T>
using buffer_vector_view = vector_view<T, buffer_place<T>>;
template <typename T>
using buffer_matrix_view = matrix_view<T, buffer_place<T>>;
template <typename T>
using buffer_batch_view = batch_view<T, buffer_place<T>>;

template <typename T>
vector_view(T*, std::size_t, std::ptrdiff_t) -> vector_view<T>;
template <typename T>
vector_view(T*, std::size_t) -> vector_view<T>;
template <typename T>
matrix_view(T*, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t) -> matrix_view<T>;
template <typename T>
batch_view(T*, std::size_t, std::size_t, std::size_t, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t)
    -> batch_view<T>;

namespace detail {

constexpr std::ptrdiff_t pitch_of(const char* what, const char* line, std::size_t length, std::size_t pitch) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (pitch < length || pitch > most)
    refuse_view(std::string(what) + ": " + line + " of " + std::to_string(length) +
                " elements do not fit a pitch of " + std::to_string(pitch));
  return static_cast<std::ptrdiff_t>(pitch);
}

} // namespace detail

/// A matrix whose rows are in memory one after the other, at distance `pitch` in elements (at least
/// `columns`, which is also the default).
template <typename T>
constexpr matrix_view<T> row_major(T* data, std::size_t rows, std::size_t columns, std::size_t pitch) {
  return {data, rows, columns, detail::pitch_of("row_major", "rows", columns, pitch), 1};
}
template <typename T>
constexpr matrix_view<T> row_major(T* data, std::size_t rows, std::size_t columns) {
  return row_major(data, rows, columns, columns);
}
/// A matrix whose columns are in memory one after the other, at distance `pitch` in elements (BLAS's leading
/// dimension; at least `rows`).
template <typename T>
constexpr matrix_view<T> column_major(T* data, std::size_t rows, std::size_t columns, std::size_t pitch) {
  return {data, rows, columns, 1, detail::pitch_of("column_major", "columns", rows, pitch)};
}
template <typename T>
constexpr matrix_view<T> column_major(T* data, std::size_t rows, std::size_t columns) {
  return column_major(data, rows, columns, rows);
}

/// The same over a buffer; its first element is the buffer's at `offset`.
template <typename T>
buffer_matrix_view<T> row_major(const sycl::buffer<T, 1>& buffer, std::size_t rows, std::size_t columns,
                                std::size_t pitch, std::size_t offset = 0) {
  return {buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset)), rows, columns,
          detail::pitch_of("row_major", "rows", columns, pitch), 1};
}
template <typename T>
buffer_matrix_view<T> row_major(const sycl::buffer<T, 1>& buffer, std::size_t rows, std::size_t columns) {
  return row_major(buffer, rows, columns, columns);
}
template <typename T>
buffer_matrix_view<T> column_major(const sycl::buffer<T, 1>& buffer, std::size_t rows, std::size_t columns,
                                   std::size_t pitch, std::size_t offset = 0) {
  return {buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset)), rows, columns, 1,
          detail::pitch_of("column_major", "columns", rows, pitch)};
}
template <typename T>
buffer_matrix_view<T> column_major(const sycl::buffer<T, 1>& buffer, std::size_t rows, std::size_t columns) {
  return column_major(buffer, rows, columns, rows);
}
/// All of a buffer. Elements adjacent in its last dimension are adjacent in memory.
template <typename T>
buffer_vector_view<T> view_of(const sycl::buffer<T, 1>& buffer) {
  return {buffer_place<T>(buffer), buffer.size()};
}
template <typename T>
buffer_matrix_view<T> view_of(const sycl::buffer<T, 2>& buffer) {
  const sycl::range<2> extent = buffer.get_range();
  return row_major(buffer.template reinterpret<T, 1>(sycl::range<1>(extent.size())), extent[0], extent[1]);
}
template <typename T>
buffer_batch_view<T> view_of(const sycl::buffer<T, 3>& buffer) {
  const sycl::range<3> extent = buffer.get_range();
  const auto matrix =
      row_major(buffer.template reinterpret<T, 1>(sycl::range<1>(extent.size())), extent[1], extent[2]);
  return {matrix, extent[0], static_cast<std::ptrdiff_t>(extent[1] * extent[2])};
}

/// A view of a std::mdspan of rank 1, 2 or 3 with strides (layout_right, layout_left or layout_stride), or of
/// any class with mdspan's members `data_handle`, `rank`, `extent` and `stride`, such as the reference
/// implementation for older compilers. The device must be able to use the pointer (USM).
template <typename Mdspan, typename Handle = typename Mdspan::data_handle_type>
constexpr auto view_of(const Mdspan& span) {
  static_assert(std::is_pointer_v<Handle>, "prism::view_of needs an mdspan whose accessor returns pointers");
  static_assert(Mdspan::rank() >= 1 && Mdspan::rank() <= 3,
                "prism::view_of needs an mdspan of rank 1 (vector), 2 (matrix) or 3 (batch of matrices)");
  using T = std::remove_pointer_t<Handle>;
  const auto extent = [&](std::size_t d) { return static_cast<std::size_t>(span.extent(d)); };
  const auto stride = [&](std::size_t d) { return static_cast<std::ptrdiff_t>(span.stride(d)); };
  if constexpr (Mdspan::rank() == 1) return vector_view<T>{span.data_handle(), extent(0), stride(0)};
  else if constexpr (Mdspan::rank() == 2)
    return matrix_view<T>{span.data_handle(), extent(0), extent(1), stride(0), stride(1)};
  else
    return batch_view<T>{span.data_handle(), extent(0), extent(1), extent(2),
                         stride(0),          stride(1), stride(2)};
}

/// For operations: throws errc::invalid if `view`, called `what` in the message, is invalid: a null pointer
/// with elements, a range beyond 2^63 elements, or elements outside of its buffer.
template <typename T, typename Place>
void require_possible(const std::string& what, const vector_view<T, Place>& view) {
  detail::reach needed;
  if (!view.empty()) needed.add(view.size, view.stride);
  if (needed.overflows)
    detail::refuse_view(what + ": " + std::to_string(view.size) + " elements, " +
                        std::to_string(view.stride) + " apart, reach beyond 2^63");
  detail::require_place(what, view.data, needed, view.empty());
}
template <typename T, typename Place>
void require_possible(const std::string& what, const batch_view<T, Place>& view) {
  detail::reach needed;
  if (!view.empty())
    needed.add(view.count, view.batch_stride), needed.add(view.rows, view.row_stride),
        needed.add(view.columns, view.column_stride);
  if (needed.overflows)
    detail::refuse_view(what + ": " + std::to_string(view.count) + " x " +
                        detail::extents_text(view.rows, view.columns) + " elements, " +
                        std::to_string(view.batch_stride) + ", " + std::to_string(view.row_stride) + " and " +
                        std::to_string(view.column_stride) + " apart, reach beyond 2^63");
  detail::require_place(what, view.data, needed, view.empty());
}
template <typename T, typename Place>
void require_possible(const std::string& what, const matrix_view<T, Place>& view) {
  require_possible(what, batch_view<T, Place>(view, 1, 0));
}

} // namespace prism
