// Operands inside of kernels. A view is bound to a command group (for a buffer an accessor is made), captured
// by the kernel, and opened in it. It is then a pointer and a stride, for every kind of memory.
#pragma once

#include <prism/primitives/execution.hpp>
#include <prism/primitives/hints.hpp>

#include <type_traits>

namespace prism::primitives::detail {

/// Elements at a fixed distance.
template <typename T>
struct strided {
  T* data;
  std::ptrdiff_t stride;
  T& operator[](std::size_t i) const { return data[static_cast<std::ptrdiff_t>(i) * stride]; }
  strided behind(std::size_t i) const { return {data + static_cast<std::ptrdiff_t>(i) * stride, stride}; }
};

template <typename T>
struct bound_pointer {
  T* data;
  std::ptrdiff_t stride;
  strided<T> open() const { return {data, stride}; }
};

template <typename T>
struct bound_buffer {
  static constexpr auto mode = std::is_const_v<T> ? sycl::access_mode::read : sycl::access_mode::read_write;
  sycl::accessor<std::remove_const_t<T>, 1, mode> elements;
  std::ptrdiff_t offset, stride;
  strided<T> open() const {
    return {elements.template get_multi_ptr<sycl::access::decorated::no>().get() + offset, stride};
  }
};

template <typename T>
struct bound_temporary {
  sycl::accessor<std::uint64_t, 1, sycl::access_mode::read_write> words;
  T* open() const {
    return reinterpret_cast<T*>(words.template get_multi_ptr<sycl::access::decorated::no>().get());
  }
};

template <typename T>
bound_pointer<T> bind(sycl::handler&, const vector_view<T, T*>& view) {
  return {view.data, view.stride};
}
template <typename T>
bound_buffer<T> bind(sycl::handler& h, const vector_view<T, buffer_place<T>>& view) {
  buffer_place<T> place = view.data;
  if constexpr (std::is_const_v<T>)
    return {sycl::accessor(place.buffer, h, sycl::read_only), place.offset, view.stride};
  else return {sycl::accessor(place.buffer, h, sycl::read_write), place.offset, view.stride};
}
template <typename T>
bound_temporary<T> bind(sycl::handler& h, const temporary<T>& memory) {
  sycl::buffer<std::uint64_t> words = memory.memory;
  return {sycl::accessor(words, h, sycl::read_write)};
}

/// Calls body(number) for a work-item's number below `parts`, in groups of `group`.
template <typename Body>
void for_parts(sycl::handler& h, std::size_t parts, std::size_t group, const Body& body) {
  h.parallel_for(sycl::nd_range<1>((parts + group - 1) / group * group, group), [=](sycl::nd_item<1> item) {
    const std::size_t part = item.get_group(0) * item.get_local_range(0) + item.get_local_id(0);
    if (part < parts) body(part);
  });
}

/// The group size for kernels with one chunk per work-item. On the host device and PoCL a group is a call in
/// one thread; on other devices work-items fill vectors.
inline std::size_t chunk_group(const execution& on) {
  if (on.how() == method::chained) return 1;
  return on.how() == method::work_groups ? 64 : 8;
}

/// The view with const elements, so that its accessor only reads.
template <typename T>
vector_view<const T> readable(const vector_view<T, T*>& view) {
  return view;
}
template <typename T>
buffer_vector_view<const std::remove_const_t<T>> readable(const vector_view<T, buffer_place<T>>& view) {
  return view;
}

template <typename T>
matrix_view<const T> readable_matrix(const matrix_view<T, T*>& view) {
  return view;
}
template <typename T>
buffer_matrix_view<const std::remove_const_t<T>>
readable_matrix(const matrix_view<T, buffer_place<T>>& view) {
  return view;
}

template <typename T, typename Place>
void require_operand(const char* operation, const char* argument, const vector_view<T, Place>& view) {
  require_possible(std::string(operation) + ": " + argument, view);
  if constexpr (!std::is_const_v<T>)
    if (!view.is_distinct())
      prism::detail::refuse_view(std::string(operation) + ": " + argument +
                                 " is written and has a stride of 0");
}
inline void require_extent(const char* operation, const char* argument, std::size_t found,
                           std::size_t wanted) {
  if (found != wanted)
    prism::detail::refuse_view(std::string(operation) + ": " + argument + " has " + std::to_string(found) +
                               " elements instead of " + std::to_string(wanted));
}

} // namespace prism::primitives::detail
