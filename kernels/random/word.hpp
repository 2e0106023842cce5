// From a word of an engine to the numbers that distributions are made of, for kernels.
#pragma once

#include <sycl/sycl.hpp>

#include <cstdint>
#include <type_traits>

namespace prism::random {

/// As many bits as T has.
template <typename T>
using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <typename T>
inline constexpr T word_scale = sizeof(T) == 4 ? T(0x1p-32) : T(0x1p-64);

/// Equally distributed in [0, 1), a multiple of 2^-24 or 2^-53.
inline float fraction(std::uint32_t w) { return float(w >> 8) * 0x1p-24f; }
inline double fraction(std::uint64_t w) { return double(w >> 11) * 0x1p-53; }

/// The probability u = (w + 1/2) / 2^bits by its smaller side: p is u or 1 - u, at most 1/2. So both tails of
/// a distribution are as exact.
template <typename T>
struct side {
  T p;
  bool is_upper; // p is 1 - u
  explicit side(word<T> w) {
    is_upper = (w >> (8 * sizeof(T) - 1)) != 0;
    p = (T(is_upper ? word<T>(~w) : w) + T(0.5)) * word_scale<T>;
  }
  /// -log(u), exponentially distributed.
  T minus_log() const { return is_upper ? -sycl::log1p(-p) : -sycl::log(p); }
};

} // namespace prism::random
