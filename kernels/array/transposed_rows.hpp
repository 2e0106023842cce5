// Rows of a transposed matrix, eight at once: one after the other they would read a cache line for each
// element.
#pragma once

#include "kernels/array/program.hpp"

#include <cstdint>

namespace prism::array_detail {

inline constexpr int transposed_rows = 8;

/// to[r * advance + i] = from[r + i * stride], for r below `rows` and i below `count`.
template <typename T>
PRISM_ARRAY_INLINE void load_transposed(const T* from, std::int64_t stride, int rows, int count, T* to,
                                        int advance) {
  constexpr int width = 4;
  typedef T vector __attribute__((vector_size(width * sizeof(T))));
  int i = 0;
  for (; rows == transposed_rows && i + width <= count; i += width) {
    for (int r = 0; r < rows; r += width) {
      vector line[width];
      for (int k = 0; k < width; ++k) {
        __builtin_memcpy(&line[k], from + (i + k) * stride + r, sizeof(vector));
        __builtin_prefetch(from + (i + k) * stride + r + transposed_rows);
      }
      const vector even = __builtin_shufflevector(line[0], line[1], 0, 4, 2, 6),
                   odd = __builtin_shufflevector(line[0], line[1], 1, 5, 3, 7),
                   even_below = __builtin_shufflevector(line[2], line[3], 0, 4, 2, 6),
                   odd_below = __builtin_shufflevector(line[2], line[3], 1, 5, 3, 7);
      const vector made[width] = {__builtin_shufflevector(even, even_below, 0, 1, 4, 5),
                                  __builtin_shufflevector(odd, odd_below, 0, 1, 4, 5),
                                  __builtin_shufflevector(even, even_below, 2, 3, 6, 7),
                                  __builtin_shufflevector(odd, odd_below, 2, 3, 6, 7)};
      for (int k = 0; k < width; ++k) __builtin_memcpy(to + (r + k) * advance + i, &made[k], sizeof(vector));
    }
  }
  for (; i < count; ++i)
    for (int r = 0; r < rows; ++r) to[r * advance + i] = from[r + i * stride];
}

} // namespace prism::array_detail
