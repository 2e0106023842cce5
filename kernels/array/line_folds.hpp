// Folds of neighbours in memory, without steps: the units of chunks.hpp in the forms `part` and `rows`, in
// the same order. The elements may be narrower integers than those of the arithmetic, if nothing is added.
#pragma once

#include "kernels/array/chunks.hpp"

namespace prism::array_detail {

/// Calls `use` with std::type_identity of the type of a line's elements (folds_lines()).
template <typename T, typename Use>
PRISM_ARRAY_INLINE void with_line_type(const program& p, const Use& use) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (p.leaf[0].type == std::int32_t(dtype::int32)) return use(std::type_identity<std::int32_t>());
    if (p.leaf[0].type == std::int32_t(dtype::boolean)) return use(std::type_identity<std::uint8_t>());
  }
  use(std::type_identity<T>());
}

/// Calls `use` with the combination of `op` for elements of E, and whether it asks for positions.
template <typename T, typename E, typename Use>
PRISM_ARRAY_INLINE void dispatch_lines(fold_op op, const Use& use) {
  constexpr std::false_type values;
  if constexpr (!functions<E>::is_complex && sizeof(E) > 1) {
    constexpr std::true_type positions;
    switch (op) {
      case fold_op::minimum: return use(combination<E, fold_op::minimum>(), values);
      case fold_op::maximum: return use(combination<E, fold_op::maximum>(), values);
      case fold_op::first_minimum: return use(combination<E, fold_op::minimum>(), positions);
      case fold_op::first_maximum: return use(combination<E, fold_op::maximum>(), positions);
      default: break;
    }
  }
  if (op == fold_op::any) return use(combination<E, fold_op::any>(), values);
  if (op == fold_op::all) return use(combination<E, fold_op::all>(), values);
  if constexpr (std::is_same_v<T, E>) {
    if (op == fold_op::sum) use(combination<E, fold_op::sum>(), values);
    else use(combination<E, fold_op::product>(), values);
  }
}

/// The extreme of a part and its first position. It is found in blocks that stay in the first-level cache.
template <typename Rows, int chunk, typename T, typename Combination>
PRISM_ARRAY_INLINE T find_extreme(const T* from, std::int64_t elements, std::int64_t* at, fold_op op,
                                  Combination c) {
  constexpr std::int64_t block = 4 * chunk;
  T lane[lanes_of<T>], best{};
  std::int64_t best_block = 0;
  const auto count_at = [=](std::int64_t begin) PRISM_ARRAY_INLINED {
    return elements - begin < block ? elements - begin : block;
  };
  for (std::int64_t begin = 0; begin < elements; begin += block) {
    const int filled = fold_lanes<Rows>(from + begin, count_at(begin), lane, c);
    const T found = join_lanes(lane, filled, c);
    if (begin > 0 && !is_better(op, best, found, 0, 1)) continue;
    best = found, best_block = begin;
  }
  *at = best_block + place_of(from + best_block, int(count_at(best_block)), best);
  return best;
}

/// Stores values, or their positions as well or instead, as the program asks.
template <bool positions, typename T>
PRISM_ARRAY_INLINE void store_folded(const program& p, std::int64_t first, const T* values,
                                     const std::int64_t* at, int count) {
  if constexpr (positions) {
    std::int64_t* const partial = p.folded.partial_positions;
    std::int64_t* const to = (partial ? partial : reinterpret_cast<std::int64_t*>(p.result.data)) + first;
    PRISM_ARRAY_SCALARS
    for (int i = 0; i < count; ++i) to[i] = at[i];
    if (!partial) return;
  }
  store_numbers(p.result, first, values, count);
}

/// The units [first, last) by one combination.
template <typename Rows, int chunk, bool positions, typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_lines(const T* elements, const program& p, std::int64_t first, std::int64_t last,
                                   Combination c) {
  T kept[chunk], lane[lanes_of<T>];
  std::int64_t at[positions ? chunk : 1];
  const fold_layout& f = p.folded;
  const unit_form form = fold_form<chunk>(f);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(f, p.size, unit, form);
    const T* const from = elements + s.first;
    if (form == unit_form::part) {
      const std::int64_t count = (s.chunks - 1) * chunk + s.last;
      if constexpr (positions) {
        kept[0] = find_extreme<Rows, chunk>(from, count, at, p.fold, c);
        at[0] += s.position;
      } else kept[0] = join_lanes(lane, fold_part<Rows, chunk>(from, count, lane, c), c);
      store_folded<positions>(p, s.result, kept, at, 1);
      continue;
    }
    const int length = int(f.elements), rows = s.count / length;
    if (!positions && length < lanes_of<T>) fold_short_rows(from, length, rows, kept, c);
    else
      for (int r = 0; r < rows; ++r) {
        const T* const row = from + r * length;
        kept[r] = join_lanes(lane, fold_lanes<Rows>(row, length, lane, c), c);
        if constexpr (positions) at[r] = place_of(row, length, kept[r]);
      }
    store_folded<positions>(p, s.result, kept, at, rows);
  }
}

} // namespace prism::array_detail
