// The operands of transforms and convolutions: points in one to three dimensions, with a stride each, and a
// batch of such grids. Made of the views of <prism/views.hpp>, or of a pointer or buffer and extents.
#pragma once

#include <prism/views.hpp>

#include <array>
#include <initializer_list>

namespace prism::fft {

/// `rank` dimensions; point (i, j, k) of grid b is at i stride[0] + j stride[1] + k stride[2] + b between
/// behind the first element. All are counted in elements.
template <typename T, typename Place = T*>
struct grid_view {
  using element_type = T;
  using value_type = std::remove_const_t<T>;

  Place data;
  int rank = 1;
  std::array<std::size_t, 3> extent{1, 1, 1};
  std::array<std::ptrdiff_t, 3> stride{};
  std::size_t count = 1;
  std::ptrdiff_t between = 0;

  explicit grid_view(Place first) : data(std::move(first)) {}
  /// One dimension.
  grid_view(const vector_view<T, Place>& v) : data(v.data), extent{v.size, 1, 1}, stride{v.stride, 0, 0} {}
  /// Two dimensions: rows and columns. (`lines` makes a batch of rows.)
  grid_view(const matrix_view<T, Place>& m)
      : data(m.data), rank(2), extent{m.rows, m.columns, 1}, stride{m.row_stride, m.column_stride, 0} {}
  /// A batch of matrices: transforms of two dimensions.
  grid_view(const batch_view<T, Place>& b)
      : data(b.data), rank(2), extent{b.rows, b.columns, 1}, stride{b.row_stride, b.column_stride, 0},
        count(b.count), between(b.batch_stride) {}
  template <typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  grid_view(const grid_view<U, Other>& g)
      : data(g.data), rank(g.rank), extent(g.extent), stride(g.stride), count(g.count), between(g.between) {}

  bool empty() const noexcept {
    return count == 0 || extent[0] == 0 || (rank > 1 && extent[1] == 0) || (rank > 2 && extent[2] == 0);
  }
  /// `number` such grids, `distance` elements apart.
  grid_view batched(std::size_t number, std::ptrdiff_t distance) const {
    grid_view out = *this;
    out.count = number, out.between = distance;
    return out;
  }
};

namespace detail {

template <typename Grid>
Grid in_rows(Grid out, std::initializer_list<std::size_t> extents) {
  if (extents.size() < 1 || extents.size() > 3)
    prism::detail::refuse_view("a grid has 1 to 3 dimensions, not " + std::to_string(extents.size()));
  out.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), out.extent.begin());
  std::size_t apart = 1;
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  for (int d = out.rank; d-- > 0;) {
    out.stride[static_cast<std::size_t>(d)] = static_cast<std::ptrdiff_t>(apart);
    const std::size_t n = out.extent[static_cast<std::size_t>(d)];
    if (n != 0 && apart > most / n) prism::detail::refuse_view("a grid reaches beyond 2^63 elements");
    apart *= n;
  }
  return out;
}

} // namespace detail

/// Contiguous points, the last dimension's neighbours being neighbours in memory.
template <typename T>
grid_view<T> grid(T* data, std::initializer_list<std::size_t> extents) {
  return detail::in_rows(grid_view<T>(data), extents);
}
template <typename T>
grid_view<T, buffer_place<T>> grid(const sycl::buffer<T, 1>& buffer,
                                   std::initializer_list<std::size_t> extents, std::size_t offset = 0) {
  return detail::in_rows(
      grid_view<T, buffer_place<T>>(buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset))), extents);
}
/// Each row of a matrix as a grid of one dimension. `lines(m.transposed())`: each column.
template <typename T, typename Place>
grid_view<T, Place> lines(const matrix_view<T, Place>& m) {
  grid_view<T, Place> out(m.data);
  out.extent = {m.columns, 1, 1}, out.stride = {m.column_stride, 0, 0};
  out.count = m.rows, out.between = m.row_stride;
  return out;
}

} // namespace prism::fft
