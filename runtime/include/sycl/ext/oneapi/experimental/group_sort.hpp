// The extension sycl_ext_oneapi_group_sort: sorting by the work-items of a group, of a range that they share
// or of values that each of them holds. All work-items of the group call these functions together.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/experimental/group_sorters.hpp>

#define SYCL_EXT_ONEAPI_GROUP_SORT 2

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

namespace detail {
template <typename T>
inline constexpr bool is_span = false;
template <typename T, std::size_t Extent>
inline constexpr bool is_span<sycl::span<T, Extent>> = true;
template <typename T>
using enable_value = std::enable_if_t<!is_span<std::decay_t<T>>, int>;
template <typename T>
using enable_no_properties = std::enable_if_t<!is_property_list_v<T>, int>;
} // namespace detail

// A range that the group shares.

template <typename GroupHelper, typename Ptr, typename Compare = std::less<>>
detail::enable_helper<GroupHelper, void> joint_sort(GroupHelper gh, Ptr first, Ptr last, Compare comp = {}) {
  default_sorters::joint_sorter<Compare>(gh.get_memory(), comp)(gh.get_group(), first, last);
}
template <typename Group, typename Ptr, typename Sorter>
detail::enable_group_value<Group, void> joint_sort(Group g, Ptr first, Ptr last, Sorter sorter) {
  sorter(g, first, last);
}

// A value of each work-item: work-item i gets the value at place i of the sorted sequence.

template <typename GroupHelper, typename T, typename Compare = std::less<>, detail::enable_value<T> = 0>
detail::enable_helper<GroupHelper, T> sort_over_group(GroupHelper gh, T value, Compare comp = {}) {
  return default_sorters::group_sorter<T, Compare>(gh.get_memory(), comp)(gh.get_group(), value);
}
template <typename Group, typename T, typename Sorter, detail::enable_value<T> = 0>
detail::enable_group_value<Group, T> sort_over_group(Group g, T value, Sorter sorter) {
  return sorter(g, value);
}
template <typename GroupHelper, typename T, typename U, typename Compare = std::less<>,
          detail::enable_value<T> = 0>
detail::enable_helper<GroupHelper, std::tuple<T, U>> sort_key_value_over_group(GroupHelper gh, T key, U value,
                                                                               Compare comp = {}) {
  return default_sorters::group_key_value_sorter<T, U, Compare>(gh.get_memory(), comp)(gh.get_group(), key,
                                                                                       value);
}
template <typename Group, typename T, typename U, typename Sorter, detail::enable_value<T> = 0>
detail::enable_group_value<Group, std::tuple<T, U>> sort_key_value_over_group(Group g, T key, U value,
                                                                              Sorter sorter) {
  return sorter(g, key, value);
}

// An array of each work-item; `properties`: input_data_placement and output_data_placement.

template <typename GroupHelper, typename T, std::size_t ElementsPerWorkItem,
          typename Properties = empty_properties_t>
detail::enable_helper<GroupHelper, std::enable_if_t<is_property_list_v<Properties>>>
sort_over_group(GroupHelper gh, sycl::span<T, ElementsPerWorkItem> values, Properties properties = {}) {
  default_sorters::group_sorter<T, std::less<>, ElementsPerWorkItem>(gh.get_memory())(gh.get_group(), values,
                                                                                      properties);
}
template <typename GroupHelper, typename T, std::size_t ElementsPerWorkItem, typename Compare,
          typename Properties = empty_properties_t, detail::enable_no_properties<Compare> = 0>
detail::enable_helper<GroupHelper, void> sort_over_group(GroupHelper gh,
                                                         sycl::span<T, ElementsPerWorkItem> values,
                                                         Compare comp, Properties properties = {}) {
  default_sorters::group_sorter<T, Compare, ElementsPerWorkItem>(gh.get_memory(), comp)(gh.get_group(),
                                                                                        values, properties);
}
template <typename Group, typename T, std::size_t ElementsPerWorkItem, typename Sorter,
          typename Properties = empty_properties_t>
detail::enable_group_value<Group, void> sort_over_group(Group g, sycl::span<T, ElementsPerWorkItem> values,
                                                        Sorter sorter, Properties properties = {}) {
  sorter(g, values, properties);
}
template <typename GroupHelper, typename T, typename U, std::size_t ElementsPerWorkItem,
          typename Properties = empty_properties_t>
detail::enable_helper<GroupHelper, std::enable_if_t<is_property_list_v<Properties>>>
sort_key_value_over_group(GroupHelper gh, sycl::span<T, ElementsPerWorkItem> keys,
                          sycl::span<U, ElementsPerWorkItem> values, Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, std::less<>, ElementsPerWorkItem>(gh.get_memory())(
      gh.get_group(), keys, values, properties);
}
template <typename GroupHelper, typename T, typename U, std::size_t ElementsPerWorkItem, typename Compare,
          typename Properties = empty_properties_t, detail::enable_no_properties<Compare> = 0>
detail::enable_helper<GroupHelper, void> sort_key_value_over_group(GroupHelper gh,
                                                                   sycl::span<T, ElementsPerWorkItem> keys,
                                                                   sycl::span<U, ElementsPerWorkItem> values,
                                                                   Compare comp, Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, Compare, ElementsPerWorkItem>(gh.get_memory(), comp)(
      gh.get_group(), keys, values, properties);
}
template <typename Group, typename T, typename U, std::size_t ElementsPerWorkItem, typename Sorter,
          typename Properties = empty_properties_t>
detail::enable_group_value<Group, void> sort_key_value_over_group(Group g,
                                                                  sycl::span<T, ElementsPerWorkItem> keys,
                                                                  sycl::span<U, ElementsPerWorkItem> values,
                                                                  Sorter sorter, Properties properties = {}) {
  sorter(g, keys, values, properties);
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
