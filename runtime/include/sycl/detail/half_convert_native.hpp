// Converts between float and IEEE binary16 bits for compilers with _Float16. The plugin sees the conversions
// as fpext and fptrunc. Has the same two functions as half_convert_integer.hpp. Rounds to nearest, ties to
// even.
#pragma once

#include <cstdint>

#include <sycl/bit_cast.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

constexpr float half_bits_to_float(std::uint16_t bits) noexcept {
  return static_cast<float>(bit_cast<_Float16>(bits));
}

constexpr std::uint16_t float_to_half_bits(float value) noexcept {
  return bit_cast<std::uint16_t>(static_cast<_Float16>(value));
}

}
}
} // namespace sycl::_V1::detail
