// Folds of neighbours in memory, without steps: the units of chunks.hpp in the forms `part` and `rows`, in
// the same order. The elements may be narrower integers than those of the arithmetic.
#pragma once

#include "kernels/array/chunks.hpp"

namespace prism::array_detail {

/// Calls `use` with std::type_identity of the type of a line's elements (folds_lines(),
/// folds_narrow_lines()).
template <typename T, typename Use>
PRISM_ARRAY_INLINE void with_line_type(const program& p, const Use& use) {
  if constexpr (std::is_integral_v<T>) {
    switch (dtype(p.leaf[0].type)) {
      case dtype::boolean:
      case dtype::uint8: return use(std::type_identity<std::uint8_t>());
      case dtype::uint16: return use(std::type_identity<std::uint16_t>());
      case dtype::uint32: return use(std::type_identity<std::uint32_t>());
      default: break;
    }
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    switch (dtype(p.leaf[0].type)) {
      case dtype::int8: return use(std::type_identity<std::int8_t>());
      case dtype::int16: return use(std::type_identity<std::int16_t>());
      case dtype::int32: return use(std::type_identity<std::int32_t>());
      default: break;
    }
  }
  use(std::type_identity<T>());
}

/// Calls `use` with the combination of `op` for elements of E, and whether it asks for positions. Narrow
/// elements have extremes, places and truth.
template <typename T, typename E, typename Use>
PRISM_ARRAY_INLINE void dispatch_lines(fold_op op, const Use& use) {
  constexpr std::false_type values;
  if constexpr (!functions<E>::is_complex) {
    constexpr std::true_type positions;
    if (op == fold_op::minimum) return use(combination<E, fold_op::minimum>(), values);
    if (op == fold_op::maximum) return use(combination<E, fold_op::maximum>(), values);
    if (op == fold_op::first_minimum) return use(combination<E, fold_op::minimum>(), positions);
    if (op == fold_op::first_maximum) return use(combination<E, fold_op::maximum>(), positions);
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

/// The units [first, last) of extremes, place by place.
template <int chunk, typename E, typename Combination>
PRISM_ARRAY_INLINE void fold_place_units(const E* elements, const program& p, std::int64_t first,
                                         std::int64_t last, Combination c) {
  E kept[chunk];
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, unit_form::columns);
    const E* const from = elements + s.first;
    __builtin_memcpy(kept, from, sizeof(E) * std::size_t(s.count));
    fold_places(from + s.advance, s.advance, s.chunks - 1, s.count, kept, c);
    store_numbers(p.result, s.result, kept, s.count);
  }
}

/// The sum of narrow integers, or how many are not 0.
template <typename T, bool counts, typename E>
PRISM_ARRAY_INLINE T sum_narrow(const E* from, std::int64_t count) {
  constexpr std::int64_t block = 16384; // whose sum fits 32 bits
  using part_of = std::conditional_t<sizeof(E) <= 2, std::int32_t, T>;
  T total = 0;
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const E* const part_from = from + begin;
    const int size = int(count - begin < block ? count - begin : block);
    part_of part = 0;
    int i = 0;
    if constexpr (counts) {
      constexpr int lanes = 64, rows = 128; // fewer than a byte counts
      while (i + lanes <= size) {
        std::uint8_t found[lanes] = {};
        for (int r = 0; r < rows && i + lanes <= size; ++r, i += lanes) {
          PRISM_ARRAY_VECTORS
          for (int k = 0; k < lanes; ++k) found[k] += part_from[i + k] != 0;
        }
        PRISM_ARRAY_VECTORS
        for (int k = 0; k < lanes; ++k) part += found[k];
      }
    }
    PRISM_ARRAY_VECTORS
    for (int k = i; k < size; ++k) part += counts ? part_of(part_from[k] != 0) : part_of(part_from[k]);
    total += T(part);
  }
  return total;
}

/// The units [first, last) of a sum of narrow integers.
template <int chunk, typename T, bool counts, typename E>
PRISM_ARRAY_INLINE void sum_lines(const E* elements, const program& p, std::int64_t first,
                                  std::int64_t last) {
  T kept[chunk];
  const unit_form form = fold_form<chunk>(p.folded);
  for (std::int64_t unit = first; unit < last; ++unit) {
    const unit_span s = span_of<chunk>(p.folded, p.size, unit, form);
    const bool is_rows = form == unit_form::rows;
    const std::int64_t length = is_rows ? p.folded.elements : (s.chunks - 1) * chunk + s.last;
    const int lines = is_rows ? int(s.count / length) : 1;
    for (int r = 0; r < lines; ++r) kept[r] = sum_narrow<T, counts>(elements + s.first + r * length, length);
    store_numbers(p.result, s.result, kept, lines);
  }
}

} // namespace prism::array_detail
