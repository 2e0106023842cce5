// Rows of a transposed matrix, sixteen at once: one after the other they would read a cache line for each
// element.
#pragma once

#include "kernels/array/program.hpp"

#include <cstdint>
#include <utility>

namespace prism::array_detail {

inline constexpr int transposed_rows = 16;

/// Four lines of four neighbours as four rows. The lines are `stride` apart.
template <typename Number>
struct square_of_lines {
  static constexpr int width = 4;
  typedef Number vector __attribute__((vector_size(width * sizeof(Number))));
  vector row[width];

  PRISM_ARRAY_INLINED square_of_lines(const void* from, std::int64_t stride) {
    vector line[width];
    for (int k = 0; k < width; ++k)
      __builtin_memcpy(&line[k], static_cast<const Number*>(from) + k * stride, sizeof(vector));
    const vector even = __builtin_shufflevector(line[0], line[1], 0, 4, 2, 6),
                 odd = __builtin_shufflevector(line[0], line[1], 1, 5, 3, 7),
                 even_below = __builtin_shufflevector(line[2], line[3], 0, 4, 2, 6),
                 odd_below = __builtin_shufflevector(line[2], line[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(even, even_below, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(odd, odd_below, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(even, even_below, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(odd, odd_below, 2, 3, 6, 7);
  }
};

/// Sixteen bytes each of `width` lines, `stride` bytes apart, whose elements of `Number`, of one byte or two,
/// become rows: each of log2(width) steps puts the elements of two halves in turn.
template <typename Number>
struct narrow_square {
  static constexpr int width = 16 / int(sizeof(Number));
  typedef Number vector __attribute__((vector_size(16)));
  vector row[width];

  PRISM_ARRAY_INLINED narrow_square(const Number* from, std::int64_t stride) {
    for (int k = 0; k < width; ++k) __builtin_memcpy(&row[k], from + k * stride, sizeof(vector));
    for (int half = width / 2; half >= 1; half /= 2) {
      vector next[width];
      for (int k = 0; k < width / 2; ++k) {
        next[2 * k] = in_turn<0>(row[k], row[k + width / 2], std::make_integer_sequence<int, width>());
        next[2 * k + 1] =
            in_turn<width / 2>(row[k], row[k + width / 2], std::make_integer_sequence<int, width>());
      }
      for (int k = 0; k < width; ++k) row[k] = next[k];
    }
  }

private:
  template <int First, int... I>
  PRISM_ARRAY_INLINED static vector in_turn(const vector& a, const vector& b,
                                            std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (First + I / 2 + I % 2 * width)...);
  }
};

/// to[r * advance + i] = from[r + i * stride], for r below `rows` and i below `count`; of elements of one
/// byte or two.
template <typename Number>
void load_transposed_narrow(const Number* from, std::int64_t stride, int rows, int count, Number* to,
                            std::int64_t advance) {
  using square = narrow_square<Number>;
  constexpr int width = square::width;
  int i = 0;
  for (; rows == transposed_rows && i + width <= count; i += width)
    for (int r = 0; r < rows; r += width) {
      const square made(from + i * stride + r, stride);
      for (int k = 0; k < width; ++k)
        __builtin_memcpy(to + (r + k) * advance + i, &made.row[k], sizeof made.row[k]);
    }
  for (; i < count; ++i)
    for (int r = 0; r < rows; ++r) to[r * advance + i] = from[r + i * stride];
}

/// sum[i] = from[i * stride] + ... + from[i * stride + elements - 1], one after the other.
template <typename T>
PRISM_ARRAY_INLINE void sum_transposed(const T* from, std::int64_t stride, std::int64_t elements, int count,
                                       T* sum) {
  using number = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                             std::type_identity<T>>::type; // wraps
  using square = square_of_lines<number>;
  constexpr int width = square::width;
  int i = 0;
  for (; i + 2 * width <= count; i += 2 * width) { // two groups do not wait for each other
    const T* const a = from + i * stride;
    const T* const b = a + width * stride;
    typename square::vector first{}, second{};
    std::int64_t k = 0;
    for (; k + width <= elements; k += width) {
      const square x(a + k, stride), y(b + k, stride);
      for (int r = 0; r < width; ++r) {
        first = k + r == 0 ? x.row[r] : first + x.row[r];
        second = k + r == 0 ? y.row[r] : second + y.row[r];
      }
    }
    for (int n = 0; n < width; ++n) {
      number u = first[n], v = second[n];
      for (std::int64_t j = k; j < elements; ++j) {
        u = j == 0 ? number(a[n * stride]) : u + number(a[n * stride + j]);
        v = j == 0 ? number(b[n * stride]) : v + number(b[n * stride + j]);
      }
      sum[i + n] = T(u), sum[i + width + n] = T(v);
    }
  }
  for (; i < count; ++i) {
    number u = number(from[i * stride]);
    for (std::int64_t j = 1; j < elements; ++j) u = u + number(from[i * stride + j]);
    sum[i] = T(u);
  }
}

/// to[r * advance + i] = from[r + i * stride], for r below `rows` and i below `count`.
template <typename T>
PRISM_ARRAY_INLINE void load_transposed(const T* from, std::int64_t stride, int rows, int count, T* to,
                                        std::int64_t advance) {
  using square = square_of_lines<T>;
  constexpr int width = square::width, of_line = 64 / int(sizeof(T));
  int i = 0;
  for (; rows == transposed_rows && i + width <= count; i += width) {
    for (int r = 0; r < rows; r += of_line)
      for (int k = 0; k < width; ++k) __builtin_prefetch(from + (i + k) * stride + r + transposed_rows);
    for (int r = 0; r < rows; r += width) {
      const square made(from + i * stride + r, stride);
      for (int k = 0; k < width; ++k)
        __builtin_memcpy(to + (r + k) * advance + i, &made.row[k], sizeof made.row[k]);
    }
  }
  for (; i < count; ++i)
    for (int r = 0; r < rows; ++r) to[r * advance + i] = from[r + i * stride];
}

} // namespace prism::array_detail
