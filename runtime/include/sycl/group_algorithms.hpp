// Group algorithms (SYCL 2020, "Group algorithms library") over work-groups and sub-groups. All work-items of
// the group must call them in converged control flow. The operation may be any function object on trivially
// copyable values. Only the forms that need an identity require a known one: exclusive scans without init,
// joint_reduce without init.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sycl/detail/optional_value.hpp>
#include <sycl/group_functions.hpp>

namespace sycl {
inline namespace _V1 {

namespace detail {

template <typename T>
inline constexpr bool is_pointer_like = std::is_pointer_v<T>;
template <typename T, access::address_space Space, access::decorated D>
inline constexpr bool is_pointer_like<multi_ptr<T, Space, D>> = true;
template <typename Group, typename... Pointers>
using enable_joint = std::enable_if_t<is_group_v<Group> && (is_pointer_like<Pointers> && ...), int>;

template <typename Pointer>
inline auto* raw_pointer(Pointer p) noexcept {
  if constexpr (std::is_pointer_v<Pointer>) return p;
  else return p.get_raw();
}
template <typename Pointer>
using pointee = std::remove_cv_t<std::remove_pointer_t<decltype(raw_pointer(std::declval<Pointer>()))>>;

/// The operation with its result converted to T.
template <typename T, typename Op>
inline combine_as<T, Op> as_combine(Op op) {
  return {op};
}
template <typename T, typename Op>
constexpr T required_identity() {
  static_assert(has_known_identity_v<Op, T>,
                "this form of a group algorithm needs an operation with a known identity "
                "for the type; use the form that takes an initial value");
  return known_identity_v<Op, T>;
}

// The combination of a work-item's segment of a joint range: `T` if an identity is known, else an optional
// value.
template <typename T, typename Op>
using partial_value = std::conditional_t<has_known_identity_v<Op, T>, T, optional_value<T>>;
template <typename T, typename Op>
inline partial_value<T, Op> empty_partial() {
  if constexpr (has_known_identity_v<Op, T>) return known_identity_v<Op, T>;
  else return {};
}
template <typename T, typename Op>
inline auto combine_of(Op op) {
  if constexpr (has_known_identity_v<Op, T>) return as_combine<T>(op);
  else return [op](const optional_value<T>& a, const optional_value<T>& b) { return join(a, b, op); };
}
/// Returns init op partial.
template <typename T, typename Op>
inline T after_init(const T& init, const partial_value<T, Op>& partial, Op op) {
  if constexpr (has_known_identity_v<Op, T>) return static_cast<T>(op(init, partial));
  else return partial.filled ? static_cast<T>(op(init, partial.value())) : init;
}

// The segment of work-item i in a joint range. Segments are contiguous, so that the order is preserved.
struct joint_part {
  std::size_t begin, end;
};
template <typename Group>
inline joint_part joint_part_of(const Group& g, std::size_t count) noexcept {
  const std::size_t items = g.get_local_linear_range();
  const std::size_t length = (count + items - 1) / items;
  const std::size_t begin = g.get_local_linear_id() * length;
  return {begin < count ? begin : count, begin + length < count ? begin + length : count};
}
template <typename T, typename Op, typename Pointer>
inline partial_value<T, Op> fold_piece(Pointer first, std::size_t begin, std::size_t end, std::size_t step,
                                       Op op) {
  const auto combine = combine_of<T>(op);
  auto partial = empty_partial<T, Op>();
  for (std::size_t i = begin; i < end; i += step) {
    partial = combine(partial, partial_value<T, Op>(static_cast<T>(first[static_cast<std::ptrdiff_t>(i)])));
  }
  return partial;
}

/// If one thread runs all work-items, one work-item folds the whole range.
template <typename Group, typename Pointer, typename T, typename Op>
inline T joint_reduce_of_thread(const Group& g, Pointer first, std::size_t count, const T& init, Op op) {
  T* const total = static_cast<T*>(__prism_value_of_group(sizeof(T)));
  local_barrier(); // makes earlier writes of work-items to the range visible
  if (g.get_local_linear_id() == 0) {
    const auto at = [first](std::size_t i) { return static_cast<T>(first[static_cast<std::ptrdiff_t>(i)]); };
    *total = count == 0 ? init : static_cast<T>(op(init, fold_values<T>(at, count, as_combine<T>(op))));
  }
  local_barrier();
  return *total;
}

/// The same result where work-items run the group.
template <typename Group, typename Pointer, typename T, typename Op>
inline T ordered_joint_reduce(const Group& g, Pointer first, std::size_t count, const T& init, Op op) {
  const auto at = [first](std::size_t i) { return static_cast<T>(first[static_cast<std::ptrdiff_t>(i)]); };
  const T total = ordered_joint_fold<T>(at, count, static_cast<std::uint32_t>(g.get_local_linear_id()),
                                        group_scratch<T>(), as_combine<T>(op));
  return count == 0 ? init : static_cast<T>(op(init, total));
}

} // namespace detail

// ---- any, all, none of a range

template <typename Group, typename Pointer, typename Predicate, detail::enable_joint<Group, Pointer> = 0>
bool joint_any_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t i = g.get_local_linear_id(); i < count; i += g.get_local_linear_range()) {
    found = found || bool(predicate(first[static_cast<std::ptrdiff_t>(i)]));
  }
  return any_of_group(g, found);
}
template <typename Group, typename Pointer, typename Predicate, detail::enable_joint<Group, Pointer> = 0>
bool joint_all_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, [predicate](const auto& value) { return !bool(predicate(value)); });
}
template <typename Group, typename Pointer, typename Predicate, detail::enable_joint<Group, Pointer> = 0>
bool joint_none_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, predicate);
}

// ---- reduce

template <typename Group, typename T, typename BinaryOperation, detail::enable_group<Group> = 0>
T reduce_over_group(Group g, T value, BinaryOperation op) {
  return detail::fold_over(g, value, detail::as_combine<T>(op));
}
template <typename Group, typename V, typename T, typename BinaryOperation, detail::enable_group<Group> = 0>
T reduce_over_group(Group g, V value, T init, BinaryOperation op) {
  return static_cast<T>(op(init, reduce_over_group(g, static_cast<T>(value), op)));
}
template <typename Group, typename Pointer, typename T, typename BinaryOperation,
          detail::enable_joint<Group, Pointer> = 0>
T joint_reduce(Group g, Pointer first, Pointer last, T init, BinaryOperation op) {
  if constexpr (!detail::is_sub_group<Group>) {
    const auto count = static_cast<std::size_t>(last - first);
    if (__prism_runs_group()) return detail::joint_reduce_of_thread(g, first, count, init, op);
    if (detail::wants_fixed_order<T>()) return detail::ordered_joint_reduce(g, first, count, init, op);
  }
  // Adjacent work-items read adjacent elements. A non-commutative operation does not permit that, but group
  // algorithms may assume commutative ones.
  const auto partial = detail::fold_piece<T>(
      first, g.get_local_linear_id(), static_cast<std::size_t>(last - first), g.get_local_linear_range(), op);
  return detail::after_init<T>(init, detail::fold_over(g, partial, detail::combine_of<T>(op)), op);
}
template <typename Group, typename Pointer, typename BinaryOperation,
          detail::enable_joint<Group, Pointer> = 0>
detail::pointee<Pointer> joint_reduce(Group g, Pointer first, Pointer last, BinaryOperation op) {
  using T = detail::pointee<Pointer>;
  return joint_reduce(g, first, last, detail::required_identity<T, BinaryOperation>(), op);
}

// ---- scan of one value per work-item

template <typename Group, typename T, typename BinaryOperation, detail::enable_group<Group> = 0>
T inclusive_scan_over_group(Group g, T value, BinaryOperation op) {
  return detail::scan_over(g, value, detail::as_combine<T>(op)).value;
}
template <typename Group, typename V, typename BinaryOperation, typename T, detail::enable_group<Group> = 0>
T inclusive_scan_over_group(Group g, V value, BinaryOperation op, T init) {
  return static_cast<T>(op(init, inclusive_scan_over_group(g, static_cast<T>(value), op)));
}
template <typename Group, typename V, typename T, typename BinaryOperation, detail::enable_group<Group> = 0>
T exclusive_scan_over_group(Group g, V value, T init, BinaryOperation op) {
  const auto before = detail::scan_over(g, static_cast<T>(value), detail::as_combine<T>(op));
  return g.get_local_linear_id() == 0 || before.is_first ? init : static_cast<T>(op(init, before.previous));
}
template <typename Group, typename T, typename BinaryOperation, detail::enable_group<Group> = 0>
T exclusive_scan_over_group(Group g, T value, BinaryOperation op) {
  return exclusive_scan_over_group(g, value, detail::required_identity<T, BinaryOperation>(), op);
}

// ---- scan of a range; also in place, because each work-item reads and writes only its own segment

namespace detail {

/// Calls `step(i, value i, combination of all values before it)` for the work-item's segment. The step
/// returns the combination before the next value.
template <typename T, typename Group, typename InPtr, typename Op, typename Step>
inline void joint_scan(const Group& g, InPtr first, std::size_t count, const T& init, Op op, Step step) {
  group_barrier(g); // other work-items may have written elements of the segment just before
  const joint_part own = joint_part_of(g, count);
  const auto total = fold_piece<T>(first, own.begin, own.end, 1, op);
  const auto before = scan_over(g, total, combine_of<T>(op)).previous;
  T running = g.get_local_linear_id() == 0 ? init : after_init<T>(init, before, op);
  for (std::size_t i = own.begin; i < own.end; ++i) {
    running =
        step(static_cast<std::ptrdiff_t>(i), static_cast<T>(first[static_cast<std::ptrdiff_t>(i)]), running);
  }
  group_barrier(g);
}

} // namespace detail

template <typename Group, typename InPtr, typename OutPtr, typename T, typename BinaryOperation,
          detail::enable_joint<Group, InPtr, OutPtr> = 0>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, T init, BinaryOperation op) {
  detail::joint_scan<T>(g, first, static_cast<std::size_t>(last - first), init, op,
                        [=](std::ptrdiff_t i, const T& value, const T& before) {
    result[i] = before;
    return static_cast<T>(op(before, value));
  });
  return result + (last - first);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation,
          detail::enable_joint<Group, InPtr, OutPtr> = 0>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op) {
  using T = detail::pointee<OutPtr>;
  return joint_exclusive_scan(g, first, last, result, detail::required_identity<T, BinaryOperation>(), op);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation, typename T,
          detail::enable_joint<Group, InPtr, OutPtr> = 0>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op, T init) {
  detail::joint_scan<T>(g, first, static_cast<std::size_t>(last - first), init, op,
                        [=](std::ptrdiff_t i, const T& value, const T& before) {
    const T next = static_cast<T>(op(before, value));
    result[i] = next;
    return next;
  });
  return result + (last - first);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation,
          detail::enable_joint<Group, InPtr, OutPtr> = 0>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op) {
  using T = detail::pointee<OutPtr>;
  return joint_inclusive_scan(g, first, last, result, op, detail::required_identity<T, BinaryOperation>());
}

}
} // namespace sycl::_V1
