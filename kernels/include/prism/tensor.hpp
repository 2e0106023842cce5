// Strided views of up to twelve dimensions, for <prism/einsum.hpp> and <prism/nn.hpp>. A tensor_view is plain
// data like the views of <prism/views.hpp>, which convert to it: a location, and an extent and a stride for
// each dimension, in elements. It owns no memory.
//
//   prism::tensor(pointer_or_buffer, {batch, channels, height, width})    // the last dimension contiguous
//   prism::tensor(p, {n, h, w, c}).permuted({0, 3, 1, 2})                 // memory in the order n, h, w, c
#pragma once

#include <prism/views.hpp>

#include <array>
#include <initializer_list>

namespace prism {

template <typename T, typename Place = T*>
struct tensor_view {
  using element_type = T;
  using value_type = std::remove_const_t<T>;
  static constexpr std::size_t most_rank = 12;

  Place data;
  std::size_t rank = 0;
  std::array<std::size_t, most_rank> extent{};
  std::array<std::ptrdiff_t, most_rank> stride{};

  /// One element.
  explicit tensor_view(Place first) : data(std::move(first)) {}
  tensor_view(const vector_view<T, Place>& v) : data(v.data), rank(1), extent{v.size}, stride{v.stride} {}
  tensor_view(const matrix_view<T, Place>& m)
      : data(m.data), rank(2), extent{m.rows, m.columns}, stride{m.row_stride, m.column_stride} {}
  tensor_view(const batch_view<T, Place>& b)
      : data(b.data), rank(3), extent{b.count, b.rows, b.columns},
        stride{b.batch_stride, b.row_stride, b.column_stride} {}
  template <typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place>, int> = 0>
  tensor_view(const tensor_view<U, Other>& t)
      : data(t.data), rank(t.rank), extent(t.extent), stride(t.stride) {}

  /// From a vector, matrix or batch of elements that this tensor only reads.
  template <template <typename, typename> class View, typename U, typename Other,
            std::enable_if_t<detail::adds_const<T, U> && std::is_convertible_v<Other, Place> &&
                                 std::is_convertible_v<View<U, Other>, tensor_view<U, Other>> &&
                                 !std::is_same_v<View<U, Other>, tensor_view<U, Other>>,
                             int> = 0>
  tensor_view(const View<U, Other>& v) : tensor_view(tensor_view<U, Other>(v)) {}

  bool empty() const noexcept {
    for (std::size_t d = 0; d < rank; ++d)
      if (extent[d] == 0) return true;
    return false;
  }
  /// Dimension d of the result is dimension order[d] of this one. Nothing moves.
  tensor_view permuted(std::initializer_list<std::size_t> order) const {
    tensor_view out = *this;
    std::array<bool, most_rank> used{};
    if (order.size() != rank)
      detail::refuse_view("permuted: " + std::to_string(order.size()) + " dimensions of " +
                          std::to_string(rank));
    std::size_t d = 0;
    for (const std::size_t from : order) {
      if (from >= rank || used[from])
        detail::refuse_view("permuted: dimension " + std::to_string(from) +
                            (from < rank ? " is there twice" : " does not exist"));
      used[from] = true, out.extent[d] = extent[from], out.stride[d] = stride[from], ++d;
    }
    return out;
  }
};

namespace detail {

template <typename Tensor>
Tensor in_rows(Tensor out, std::initializer_list<std::size_t> extents) {
  if (extents.size() > Tensor::most_rank)
    refuse_view("a tensor has at most " + std::to_string(Tensor::most_rank) + " dimensions, not " +
                std::to_string(extents.size()));
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  out.rank = extents.size();
  std::size_t d = out.rank, apart = 1;
  for (const auto* extent = extents.end(); extent != extents.begin();) {
    --extent, --d;
    out.extent[d] = *extent, out.stride[d] = static_cast<std::ptrdiff_t>(apart);
    if (*extent != 0 && apart > most / *extent) refuse_view("a tensor reaches beyond 2^63 elements");
    apart *= *extent == 0 ? 1 : *extent;
  }
  return out;
}

} // namespace detail

/// Contiguous elements, the last dimension's neighbours being neighbours in memory.
template <typename T>
tensor_view<T> tensor(T* data, std::initializer_list<std::size_t> extents) {
  return detail::in_rows(tensor_view<T>(data), extents);
}
template <typename T>
tensor_view<T, buffer_place<T>> tensor(const sycl::buffer<T, 1>& buffer,
                                       std::initializer_list<std::size_t> extents, std::size_t offset = 0) {
  return detail::in_rows(
      tensor_view<T, buffer_place<T>>(buffer_place<T>(buffer, static_cast<std::ptrdiff_t>(offset))), extents);
}

/// Throws errc::invalid if `view`, called `what` in the message, is invalid, as for other views.
template <typename T, typename Place>
void require_possible(const std::string& what, const tensor_view<T, Place>& view) {
  detail::reach needed;
  if (view.rank > view.most_rank)
    detail::refuse_view(what + " has " + std::to_string(view.rank) + " dimensions");
  if (!view.empty())
    for (std::size_t d = 0; d < view.rank; ++d) needed.add(view.extent[d], view.stride[d]);
  if (needed.overflows) detail::refuse_view(what + " reaches beyond 2^63 elements");
  detail::require_place(what, view.data, needed, view.empty());
}

} // namespace prism
