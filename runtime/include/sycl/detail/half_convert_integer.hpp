// Converts between float and IEEE binary16 bits by integer arithmetic, for compilers without _Float16. Has
// the same two functions as half_convert_native.hpp. Rounds to nearest, ties to even; NaN stays NaN.
#pragma once

#include <cstdint>

#include <sycl/bit_cast.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

constexpr float half_bits_to_float(std::uint16_t bits) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1fu) return bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return bit_cast<float>(sign | (exponent + 112u) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f; // zero or subnormal: exact
  return sign != 0 ? -magnitude : magnitude;
}

constexpr std::uint16_t float_to_half_bits(float value) noexcept {
  const std::uint32_t bits = bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u); // 65520 and above
  if (magnitude >= 0x38800000u) {                                                  // normal in half
    const std::uint32_t rounded = magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | rounded >> 13);
  }
  if (magnitude < 0x33000000u)
    return static_cast<std::uint16_t>(sign);            // below half of the smallest subnormal
  const std::uint32_t shift = 126u - (magnitude >> 23); // 14 .. 24
  const std::uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  const std::uint32_t quotient = significand >> shift;
  const std::uint32_t rest = significand & ((1u << shift) - 1u);
  const std::uint32_t middle = 1u << (shift - 1u);
  const std::uint32_t up = rest > middle || (rest == middle && (quotient & 1u) != 0) ? 1u : 0u;
  return static_cast<std::uint16_t>(sign | (quotient + up));
}

}
}
} // namespace sycl::_V1::detail
