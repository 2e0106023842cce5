// Folds of neighbours in memory: a line of elements is folded into lanes, which vector registers hold, and
// these into one value. Element i belongs to lane i % lanes_of<T>, so that the order depends on the line's
// length only.
#pragma once

#include "kernels/array/steps.hpp"

#include <cstdint>
#include <type_traits>

#ifdef __clang__
#define PRISM_ARRAY_VECTORS _Pragma("clang loop vectorize(assume_safety)")
/// Of loops that are rare or limited by memory: vectors would only lengthen the compilation.
#define PRISM_ARRAY_SCALARS _Pragma("clang loop vectorize(disable) unroll(disable)")
#define PRISM_ARRAY_ONE (void)0
#else
#define PRISM_ARRAY_VECTORS _Pragma("GCC ivdep")
#define PRISM_ARRAY_SCALARS
#define PRISM_ARRAY_ONE asm volatile("" ::: "memory") // in the body of such a loop, or between stores
#endif

namespace prism::array_detail {

/// Numbers of T that are folded together: their values stay in registers.
template <typename T>
inline constexpr int lanes_of = int(256 / sizeof(T));

/// Integers as wide as T, for the results of its comparisons.
template <typename T>
using flags_of =
    std::conditional_t<sizeof(T) == 1, std::int8_t,
                       std::conditional_t<sizeof(T) == 2, std::int16_t,
                                          std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>>;

/// After a fold by quick(): puts in the NaN that it left out.
template <typename T>
PRISM_ARRAY_INLINE void put_nan(const T* from, std::int64_t advance, std::int64_t chunks, int count,
                                T* kept) {
  for (std::int64_t k = 0; k < chunks; ++k) {
    const T* const a = from + k * advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) kept[i] = ((a[i] != a[i]) & (kept[i] == kept[i])) ? a[i] : kept[i];
  }
}

template <typename T, typename Combination>
PRISM_ARRAY_INLINE void take_row(const T* row, T* kept, T* sum, Combination c) {
  PRISM_ARRAY_VECTORS
  for (int i = 0; i < lanes_of<T>; ++i) {
    kept[i] = c.quick(kept[i], row[i]);
    if constexpr (Combination::leaves_nan_out) sum[i] += row[i];
  }
}

#ifdef __clang__
/// Vectors of the language, as many as the lanes: PoCL's compiler makes scalars in memory of an array of
/// lanes.
template <typename Combination, typename T>
struct lane_vectors {
  static constexpr int bytes = 32, width = bytes / int(sizeof(T)), count = lanes_of<T> / width;
  static constexpr bool finds_nan = Combination::leaves_nan_out;
  static constexpr std::int64_t block = 8; // rows that stay in the first-level cache
  using number = typename std::conditional_t<std::is_integral_v<T> && !Combination::is_idempotent,
                                             std::make_unsigned<T>, std::type_identity<T>>::type; // sums wrap
  typedef number vector __attribute__((vector_size(bytes)));

  vector lanes[count];
  vector sums[finds_nan ? count / 2 : 1]; // with the lanes they fit 16 registers

  PRISM_ARRAY_INLINED explicit lane_vectors(const T* row) {
#pragma clang loop unroll(full)
    for (int v = 0; v < count; ++v) __builtin_memcpy(&lanes[v], row + v * width, bytes);
    if constexpr (finds_nan)
#pragma clang loop unroll(full)
      for (int v = 0; v < count / 2; ++v) sums[v] = lanes[v] + lanes[v + count / 2];
  }
  PRISM_ARRAY_INLINED void combine(const T* row) {
#pragma clang loop unroll(full)
    for (int v = 0; v < count; ++v) {
      vector next;
      __builtin_memcpy(&next, row + v * width, bytes);
      if constexpr (Combination::is_minimum) lanes[v] = next < lanes[v] ? next : lanes[v];
      else if constexpr (Combination::is_maximum) lanes[v] = lanes[v] < next ? next : lanes[v];
      else if constexpr (Combination::operation == fold_op::product) lanes[v] = lanes[v] * next;
      else lanes[v] = lanes[v] + next;
    }
  }
  PRISM_ARRAY_INLINED void add(const T* row) {
#pragma clang loop unroll(full)
    for (int v = 0; v < count; ++v) {
      vector next;
      __builtin_memcpy(&next, row + v * width, bytes);
      sums[v % (count / 2)] = sums[v % (count / 2)] + next;
    }
  }
  /// Extremes take two loops: PoCL's compiler makes no vectors of numbers that two chains use.
  PRISM_ARRAY_INLINED void take(const T* from, std::int64_t rows) {
    if constexpr (finds_nan) {
#pragma clang loop vectorize(disable) unroll(disable)
      for (std::int64_t begin = 0; begin < rows; begin += block) {
        const std::int64_t end = begin + block < rows ? begin + block : rows;
#pragma clang loop vectorize(disable) unroll(disable)
        for (std::int64_t k = begin; k < end; ++k) combine(from + k * lanes_of<T>);
#pragma clang loop vectorize(disable) unroll(disable)
        for (std::int64_t k = begin; k < end; ++k) add(from + k * lanes_of<T>);
      }
    } else {
#pragma clang loop vectorize(disable) unroll(disable)
      for (std::int64_t k = 0; k < rows; ++k) combine(from + k * lanes_of<T>);
    }
  }
  PRISM_ARRAY_INLINED void put(T* lane) const {
#pragma clang loop unroll(full)
    for (int v = 0; v < count; ++v) __builtin_memcpy(lane + v * width, &lanes[v], bytes);
  }
  /// Infinities of both signs look like NaN.
  PRISM_ARRAY_INLINED bool may_have_nan() const {
    if constexpr (finds_nan) {
      vector all = sums[0];
#pragma clang loop unroll(full)
      for (int v = 1; v < count / 2; ++v) all = all + sums[v];
      T total = all[0];
#pragma clang loop unroll(full)
      for (int i = 1; i < width; ++i) total += all[i];
      return total != total;
    }
    return false;
  }
};

/// Combines `rows` rows of lanes_of<T> neighbours, and of extremes a last row that may overlap the one
/// before, lane by lane. Returns whether there may be NaN among the numbers of extremes.
template <typename Combination, typename T>
PRISM_ARRAY_INLINE bool fold_vectors(const T* from, std::int64_t rows, const T* last, T* lane) {
  lane_vectors<Combination, T> all(from);
  all.take(from + lanes_of<T>, rows - 1);
  if constexpr (Combination::is_idempotent) all.take(last, 1);
  all.put(lane);
  return all.may_have_nan();
}
#endif

/// Folds `count` neighbours, lanes_of<T> or more, into lanes, of extremes without NaN. Returns whether there
/// may be NaN, as the sums of all elements show; infinities of both signs only cost the search for it.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE bool fold_numbers(const T* from, std::int64_t count, T* lane, Combination c) {
  constexpr int lanes = lanes_of<T>;
  const std::int64_t rows = count / lanes;
  const T* const rest = from + rows * lanes;
#ifdef __clang__
  constexpr bool is_extreme = Combination::is_minimum || Combination::is_maximum;
  if constexpr (std::is_arithmetic_v<T> && (is_extreme || !Combination::is_idempotent)) {
    const bool may_have_nan = fold_vectors<Combination>(from, rows, from + (count - lanes), lane);
    if constexpr (!is_extreme) {
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < int(count - rows * lanes); ++i) lane[i] = c.exact(lane[i], rest[i]);
    }
    return may_have_nan;
  }
#endif
  T kept[lanes], sum[lanes];
  for (int i = 0; i < lanes; ++i) {
    kept[i] = from[i];
    if constexpr (Combination::leaves_nan_out) sum[i] = from[i];
  }
  if constexpr (Combination::is_idempotent) { // one loop, whose values stay in registers on PoCL too
    const std::int64_t last = count - lanes;  // may overlap the row before
    for (std::int64_t k = lanes; k < count; k += lanes) take_row(from + (k < last ? k : last), kept, sum, c);
  } else
    for (std::int64_t k = 1; k < rows; ++k) take_row(from + k * lanes, kept, sum, c);
  for (int i = 0; i < lanes; ++i) lane[i] = kept[i];
  if constexpr (!Combination::is_idempotent) {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < int(count - rows * lanes); ++i) lane[i] = c.exact(lane[i], rest[i]);
  }
  flags_of<T> found = 0;
  if constexpr (Combination::leaves_nan_out) {
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < lanes; ++i) found |= -flags_of<T>(sum[i] != sum[i]);
  }
  return found != 0;
}

/// The same with NaN.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_rows(const T* from, std::int64_t count, T* lane, Combination c) {
  constexpr int lanes = lanes_of<T>;
  const bool may_have_nan = fold_numbers(from, count, lane, c);
  if constexpr (Combination::leaves_nan_out)
    if (may_have_nan) {
      put_nan(from, lanes, count / lanes, lanes, lane);
      put_nan(from + (count - lanes), lanes, 1, lanes, lane);
    }
}

/// Folds `rows` rows of `count` elements, which lie `advance` apart, into the values of their places. Of
/// combinations that leave NaN out, sums show whether there may be one.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_places(const T* from, std::int64_t advance, std::int64_t rows, int count,
                                    T* kept, Combination c) {
  using flags = flags_of<T>;
  flags nan = 0;
  std::int64_t k = 0;
  for (; k + 4 <= rows; k += 4) { // the values are loaded and stored less often
    const T *a = from + k * advance, *b = a + advance, *d = b + advance, *e = d + advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) {
      kept[i] = c.quick(c.quick(c.quick(c.quick(kept[i], a[i]), b[i]), d[i]), e[i]);
      if constexpr (Combination::leaves_nan_out) {
        const T sum = (a[i] + b[i]) + (d[i] + e[i]);
        nan |= -flags(sum != sum);
      }
    }
  }
  for (; k < rows; ++k) {
    const T* const a = from + k * advance;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < count; ++i) {
      kept[i] = c.quick(kept[i], a[i]);
      if constexpr (Combination::leaves_nan_out) nan |= -flags(a[i] != a[i]);
    }
  }
  if constexpr (Combination::leaves_nan_out)
    if (nan != 0) put_nan(from, advance, rows, count, kept);
}

/// The folds in the code of the caller, as device kernels need them.
struct inline_rows {
  template <typename T, typename Combination>
  PRISM_ARRAY_INLINED static void fold(const T* from, std::int64_t count, T* lane, Combination c) {
    fold_rows(from, count, lane, c);
  }
  template <typename T, typename Combination>
  PRISM_ARRAY_INLINED static void fold_places(const T* from, std::int64_t advance, std::int64_t rows,
                                              int count, T* kept, Combination c) {
    array_detail::fold_places(from, advance, rows, count, kept, c);
  }
};

/// Folds `count` neighbours into lanes, and returns how many there are. Rows: whose fold() is fold_rows().
template <typename Rows, typename T, typename Combination>
PRISM_ARRAY_INLINE int fold_lanes(const T* from, std::int64_t count, T* lane, Combination c) {
  if (count >= lanes_of<T>) {
    Rows::fold(from, count, lane, c);
    return lanes_of<T>;
  }
  PRISM_ARRAY_SCALARS
  for (int i = 0; i < int(count); ++i) {
    PRISM_ARRAY_ONE;
    lane[i] = from[i];
  }
  return int(count);
}

/// All lanes become one value by `combine`: halves are folded until four are left.
template <int used, typename T, typename Combine>
PRISM_ARRAY_INLINE T join_all(T* lane, const Combine& combine) {
  if constexpr (used > 4) {
    constexpr int half = used / 2;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < half; ++i) lane[i] = combine(lane[i], lane[half + i]);
    return join_all<half>(lane, combine);
  } else return combine(combine(combine(lane[0], lane[1]), lane[2]), lane[3]);
}

/// The lanes, none of which is NaN, become one value, without branches.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE T join_numbers(T* lane, Combination c) {
  return join_all<lanes_of<T>>(lane, [=](T a, T b) PRISM_ARRAY_INLINED {
    if constexpr (Combination::leaves_nan_out) return c.quick(a, b);
    else return c.exact(a, b);
  });
}

/// The lanes become one value, which is in the first.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE T join_lanes(T* lane, int used, Combination c) {
  if (used == lanes_of<T>)
    return lane[0] = join_all<lanes_of<T>>(lane, [=](T a, T b) PRISM_ARRAY_INLINED { return c.exact(a, b); });
  PRISM_ARRAY_SCALARS
  for (int i = 1; i < used; ++i) {
    PRISM_ARRAY_ONE;
    lane[0] = c.exact(lane[0], lane[i]);
  }
  return lane[0];
}

/// Adds the lanes of a further chunk of a part.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE void add_lanes(T* kept, const T* lane, int filled, Combination c) {
  PRISM_ARRAY_VECTORS
  for (int i = 0; i < filled; ++i) kept[i] = c.exact(kept[i], lane[i]);
}

/// Folds a part of a result into lanes: chunk by chunk if rounding makes the order matter, so that the errors
/// of long sums stay small, and as one line otherwise.
template <typename Rows, int chunk, typename T, typename Combination>
PRISM_ARRAY_INLINE int fold_part(const T* from, std::int64_t elements, T* kept, Combination c) {
  if constexpr (!Combination::has_order) return fold_lanes<Rows>(from, elements, kept, c);
  else {
    const int used = fold_lanes<Rows>(from, elements < chunk ? elements : chunk, kept, c);
    T lane[lanes_of<T>];
    for (std::int64_t at = chunk; at < elements; at += chunk) {
      const std::int64_t left = elements - at;
      const int filled = fold_lanes<Rows>(from + at, left < chunk ? left : chunk, lane, c);
      add_lanes(kept, lane, filled, c);
    }
    return used;
  }
}

/// The first of `count` neighbours that is NaN, or `count`.
template <typename T>
inline std::int64_t first_nan(const T* from, std::int64_t count) {
  std::int64_t i = 0;
  PRISM_ARRAY_SCALARS
  while (i < count && from[i] == from[i]) ++i;
  return i;
}

/// A short row and the place of its extreme. Of floating-point numbers the sum shows whether there may be
/// NaN, which is the extreme then.
template <bool positions, typename T, typename Combination>
struct row_extreme {
  T value, sum;
  std::int64_t at = 0;

  PRISM_ARRAY_INLINED explicit row_extreme(T first) : value(first), sum(first) {}
  PRISM_ARRAY_INLINED void take(T each, std::int64_t i, Combination c) {
    if constexpr (positions) {
      const bool is_better = Combination::is_minimum ? each < value : value < each;
      value = is_better ? each : value, at = is_better ? i : at;
    } else value = c.quick(value, each);
    if constexpr (Combination::leaves_nan_out) sum += each;
  }
  PRISM_ARRAY_INLINED void end(const T* row, std::int64_t elements) {
    if constexpr (Combination::leaves_nan_out)
      if (sum != sum)
        if (const std::int64_t i = first_nan(row, elements); i < elements) value = row[i], at = i;
  }
};

/// The same of a combination that has no place.
template <typename T, typename Combination>
struct row_value {
  T value;
  static constexpr std::int64_t at = 0;
  PRISM_ARRAY_INLINED explicit row_value(T first) : value(first) {}
  PRISM_ARRAY_INLINED void take(T each, std::int64_t, Combination c) { value = c.exact(value, each); }
  PRISM_ARRAY_INLINED void end(const T*, std::int64_t) {}
};

/// Each of `count` rows, which are shorter than the lanes, becomes one value, of which `at` gets the place if
/// it is asked.
template <bool positions, typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_short_rows(const T* from, std::int64_t elements, int count, T* to,
                                        std::int64_t* at, Combination c) {
  using row_fold = std::conditional_t<Combination::is_minimum || Combination::is_maximum,
                                      row_extreme<positions, T, Combination>, row_value<T, Combination>>;
  const auto end = [=](row_fold& fold, int r) PRISM_ARRAY_INLINED {
    fold.end(from + r * elements, elements);
    PRISM_ARRAY_ONE;
    to[r] = fold.value;
    if constexpr (positions) at[r] = fold.at;
  };
  int r = 0;
  for (; r + 4 <= count; r += 4) { // four rows at a time do not wait for each other
    const T *const a = from + r * elements, *const b = a + elements, *const d = b + elements,
                   *const e = d + elements;
    row_fold v(a[0]), w(b[0]), x(d[0]), y(e[0]);
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) {
      PRISM_ARRAY_ONE;
      v.take(a[i], i, c), w.take(b[i], i, c), x.take(d[i], i, c), y.take(e[i], i, c);
    }
    end(v, r), end(w, r + 1), end(x, r + 2), end(y, r + 3);
  }
  for (; r < count; ++r) {
    const T* const a = from + r * elements;
    row_fold v(a[0]);
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) {
      PRISM_ARRAY_ONE;
      v.take(a[i], i, c);
    }
    end(v, r);
  }
}

/// The first of the lanes from `from` on that `is_it`, or the greatest value of flags_of<T>.
template <typename T, typename Test>
PRISM_ARRAY_INLINE int place_in_lanes(const T* from, const Test& is_it) {
  constexpr flags_of<T> none = flags_of<T>(lanes_of<T>);
  flags_of<T> first = none;
  PRISM_ARRAY_VECTORS
  for (int i = 0; i < lanes_of<T>; ++i) {
    const flags_of<T> place = is_it(from[i]) ? flags_of<T>(i) : none;
    first = place < first ? place : first;
  }
  return int(first);
}

/// The first of `count` neighbours that `is_it`; there is one.
template <typename T, typename Test>
PRISM_ARRAY_INLINE int first_place(const T* from, int count, const Test& is_it) {
  constexpr int lanes = lanes_of<T>;
  int begin = 0;
  if (count < lanes) {
    PRISM_ARRAY_SCALARS
    while (begin + 1 < count && !is_it(from[begin])) ++begin;
    return begin;
  }
  for (; begin + lanes < count; begin += lanes) {
    flags_of<T> found = 0;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < lanes; ++i) found |= -flags_of<T>(is_it(from[begin + i]));
    if (found != 0) break;
  }
  begin = begin + lanes < count ? begin : count - lanes; // the last lanes overlap those before
  return begin + place_in_lanes(from + begin, is_it);
}

/// The first of `count` bytes that equals `value`; there is one.
template <typename T>
PRISM_ARRAY_INLINE int place_of_byte(const T* from, int count, T value) {
  constexpr int block = 64;
  int i = 0;
  for (std::uint8_t found = 0; i + block <= count; i += block) {
    PRISM_ARRAY_VECTORS
    for (int k = 0; k < block; ++k) found |= std::uint8_t(from[i + k] == value);
    if (found != 0) break;
  }
  PRISM_ARRAY_SCALARS
  while (i + 1 < count && from[i] != value) ++i;
  return i;
}

/// The first of `count` neighbours that equals `value` or is NaN as it is; there is one.
template <typename T>
PRISM_ARRAY_INLINE int place_of(const T* from, int count, T value) {
  if constexpr (functions<T>::is_complex) return 0; // no place of these is asked
  else if constexpr (sizeof(T) == 1) return place_of_byte(from, count, value);
  else if constexpr (!functions<T>::is_integer) {
    if (value != value)
      return first_place(from, count, [](T each) PRISM_ARRAY_INLINED { return each != each; });
  }
  if constexpr (!functions<T>::is_complex && sizeof(T) > 1)
    return first_place(from, count, [=](T each) PRISM_ARRAY_INLINED { return each == value; });
}

} // namespace prism::array_detail
