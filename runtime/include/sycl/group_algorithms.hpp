// Group functions and algorithms (SYCL 2020, "Group functions", "Group algorithms library") over work-groups, by hidden
// scratch in local memory. All work-items of the group must call them in converged control flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/group_combine.hpp>
#include <sycl/functional.hpp>
#include <sycl/group.hpp>

namespace sycl { inline namespace _V1 {

template <typename T>
struct is_group : std::false_type {};
template <int Dimensions>
struct is_group<group<Dimensions>> : std::true_type {};
template <typename T>
inline constexpr bool is_group_v = is_group<std::decay_t<T>>::value;

namespace detail {

template <typename T>
inline constexpr bool is_pointer_like = std::is_pointer_v<T>;
template <typename T, access::address_space Space, access::decorated D>
inline constexpr bool is_pointer_like<multi_ptr<T, Space, D>> = true;

template <typename Group>
using enable_group = std::enable_if_t<is_group_v<Group>, int>;
template <typename Group, typename Op>
using enable_operation = std::enable_if_t<is_group_v<Group> && operation_of<Op> != operation::other, int>;
template <typename Group, typename Op, typename Pointer>
using enable_joint =
    std::enable_if_t<is_group_v<Group> && operation_of<Op> != operation::other && is_pointer_like<Pointer>, int>;

template <typename Pointer>
inline auto* raw_pointer(Pointer p) noexcept {
  if constexpr (std::is_pointer_v<Pointer>) return p;
  else return p.get_raw();
}
template <typename Pointer>
using pointee = std::remove_cv_t<std::remove_pointer_t<decltype(raw_pointer(std::declval<Pointer>()))>>;

template <typename Group, typename T, typename Op>
inline T fold_over_group(const Group& g, const T& value, Op op) {
  return group_fold<T>(group_scratch<T>(), scratch_slots<T>, g.get_local_linear_id(), g.get_local_linear_range(), value,
                       [op](const T& a, const T& b) -> T { return op(a, b); });
}

// Work-item i's share of a joint range: a contiguous piece, so that order is kept.
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

} // namespace detail

// ---- broadcast

/// `value` of the work-item with this linear id.
template <typename Group, typename T, detail::enable_group<Group> = 0>
T group_broadcast(Group g, T value, typename Group::linear_id_type local_linear_id) {
  static_assert(std::is_trivially_copyable_v<T>, "group_broadcast needs a trivially copyable type");
  T* slot = static_cast<T*>(__prism_group_scratch(sizeof(T)));
  if (g.get_local_linear_id() == local_linear_id) *slot = value;
  detail::local_barrier();
  const T result = *slot;
  detail::local_barrier();
  return result;
}
template <typename Group, typename T, detail::enable_group<Group> = 0>
T group_broadcast(Group g, T value) {
  return group_broadcast(g, value, typename Group::linear_id_type(0));
}
template <typename Group, typename T, int D = Group::dimensions, std::enable_if_t<is_group_v<Group> && (D > 1), int> = 0>
T group_broadcast(Group g, T value, typename Group::id_type local_id) {
  return group_broadcast(g, value,
                         typename Group::linear_id_type(detail::linear_index(local_id, g.get_local_range())));
}

// ---- any, all, none

template <typename Group, detail::enable_group<Group> = 0>
bool any_of_group(Group g, bool value) {
  return detail::fold_over_group(g, std::int32_t(value), bit_or<std::int32_t>()) != 0;
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
template <typename Group, typename Pointer, typename Predicate, detail::enable_group<Group> = 0>
bool joint_any_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t i = g.get_local_linear_id(); i < count; i += g.get_local_linear_range()) {
    found = found || bool(predicate(first[i]));
  }
  return any_of_group(g, found);
}
template <typename Group, typename Pointer, typename Predicate, detail::enable_group<Group> = 0>
bool joint_all_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, [predicate](const auto& value) { return !bool(predicate(value)); });
}
template <typename Group, typename Pointer, typename Predicate, detail::enable_group<Group> = 0>
bool joint_none_of(Group g, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(g, first, last, predicate);
}

// ---- reduce

template <typename Group, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
T reduce_over_group(Group g, T value, BinaryOperation op) {
  return detail::fold_over_group(g, value, op);
}
template <typename Group, typename V, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
T reduce_over_group(Group g, V value, T init, BinaryOperation op) {
  return static_cast<T>(op(init, detail::fold_over_group(g, static_cast<T>(value), op)));
}
template <typename Group, typename Pointer, typename T, typename BinaryOperation,
          detail::enable_joint<Group, BinaryOperation, Pointer> = 0>
T joint_reduce(Group g, Pointer first, Pointer last, T init, BinaryOperation op) {
  static_assert(has_known_identity_v<BinaryOperation, T>, "joint_reduce needs an operation with a known identity for T");
  T partial = known_identity_v<BinaryOperation, T>;
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t i = g.get_local_linear_id(); i < count; i += g.get_local_linear_range()) {
    partial = static_cast<T>(op(partial, static_cast<T>(first[i])));
  }
  return static_cast<T>(op(init, detail::fold_over_group(g, partial, op)));
}
template <typename Group, typename Pointer, typename BinaryOperation,
          detail::enable_joint<Group, BinaryOperation, Pointer> = 0>
detail::pointee<Pointer> joint_reduce(Group g, Pointer first, Pointer last, BinaryOperation op) {
  using T = detail::pointee<Pointer>;
  return joint_reduce(g, first, last, T(known_identity_v<BinaryOperation, T>), op);
}

// ---- scan

template <typename Group, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
T inclusive_scan_over_group(Group g, T value, BinaryOperation op) {
  T previous = value;
  return detail::group_scan<T>(detail::group_scratch<T>(), detail::scratch_slots<T>, g.get_local_linear_id(),
                               g.get_local_linear_range(), value, previous,
                               [op](const T& a, const T& b) -> T { return op(a, b); });
}
template <typename Group, typename V, typename BinaryOperation, typename T,
          detail::enable_operation<Group, BinaryOperation> = 0>
T inclusive_scan_over_group(Group g, V value, BinaryOperation op, T init) {
  return static_cast<T>(op(init, inclusive_scan_over_group(g, static_cast<T>(value), op)));
}
template <typename Group, typename V, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
T exclusive_scan_over_group(Group g, V value, T init, BinaryOperation op) {
  const T own = static_cast<T>(value);
  T previous = own;
  detail::group_scan<T>(detail::group_scratch<T>(), detail::scratch_slots<T>, g.get_local_linear_id(),
                        g.get_local_linear_range(), own, previous,
                        [op](const T& a, const T& b) -> T { return op(a, b); });
  return g.get_local_linear_id() == 0 ? init : static_cast<T>(op(init, previous));
}
template <typename Group, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
T exclusive_scan_over_group(Group g, T value, BinaryOperation op) {
  static_assert(has_known_identity_v<BinaryOperation, T>,
                "exclusive_scan_over_group without init needs an operation with a known identity for T");
  return exclusive_scan_over_group(g, value, T(known_identity_v<BinaryOperation, T>), op);
}

// The joint scans may run in place: each work-item reads and writes its own piece only.
template <typename Group, typename InPtr, typename OutPtr, typename T, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, T init, BinaryOperation op) {
  const auto count = static_cast<std::size_t>(last - first);
  const detail::joint_part own = detail::joint_part_of(g, count);
  T total = known_identity_v<BinaryOperation, T>;
  for (std::size_t i = own.begin; i < own.end; ++i) total = static_cast<T>(op(total, static_cast<T>(first[i])));
  T running = exclusive_scan_over_group(g, total, init, op);
  for (std::size_t i = own.begin; i < own.end; ++i) {
    const T next = static_cast<T>(op(running, static_cast<T>(first[i])));
    result[i] = running;
    running = next;
  }
  group_barrier(g);
  return result + static_cast<std::ptrdiff_t>(count);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
OutPtr joint_exclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op) {
  using T = detail::pointee<OutPtr>;
  return joint_exclusive_scan(g, first, last, result, T(known_identity_v<BinaryOperation, T>), op);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation, typename T,
          detail::enable_operation<Group, BinaryOperation> = 0>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op, T init) {
  const auto count = static_cast<std::size_t>(last - first);
  const detail::joint_part own = detail::joint_part_of(g, count);
  T total = known_identity_v<BinaryOperation, T>;
  for (std::size_t i = own.begin; i < own.end; ++i) total = static_cast<T>(op(total, static_cast<T>(first[i])));
  T running = exclusive_scan_over_group(g, total, init, op);
  for (std::size_t i = own.begin; i < own.end; ++i) {
    running = static_cast<T>(op(running, static_cast<T>(first[i])));
    result[i] = running;
  }
  group_barrier(g);
  return result + static_cast<std::ptrdiff_t>(count);
}
template <typename Group, typename InPtr, typename OutPtr, typename BinaryOperation,
          detail::enable_operation<Group, BinaryOperation> = 0>
OutPtr joint_inclusive_scan(Group g, InPtr first, InPtr last, OutPtr result, BinaryOperation op) {
  using T = detail::pointee<OutPtr>;
  return joint_inclusive_scan(g, first, last, result, op, T(known_identity_v<BinaryOperation, T>));
}

}} // namespace sycl::_V1
