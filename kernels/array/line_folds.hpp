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

/// The extreme of a line that is not shorter than the lanes, and its first position, which `at` gets. It is
/// found in blocks that stay in the first-level cache.
template <int chunk, typename T, typename Combination>
PRISM_ARRAY_INLINE T find_extreme(const T* from, std::int64_t elements, std::int64_t* at, Combination c) {
  constexpr std::int64_t block = 4 * chunk;
  T lane[lanes_of<T>], best{};
  std::int64_t best_block = 0;
  int best_count = 0;
  for (std::int64_t next = 0; next < elements; next += block) {
    const std::int64_t left = elements - next; // the last lanes may overlap the block before
    const std::int64_t begin = left < lanes_of<T> ? elements - lanes_of<T> : next;
    const int count = int(left < lanes_of<T> ? lanes_of<T> : left < block ? left : block);
    if (fold_numbers(from + begin, count, lane, c))
      if (const std::int64_t i = first_nan(from + begin, count); i < count) {
        *at = begin + i;
        return from[*at];
      }
    if (next > 0 && !may_exceed(lane, lanes_of<T>, best, c)) continue;
    const T found = join_numbers(lane, c);
    if (next > 0 && !(Combination::is_minimum ? found < best : best < found)) continue;
    best = found, best_block = begin, best_count = count;
  }
  *at = best_block + place_of(from + best_block, best_count, best);
  return best;
}

/// A line that is not shorter than the lanes becomes one value.
template <int chunk, bool positions, typename T, typename Combination>
PRISM_ARRAY_INLINE T fold_line(const T* from, std::int64_t elements, std::int64_t* at, Combination c) {
  T lane[lanes_of<T>];
  if constexpr (positions) return find_extreme<chunk>(from, elements, at, c);
  else if constexpr (Combination::leaves_nan_out) {
    if (fold_numbers(from, elements, lane, c))
      if (const std::int64_t i = first_nan(from, elements); i < elements) return from[i];
    return join_numbers(lane, c);
  } else {
    fold_part<inline_rows, chunk>(from, elements, lane, c);
    return join_numbers(lane, c);
  }
}

/// Stores values, or their positions as well or instead, as the program asks.
template <bool positions, typename T>
inline void store_folded(const program& p, std::int64_t first, const T* values, const std::int64_t* at,
                         int count) {
  if constexpr (positions) {
    std::int64_t* const partial = p.folded.partial_positions;
    std::int64_t* const to = (partial ? partial : reinterpret_cast<std::int64_t*>(p.result.data)) + first;
    PRISM_ARRAY_SCALARS
    for (int i = 0; i < count; ++i) to[i] = at[i];
    if (!partial) return;
  }
  store_numbers(p.result, first, values, count);
}

/// `count` lines from `from` on.
template <int chunk, bool positions, typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_some(const T* from, std::int64_t elements, int count, T* to, std::int64_t* at,
                                  Combination c) {
  if (elements < lanes_of<T>) return fold_short_rows<positions>(from, elements, count, to, at, c);
  if constexpr (positions) {
    constexpr std::int64_t cached = 8 * chunk; // of 32 KiB
    if (elements <= cached / 2) {
      // The search for a place waits for the extreme of all its line: it is rarer after several lines.
      const int some = int(cached / elements);
      for (int done = 0; done < count; done += some) {
        const int end = count - done < some ? count : done + some;
        for (int r = done; r < end; ++r)
          to[r] = fold_line<chunk, false>(from + r * elements, elements, at, c);
        for (int r = done; r < end; ++r) at[r] = place_of(from + r * elements, int(elements), to[r]);
      }
      return;
    }
  }
  for (int r = 0; r < count; ++r)
    to[r] = fold_line<chunk, positions>(from + r * elements, elements, at + (positions ? r : 0), c);
}

/// The units [first, last) by one combination.
template <int chunk, bool positions, typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_lines(const T* elements, const program& p, std::int64_t first, std::int64_t last,
                                   Combination c) {
  constexpr int batch = 64;
  T kept[batch];
  std::int64_t at[positions ? batch : 1];
  const fold_layout& f = p.folded;
  const unit_form form = fold_form<chunk>(f);
  const bool has_parts = f.parts > 1;
  // Without parts neighbouring units are neighbouring lines.
  const std::int64_t lines = form == unit_form::rows ? chunk / f.elements : 1;
  std::int64_t line = has_parts ? first : first * lines;
  const std::int64_t end = has_parts ? last : last * lines < f.results ? last * lines : f.results;
  for (int count = 0; line < end; line += count) {
    count = int(end - line < batch ? end - line : batch);
    const int step = has_parts ? 1 : count;
    for (int r = 0; r < count; r += step) {
      std::int64_t begin = line * f.elements, length = f.elements;
      if (has_parts) {
        const unit_span s = span_of<chunk>(f, p.size, line + r, form);
        begin = s.first, length = (s.chunks - 1) * chunk + s.last;
      }
      std::int64_t* const place = at + (positions ? r : 0);
      fold_some<chunk, positions>(elements + begin, length, step, kept + r, place, c);
      if constexpr (positions)
        if (has_parts) *place += begin % f.elements;
    }
    store_folded<positions>(p, line, kept, at, count);
  }
}

} // namespace prism::array_detail
