// The extension sycl_ext_oneapi_user_defined_reductions: sums over a group of any type with any operation, in
// memory that the caller gives: at least sizeof(T) for each work-item of the group. The values are combined
// in an order that the group's size alone decides.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <iterator>
#include <type_traits>

#include <sycl/ext/oneapi/experimental/group_helper.hpp>
#include <sycl/group_algorithms.hpp>

#define SYCL_EXT_ONEAPI_USER_DEFINED_REDUCTIONS 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

namespace detail {

/// Combines the values of the first `count` work-items, by halves; all work-items of the group call it.
template <typename Helper, typename T, typename BinaryOperation>
T combine_in_scratch(const Helper& helper, const T& x, std::size_t count, BinaryOperation combine) {
  const auto group = helper.get_group();
  const std::size_t item = group.get_local_linear_id();
  std::byte* memory = helper.get_memory().data();
  T* const values = take_scratch<T>(memory, count);
  if (item < count) values[item] = x;
  for (std::size_t left = count; left > 1; left = (left + 1) / 2) {
    group_barrier(group);
    if (item < left / 2) values[item] = combine(values[item], values[(left + 1) / 2 + item]);
  }
  group_barrier(group);
  const T all = values[0];
  group_barrier(group); // the memory may be used again
  return all;
}

} // namespace detail

template <typename GroupHelper, typename T, typename BinaryOperation>
detail::enable_helper<GroupHelper, T> reduce_over_group(GroupHelper g, T x, BinaryOperation binary_op) {
  if constexpr (std::is_arithmetic_v<T> && has_known_identity_v<BinaryOperation, T>)
    return sycl::reduce_over_group(g.get_group(), x, binary_op);
  else return detail::combine_in_scratch(g, x, g.get_group().get_local_linear_range(), binary_op);
}
template <typename GroupHelper, typename V, typename T, typename BinaryOperation>
detail::enable_helper<GroupHelper, T> reduce_over_group(GroupHelper g, V x, T init,
                                                        BinaryOperation binary_op) {
  return binary_op(init, experimental::reduce_over_group(g, T(x), binary_op));
}

/// The range has at least one element.
template <typename GroupHelper, typename Ptr, typename BinaryOperation>
detail::enable_helper<GroupHelper, typename std::iterator_traits<Ptr>::value_type>
joint_reduce(GroupHelper g, Ptr first, Ptr last, BinaryOperation binary_op) {
  const auto group = g.get_group();
  const std::size_t items = group.get_local_linear_range(), item = group.get_local_linear_id();
  const std::size_t count = static_cast<std::size_t>(last - first);
  typename std::iterator_traits<Ptr>::value_type sum = first[item < count ? item : 0];
  for (std::size_t i = item + items; i < count; i += items) sum = binary_op(sum, first[i]);
  return detail::combine_in_scratch(g, sum, count < items ? count : items, binary_op);
}
template <typename GroupHelper, typename Ptr, typename T, typename BinaryOperation>
detail::enable_helper<GroupHelper, T> joint_reduce(GroupHelper g, Ptr first, Ptr last, T init,
                                                   BinaryOperation binary_op) {
  if (first == last) return init;
  return binary_op(init, experimental::joint_reduce(g, first, last, binary_op));
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
