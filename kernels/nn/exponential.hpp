// e^x for x <= 0 without branches or calls, so that a loop over it becomes vectors on every processor: within
// 2 units in the last place, 0 below the smallest normal result, NaN for NaN. x = n ln 2 + r, a polynomial
// for e^r whose coefficients are a Chebyshev fit of (e^r - 1 - r) / r^2, and 2^n by the exponent's bits (the
// method of Tang 1989, "Table-driven implementation of the exponential function", without a table).
#pragma once

#include <sycl/sycl.hpp>

#include <cstdint>

namespace prism::nn {

template <typename R>
struct exponential;
template <>
struct exponential<float> {
  using bits = std::uint32_t;
  static constexpr float least = -87, rounder = 0x1.8p23f, high = 0x1.62e4p-1f, low = 0x1.7f7d1cp-20f;
  static constexpr int fraction = 23;
  static constexpr bits one = 0x3f800000;
  static constexpr float coefficients[] = {1.3933652e-3f, 8.363182e-3f, 4.1666467e-2f, 1.6666576e-1f, 0.5f};
};
template <>
struct exponential<double> {
  using bits = std::uint64_t;
  static constexpr double least = -708, rounder = 0x1.8p52, high = 0x1.62e42feep-1,
                          low = 0x1.a39ef35793c76p-33;
  static constexpr int fraction = 52;
  static constexpr bits one = 0x3ff0000000000000;
  static constexpr double coefficients[] = {
      0x1.b1a9bf55488f5p-26, 0x1.28973b3cb7cdap-22, 0x1.71dcdba9315acp-19, 0x1.a019b41c59456p-16,
      0x1.a01a0205903bdp-13, 0x1.6c16c179e8348p-10, 0x1.1111111107f6ap-7,  0x1.555555555396dp-5,
      0x1.5555555555554p-3,  0x1.0000000000005p-1};
};

/// e^x, for x <= 0.
template <typename R>
R exponential_of(R x) {
  using of = exponential<R>;
  // Added to a number, `rounder` leaves the nearest integer in the lowest bits of the sum.
  const R sum = x * R(1.44269504088896340736) + of::rounder, n = sum - of::rounder;
  const R r = (x - n * of::high) - n * of::low;
  R p = of::coefficients[0];
#pragma unroll
  for (std::size_t i = 1; i < sizeof of::coefficients / sizeof(R); ++i) p = p * r + of::coefficients[i];
  const R e = R(1) + (r + r * r * p);
  const auto exponent = sycl::bit_cast<typename of::bits>(sum) << of::fraction;
  const R power = sycl::bit_cast<R>(exponent + of::one);
  return x < of::least ? R(0) : e * power;
}

} // namespace prism::nn
