// MRG32k3a (P. L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number
// generators", Operations Research 47(1), 1999), for kernels and host code: two recurrences of order 3, whose
// difference is the number. The states that follow one another are products with a matrix, so a power of the
// matrix skips any number of them (P. L'Ecuyer, R. Simard, E. Chen, W. Kelton, "An object-oriented
// random-number package with many long streams and substreams", Operations Research 50(6), 2002).
#pragma once

#include <array>
#include <cstdint>

namespace prism::random::mrg32k3a {

inline constexpr std::uint32_t modulus_x = 4294967087u, modulus_y = 4294944443u; // 2^32 - 209, 2^32 - 22853
inline constexpr std::uint32_t a12 = 1403580u, a13_negated = 810728u, a21 = 527612u, a23_negated = 1370589u;

/// The last three values of both recurrences, the oldest first.
struct state {
  std::uint32_t x[3] = {1, 1, 1}, y[3] = {1, 1, 1};
};

/// value mod Modulus, where 2^32 - Modulus < 2^15: the upper half counts 2^32 - Modulus each.
template <std::uint32_t Modulus>
inline std::uint32_t reduced(std::uint64_t value) {
  constexpr std::uint64_t excess = (std::uint64_t(1) << 32) - Modulus;
  value = (value >> 32) * excess + std::uint32_t(value);
  value = (value >> 32) * excess + std::uint32_t(value);
  return std::uint32_t(value >= Modulus ? value - Modulus : value);
}

/// The next number, in [0, modulus_x). `at` goes on by one.
inline std::uint32_t next(state& at) {
  const std::uint32_t x =
      reduced<modulus_x>(std::uint64_t(a12) * at.x[1] + std::uint64_t(a13_negated) * (modulus_x - at.x[0]));
  const std::uint32_t y =
      reduced<modulus_y>(std::uint64_t(a21) * at.y[2] + std::uint64_t(a23_negated) * (modulus_y - at.y[0]));
  at = {{at.x[1], at.x[2], x}, {at.y[1], at.y[2], y}};
  return x >= y ? x - y : x + (modulus_x - y);
}

/// The matrices of both recurrences, by rows: a step, or a power of it.
using jump = std::array<std::uint32_t, 18>;

/// A 3 x 3 matrix times a column.
template <std::uint32_t Modulus>
inline void multiply(const std::uint32_t* matrix, const std::uint32_t* column, std::uint32_t* out) {
  for (int i = 0; i < 3; ++i) {
    std::uint64_t sum = 0;
    for (int j = 0; j < 3; ++j) sum += reduced<Modulus>(std::uint64_t(matrix[3 * i + j]) * column[j]);
    out[i] = reduced<Modulus>(sum);
  }
}
/// The state behind a jump, of which these are the 18 words.
inline state jumped(const std::uint32_t* by, const state& from) {
  state out;
  multiply<modulus_x>(by, from.x, out.x);
  multiply<modulus_y>(by + 9, from.y, out.y);
  return out;
}

inline jump no_step() { return {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}; }
inline jump one_step() {
  return {0, 1, 0, 0, 0, 1, modulus_x - a13_negated, a12, 0,
          0, 1, 0, 0, 0, 1, modulus_y - a23_negated, 0,   a21};
}
/// First b, then a. Jumps of one sequence commute.
inline jump product(const jump& a, const jump& b) {
  jump out{};
  for (int column = 0; column < 3; ++column) {
    const auto at = [&](int i) { return static_cast<std::size_t>(i); };
    const std::uint32_t x[3] = {b[at(column)], b[at(column + 3)], b[at(column + 6)]},
                        y[3] = {b[at(column + 9)], b[at(column + 12)], b[at(column + 15)]};
    std::uint32_t found[3];
    multiply<modulus_x>(a.data(), x, found);
    for (int i = 0; i < 3; ++i) out[at(3 * i + column)] = found[i];
    multiply<modulus_y>(a.data() + 9, y, found);
    for (int i = 0; i < 3; ++i) out[at(9 + 3 * i + column)] = found[i];
  }
  return out;
}
inline jump power(jump of, std::uint64_t exponent) {
  jump out = no_step();
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) out = product(of, out);
    of = product(of, of);
  }
  return out;
}

} // namespace prism::random::mrg32k3a
