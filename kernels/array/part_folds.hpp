// The end of a fold whose results are computed in parts, on devices other than processors through OpenCL: the
// work-items that end last fold the parts, so that a fold is one launch. Parts are folded in blocks of
// parts_of_block neighbours, then the values of the blocks, so that no work-item reads many of them; the
// order depends on the extents only. (Last-block reduction: CUDA samples, threadFenceReduction.)
#pragma once

#include "kernels/array/steps.hpp"

#include <sycl/sycl.hpp>

namespace prism::array_detail {

/// Parts of one block, but the last may have less.
constexpr std::int64_t part_blocks(const fold_layout& f) {
  return (f.parts + parts_of_block - 1) / parts_of_block;
}
/// Numbers of ended work-items that a fold counts: those of each block, and of the blocks that are done.
constexpr std::int64_t counters_of(const fold_layout& f) { return f.results * (part_blocks(f) + 1); }

/// Whether the other `count` - 1 work-items of the counter have ended; it is 0 again then.
inline bool is_last(std::int32_t& counter, std::int64_t count) {
  const sycl::atomic_ref<std::int32_t, sycl::memory_order::acq_rel, sycl::memory_scope::device,
                         sycl::access::address_space::global_space>
      ended(counter);
  if (ended.fetch_add(1) + 1 != count) return false;
  counter = 0;
  return true;
}

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

/// Stores the value of one of the fold's parts; the work-item that ends last stores the result.
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
  const std::int64_t blocks = part_blocks(f), block = part / parts_of_block;
  std::int32_t* const counters = p.counters + result * (blocks + 1);
  std::int64_t begin = block * parts_of_block, step = 1, end = sycl::min(begin + parts_of_block, f.parts);
  std::int32_t* counter = counters + block;
  for (bool is_done = false; !is_done;) { // one loop for both levels, since drivers copy code of each
    if (!is_last(*counter, (end - begin + step - 1) / step)) return;
    made = parts[begin];
    for (std::int64_t next = begin + step; next < end; next += step) made = better_of(op, made, parts[next]);
    is_done = blocks == 1 || step > 1;
    if (!is_done) parts.set(begin, made);
    begin = 0, step = parts_of_block, end = f.parts, counter = counters + blocks;
  }
  store(p.rest->result, result);
}

} // namespace prism::array_detail
