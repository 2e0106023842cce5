// The end of a fold whose results are computed in parts, on devices other than processors through OpenCL: the
// work-items that end last fold the parts (part_counters.hpp).
#pragma once

#include "kernels/array/steps.hpp"

#include <prism/array/part_counters.hpp>
#include <sycl/sycl.hpp>

namespace prism::array_detail {

/// Numbers of ended work-items that a fold counts.
constexpr std::int64_t counters_of(const fold_layout& f) { return f.results * counters_of_result(f.parts); }

/// A value of a fold, and where it was, of folds that ask for positions.
template <typename T>
struct folded_value {
  T value;
  std::int64_t at;
};

template <typename T>
inline folded_value<T> better_of(fold_op op, folded_value<T> a, folded_value<T> b) {
  if (op >= fold_op::first_minimum) return is_better(op, a.value, b.value, a.at, b.at) ? b : a;
  dispatch_fold<T>(op, [&](auto combine) { a.value = combine(a.value, b.value); });
  return a;
}

template <typename T>
inline void store_value(const program_array& to, std::int64_t at, T value) {
  with_type<T>(to.type, [&](auto element) {
    using E = decltype(element);
    reinterpret_cast<E*>(to.data)[at] = converted<E>(value);
  });
}

/// The partial values of one result: every apart-th.
template <typename T>
struct partial_values {
  T* values;
  std::int64_t* positions; // or null
  std::int64_t apart;

  folded_value<T> operator[](std::int64_t part) const {
    return {values[part * apart], positions ? positions[part * apart] : 0};
  }
  void set(std::int64_t part, folded_value<T> to) const {
    values[part * apart] = to.value;
    if (positions) positions[part * apart] = to.at;
  }
};

/// Stores the value of one of the fold's parts. The work-item that ends last stores the result, unless
/// another launch folds the parts (device_state::folds_parts).
template <typename T>
inline void end_part(fold_op op, const program& p, const item_elements& of, folded_value<T> made) {
  const fold_layout& f = p.folded;
  const bool asks_position = op >= fold_op::first_minimum;
  const auto store = [&](const program_array& to, std::int64_t at) {
    if (asks_position) reinterpret_cast<std::int64_t*>(to.data)[at] = made.at;
    else store_value(to, at, made.value);
  };
  if (f.parts == 1) return store(p.result, of.value);
  const std::int64_t row = f.parts * f.inner, outer = of.value / row, column = of.value % f.inner,
                     part = (of.value - outer * row) / f.inner, result = outer * f.inner + column;
  const std::int64_t first = outer * row + column;
  const partial_values<T> parts{reinterpret_cast<T*>(p.result.data) + first,
                                asks_position ? f.partial_positions + first : nullptr, f.inner};
  parts.set(part, made);
  if (p.rest == nullptr) return;
  std::int32_t* const counters = p.counters + result * counters_of_result(f.parts);
  const auto combine = [&](std::int64_t begin, std::int64_t step, std::int64_t end) {
    made = parts[begin];
    for (std::int64_t next = begin + step; next < end; next += step) made = better_of(op, made, parts[next]);
    parts.set(begin, made);
  };
  if (!combine_ended_parts(counters, f.parts, part, combine)) return;
  store(p.rest->result, result);
}

} // namespace prism::array_detail
