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
#define PRISM_ARRAY_ONE asm volatile("") // in the body of such a loop
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

/// Folds `rows` rows of lanes. Of combinations that leave NaN out, the sums of all elements show whether
/// there is one; infinities of both signs only cost the search for it.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_rows(const T* from, std::int64_t rows, T* lane, Combination c) {
  constexpr int lanes = lanes_of<T>;
  T kept[lanes], sum[lanes];
  for (int i = 0; i < lanes; ++i) {
    kept[i] = from[i];
    if constexpr (Combination::leaves_nan_out) sum[i] = from[i];
  }
  for (std::int64_t k = 1; k < rows; ++k) {
    const T* const a = from + k * lanes;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < lanes; ++i) {
      kept[i] = c.quick(kept[i], a[i]);
      if constexpr (Combination::leaves_nan_out) sum[i] += a[i];
    }
  }
  for (int i = 0; i < lanes; ++i) lane[i] = kept[i];
  if constexpr (Combination::leaves_nan_out) {
    flags_of<T> found = 0;
    PRISM_ARRAY_VECTORS
    for (int i = 0; i < lanes; ++i) found |= -flags_of<T>(sum[i] != sum[i]);
    if (found != 0) put_nan(from, lanes, rows, lanes, lane);
  }
}

/// fold_rows() in the code of the caller, as device kernels need it.
struct inline_rows {
  template <typename T, typename Combination>
  PRISM_ARRAY_INLINED static void fold(const T* from, std::int64_t rows, T* lane, Combination c) {
    fold_rows(from, rows, lane, c);
  }
};

/// Folds `count` neighbours into lanes, and returns how many there are. Rows: whose fold() is fold_rows().
template <typename Rows, typename T, typename Combination>
PRISM_ARRAY_INLINE int fold_lanes(const T* from, std::int64_t count, T* lane, Combination c) {
  constexpr int lanes = lanes_of<T>;
  const std::int64_t rows = count / lanes;
  if (rows == 0) {
    PRISM_ARRAY_SCALARS
    for (int i = 0; i < int(count); ++i) {
      PRISM_ARRAY_ONE;
      lane[i] = from[i];
    }
    return int(count);
  }
  Rows::fold(from, rows, lane, c);
  const T* const rest = from + rows * lanes;
  PRISM_ARRAY_VECTORS
  for (int i = 0; i < int(count - rows * lanes); ++i) lane[i] = c.exact(lane[i], rest[i]);
  return lanes;
}

/// The lanes become one value.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE T join_lanes(T* lane, int used, Combination c) {
  if (used == lanes_of<T>) {
    for (used /= 2; used > 2; used /= 2) {
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < used; ++i) lane[i] = c.exact(lane[i], lane[used + i]);
    }
    used *= 2;
  }
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

/// Each of `count` rows, which are shorter than the lanes, becomes one value.
template <typename T, typename Combination>
PRISM_ARRAY_INLINE void fold_short_rows(const T* from, std::int64_t elements, int count, T* to,
                                        Combination c) {
  int r = 0;
  for (; r + 4 <= count; r += 4) { // four sums at a time do not wait for each other
    const T* const row = from + r * elements;
    T v = row[0], w = row[elements], x = row[2 * elements], y = row[3 * elements];
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) {
      PRISM_ARRAY_ONE;
      v = c.exact(v, row[i]), w = c.exact(w, row[elements + i]);
      x = c.exact(x, row[2 * elements + i]), y = c.exact(y, row[3 * elements + i]);
    }
    to[r] = v, to[r + 1] = w, to[r + 2] = x, to[r + 3] = y;
  }
  for (; r < count; ++r) {
    T total = from[r * elements];
    PRISM_ARRAY_SCALARS
    for (std::int64_t i = 1; i < elements; ++i) {
      PRISM_ARRAY_ONE;
      total = c.exact(total, from[r * elements + i]);
    }
    to[r] = total;
  }
}

/// The first of `count` neighbours that equals `value` or is NaN as it is; there is one.
template <typename T>
PRISM_ARRAY_INLINE int place_of(const T* from, int count, T value) {
  int begin = 0;
  if constexpr (functions<T>::is_complex) return 0; // has no order
  else {
    constexpr int lanes = lanes_of<T>;
    for (; begin + lanes <= count; begin += lanes) {
      flags_of<T> found = 0;
      PRISM_ARRAY_VECTORS
      for (int i = 0; i < lanes; ++i) {
        const T each = from[begin + i];
        found |= -flags_of<T>((each == value) | (each != each));
      }
      if (found != 0) break;
    }
    PRISM_ARRAY_SCALARS
    for (int i = begin; i < count; ++i)
      if ((from[i] == value) | (from[i] != from[i])) return i;
    return 0;
  }
}

} // namespace prism::array_detail
