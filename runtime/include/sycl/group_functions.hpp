// Group functions (SYCL 2020, "Group functions") over work-groups and sub-groups: broadcast, any/all/none,
// and the shuffles of sub-groups. All work-items of the group must call them in converged control flow.
#pragma once

#include <type_traits>

#include <sycl/detail/group_combine.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {

template <typename T>
struct is_group : std::false_type {};
template <int Dimensions>
struct is_group<group<Dimensions>> : std::true_type {};
template <>
struct is_group<sub_group> : std::true_type {};
template <typename T>
inline constexpr bool is_group_v = is_group<std::decay_t<T>>::value;

namespace detail {
template <typename Group>
inline constexpr bool is_sub_group = std::is_same_v<Group, sub_group>;
template <typename Group>
using enable_group = std::enable_if_t<is_group_v<Group>, int>;
template <typename Group>
using enable_sub_group = std::enable_if_t<is_sub_group<Group>, int>;
} // namespace detail

// ---- broadcast

/// Returns `value` of the work-item with this linear id.
template <typename Group, typename T, detail::enable_group<Group> = 0>
T group_broadcast(Group g, T value, typename Group::linear_id_type local_linear_id) {
  static_assert(is_device_copyable_v<T>, "group_broadcast needs a device-copyable type");
  if constexpr (detail::is_sub_group<Group>) {
    return detail::shuffle(value, local_linear_id);
  } else {
    T* slot = detail::group_scratch<T, 1>();
    if (g.get_local_linear_id() == local_linear_id) *slot = value;
    detail::local_barrier();
    const T result = *slot;
    detail::local_barrier();
    return result;
  }
}
template <typename Group, typename T, detail::enable_group<Group> = 0>
T group_broadcast(Group g, T value) {
  return group_broadcast(g, value, typename Group::linear_id_type(0));
}
template <typename Group, typename T, int D = Group::dimensions,
          std::enable_if_t<is_group_v<Group> && (D > 1), int> = 0>
T group_broadcast(Group g, T value, typename Group::id_type local_id) {
  return group_broadcast(g, value,
                         typename Group::linear_id_type(detail::linear_index(local_id, g.get_local_range())));
}

// ---- any, all, none

template <typename Group, detail::enable_group<Group> = 0>
bool any_of_group(Group g, bool value) {
  if constexpr (detail::is_sub_group<Group>) return __prism_sub_group_ballot(value) != 0;
  else
    return detail::fold_over(g, std::int32_t(value),
                             detail::combine_as<std::int32_t, bit_or<std::int32_t>>{}) != 0;
}
template <typename Group, detail::enable_group<Group> = 0>
bool all_of_group(Group g, bool value) {
  return !any_of_group(g, !value);
}
template <typename Group, detail::enable_group<Group> = 0>
bool none_of_group(Group g, bool value) {
  return !any_of_group(g, value);
}
template <typename Group, typename T, typename Predicate, detail::enable_group<Group> = 0>
bool any_of_group(Group g, T value, Predicate predicate) {
  return any_of_group(g, bool(predicate(value)));
}
template <typename Group, typename T, typename Predicate, detail::enable_group<Group> = 0>
bool all_of_group(Group g, T value, Predicate predicate) {
  return all_of_group(g, bool(predicate(value)));
}
template <typename Group, typename T, typename Predicate, detail::enable_group<Group> = 0>
bool none_of_group(Group g, T value, Predicate predicate) {
  return none_of_group(g, bool(predicate(value)));
}

// ---- shuffles of sub-groups: the value of another work-item; unspecified if that does not exist

template <typename Group, typename T, detail::enable_sub_group<Group> = 0>
T shift_group_left(Group g, T value, typename Group::linear_id_type delta = 1) {
  return detail::shuffle(value, g.get_local_linear_id() + delta);
}
template <typename Group, typename T, detail::enable_sub_group<Group> = 0>
T shift_group_right(Group g, T value, typename Group::linear_id_type delta = 1) {
  return detail::shuffle(value, g.get_local_linear_id() - delta);
}
template <typename Group, typename T, detail::enable_sub_group<Group> = 0>
T permute_group_by_xor(Group g, T value, typename Group::linear_id_type mask) {
  return detail::shuffle(value, g.get_local_linear_id() ^ mask);
}
template <typename Group, typename T, detail::enable_sub_group<Group> = 0>
T select_from_group(Group, T value, typename Group::id_type remote_local_id) {
  return detail::shuffle(value, static_cast<std::uint32_t>(remote_local_id[0]));
}

}
} // namespace sycl::_V1
