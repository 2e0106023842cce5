// The names that DPC++ used, before SYCL 2020 adopted the features, first in sycl::ONEAPI and then in
// sycl::ext::oneapi. Programs of the years 2020 to 2022 use them. The functions are those of SYCL 2020.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/atomic_ref.hpp>
#include <sycl/buffer.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/group_functions.hpp>
#include <sycl/memory_model.hpp>
#include <sycl/reduction.hpp>
#include <sycl/sub_group.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {

using sycl::atomic_fence;
using sycl::atomic_ref;
using sycl::memory_order;
using sycl::memory_scope;

using sycl::bit_and;
using sycl::bit_or;
using sycl::bit_xor;
using sycl::has_known_identity;
using sycl::known_identity;
using sycl::maximum;
using sycl::minimum;
using sycl::multiplies;
using sycl::plus;
using sycl::reduction;
using sycl::sub_group;

template <typename Group, typename T, sycl::detail::enable_group<Group> = 0>
T broadcast(Group g, T value) {
  return group_broadcast(g, value);
}
template <typename Group, typename T, typename Place, sycl::detail::enable_group<Group> = 0>
T broadcast(Group g, T value, Place place) {
  return group_broadcast(g, value, place);
}
template <typename Group, sycl::detail::enable_group<Group> = 0>
bool leader(Group g) {
  return g.leader();
}

// Algorithms over one value per work-item, and over a range of memory (first, last).

template <typename Group, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto any_of(Group g, Rest... rest) {
  if constexpr (sizeof...(Rest) == 3) return joint_any_of(g, rest...);
  else return any_of_group(g, rest...);
}
template <typename Group, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto all_of(Group g, Rest... rest) {
  if constexpr (sizeof...(Rest) == 3) return joint_all_of(g, rest...);
  else return all_of_group(g, rest...);
}
template <typename Group, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto none_of(Group g, Rest... rest) {
  if constexpr (sizeof...(Rest) == 3) return joint_none_of(g, rest...);
  else return none_of_group(g, rest...);
}
template <typename Group, typename First, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto reduce(Group g, First first, Rest... rest) {
  if constexpr (sycl::detail::is_pointer_like<First>) return joint_reduce(g, first, rest...);
  else return reduce_over_group(g, first, rest...);
}
template <typename Group, typename First, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto inclusive_scan(Group g, First first, Rest... rest) {
  if constexpr (sycl::detail::is_pointer_like<First>) return joint_inclusive_scan(g, first, rest...);
  else return inclusive_scan_over_group(g, first, rest...);
}
template <typename Group, typename First, typename... Rest, sycl::detail::enable_group<Group> = 0>
auto exclusive_scan(Group g, First first, Rest... rest) {
  if constexpr (sycl::detail::is_pointer_like<First>) return joint_exclusive_scan(g, first, rest...);
  else return exclusive_scan_over_group(g, first, rest...);
}

namespace property {
namespace buffer {
/// A hint of other implementations, without effect: PRISM uses pinned memory if it is faster.
class use_pinned_host_memory {};
}
} // namespace property::buffer

}
} // namespace ext::oneapi

namespace ONEAPI = ext::oneapi;

template <>
struct is_property<ext::oneapi::property::buffer::use_pinned_host_memory> : std::true_type {};
template <typename T, int D, typename A>
struct is_property_of<ext::oneapi::property::buffer::use_pinned_host_memory, buffer<T, D, A>>
    : std::true_type {};

}
} // namespace sycl::_V1

#include <sycl/detail/user_macros_restore.hpp>
