// The extension sycl_ext_oneapi_group_load_store: a group reads or writes consecutive elements of memory, one
// or several for each work-item, which data_placement_blocked or data_placement_striped orders. All
// work-items of the group call these functions together, with the same iterator.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/experimental/data_placement.hpp>
#include <sycl/group_functions.hpp>
#include <sycl/span.hpp>
#include <sycl/vec.hpp>

#define SYCL_EXT_ONEAPI_GROUP_LOAD_STORE 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

// Promises of the caller, which change no result here: the iterator's memory is contiguous, and the group has
// all of its work-items.
struct contiguous_memory_key {
  using value_t = property_value<contiguous_memory_key>;
};
struct full_group_key {
  using value_t = property_value<full_group_key>;
};
inline constexpr contiguous_memory_key::value_t contiguous_memory;
inline constexpr full_group_key::value_t full_group;
template <>
struct is_property_key<contiguous_memory_key> : std::true_type {};
template <>
struct is_property_key<full_group_key> : std::true_type {};

namespace detail {
template <typename Group>
using enable_group_only = std::enable_if_t<is_group_v<Group>>;
template <typename Properties, typename Group>
std::size_t number_of(Group group, std::size_t k, std::size_t elements) {
  return place_of<is_striped<data_placement_key, Properties>()>(group.get_local_linear_id(), k,
                                                                group.get_local_linear_range(), elements);
}
} // namespace detail

template <typename Group, typename InputIteratorT, typename OutputT, typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_load(Group g, InputIteratorT in_ptr, OutputT& out, Properties = {}) {
  out = in_ptr[g.get_local_linear_id()];
}
template <typename Group, typename InputIteratorT, typename OutputT, std::size_t ElementsPerWorkItem,
          typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_load(Group g, InputIteratorT in_ptr,
                                            sycl::span<OutputT, ElementsPerWorkItem> out, Properties = {}) {
  for (std::size_t k = 0; k < ElementsPerWorkItem; ++k)
    out[k] = in_ptr[detail::number_of<Properties>(g, k, ElementsPerWorkItem)];
}
template <typename Group, typename InputIteratorT, typename OutputT, int N,
          typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_load(Group g, InputIteratorT in_ptr, sycl::vec<OutputT, N>& out,
                                            Properties = {}) {
  for (int k = 0; k < N; ++k)
    out[k] = in_ptr[detail::number_of<Properties>(g, static_cast<std::size_t>(k), N)];
}

template <typename Group, typename InputT, typename OutputIteratorT, typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_store(Group g, const InputT& in, OutputIteratorT out_ptr,
                                             Properties = {}) {
  out_ptr[g.get_local_linear_id()] = in;
}
template <typename Group, typename InputT, std::size_t ElementsPerWorkItem, typename OutputIteratorT,
          typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_store(Group g, const sycl::span<InputT, ElementsPerWorkItem> in,
                                             OutputIteratorT out_ptr, Properties = {}) {
  for (std::size_t k = 0; k < ElementsPerWorkItem; ++k)
    out_ptr[detail::number_of<Properties>(g, k, ElementsPerWorkItem)] = in[k];
}
template <typename Group, typename InputT, int N, typename OutputIteratorT,
          typename Properties = empty_properties_t>
detail::enable_group_only<Group> group_store(Group g, const sycl::vec<InputT, N>& in, OutputIteratorT out_ptr,
                                             Properties = {}) {
  for (int k = 0; k < N; ++k)
    out_ptr[detail::number_of<Properties>(g, static_cast<std::size_t>(k), N)] = in[k];
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
