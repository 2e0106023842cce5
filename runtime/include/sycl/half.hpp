// sycl::half: IEEE binary16. Each operation is computed in float and rounded. The results of + - * / are
// correctly rounded, because float has more than twice the bits of half plus two, so the host and all devices
// compute the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include <sycl/bit_cast.hpp>

#if defined(__clang__) && defined(__FLT16_MANT_DIG__)
#include <sycl/detail/half_convert_native.hpp>
#else
#include <sycl/detail/half_convert_integer.hpp>
#endif

namespace sycl {
inline namespace _V1 {

namespace detail {

/// Converts to the float that rounds to the same half as `value`: rounds to odd (truncates and sets the last
/// bit if bits were lost), so the second rounding causes no error.
constexpr float double_to_float_odd(double value) noexcept {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  std::uint32_t bits = bit_cast<std::uint32_t>(nearest);
  if ((bits & 1u) != 0) return nearest;
  const bool above = value < 0 ? back < value : back > value; // |nearest| > |value|
  bits = above ? bits - 1u : bits + 1u;
  return bit_cast<float>(bits);
}

// In a separate namespace, so that argument-dependent lookup for a half does not find the functions of
// namespace sycl, for example in a call of the program's own clamp.
namespace half_type {

class half {
public:
  half() noexcept = default; // no value, as a float's, so that a half can be in a union
  constexpr half(float value) noexcept : m_bits(detail::float_to_half_bits(value)) {}
  constexpr half(double value) noexcept : half(detail::double_to_float_odd(value)) {}
  // Integers that float cannot represent exactly exceed the largest half.
  template <typename Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  constexpr half(Integer value) noexcept : half(static_cast<float>(value)) {}

  constexpr operator float() const noexcept { return detail::half_bits_to_float(m_bits); }

  // These use floats, because for an operator on halves clang would try hundreds of built-in operators.
  half& operator+=(half other) noexcept { return set(float(*this) + float(other)); }
  half& operator-=(half other) noexcept { return set(float(*this) - float(other)); }
  half& operator*=(half other) noexcept { return set(float(*this) * float(other)); }
  half& operator/=(half other) noexcept { return set(float(*this) / float(other)); }
  half& operator++() noexcept { return set(float(*this) + 1.0f); }
  half& operator--() noexcept { return set(float(*this) - 1.0f); }
  half operator++(int) noexcept {
    const half old = *this;
    set(float(old) + 1.0f);
    return old;
  }
  half operator--(int) noexcept {
    const half old = *this;
    set(float(old) - 1.0f);
    return old;
  }

  friend constexpr half operator+(half value) noexcept { return value; }
  friend constexpr half operator-(half value) noexcept { return from_bits(value.m_bits ^ 0x8000u); }

  // With float or double the result has the other operand's type; with an integer it is half.
#define PRISM_HALF_ARITHMETIC(OP)                                                                            \
  friend constexpr half operator OP(half lhs, half rhs) noexcept { return half(float(lhs) OP float(rhs)); }  \
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>                              \
  friend constexpr T operator OP(half lhs, T rhs) noexcept {                                                 \
    return T(float(lhs)) OP rhs;                                                                             \
  }                                                                                                          \
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>                              \
  friend constexpr T operator OP(T lhs, half rhs) noexcept {                                                 \
    return lhs OP T(float(rhs));                                                                             \
  }                                                                                                          \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                    \
  friend constexpr half operator OP(half lhs, T rhs) noexcept {                                              \
    return half(float(lhs) OP float(half(rhs)));                                                             \
  }                                                                                                          \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                    \
  friend constexpr half operator OP(T lhs, half rhs) noexcept {                                              \
    return half(float(half(lhs)) OP float(rhs));                                                             \
  }
  PRISM_HALF_ARITHMETIC(+)
  PRISM_HALF_ARITHMETIC(-)
  PRISM_HALF_ARITHMETIC(*)
  PRISM_HALF_ARITHMETIC(/)
#undef PRISM_HALF_ARITHMETIC

  // Comparisons with integers are computed in float, as for the built-in types.
#define PRISM_HALF_COMPARE(OP)                                                                               \
  friend constexpr bool operator OP(half lhs, half rhs) noexcept { return float(lhs) OP float(rhs); }        \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                                  \
  friend constexpr bool operator OP(half lhs, T rhs) noexcept {                                              \
    return float(lhs) OP rhs;                                                                                \
  }                                                                                                          \
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>                                  \
  friend constexpr bool operator OP(T lhs, half rhs) noexcept {                                              \
    return lhs OP float(rhs);                                                                                \
  }
  PRISM_HALF_COMPARE(==)
  PRISM_HALF_COMPARE(!=)
  PRISM_HALF_COMPARE(<)
  PRISM_HALF_COMPARE(>)
  PRISM_HALF_COMPARE(<=)
  PRISM_HALF_COMPARE(>=)
#undef PRISM_HALF_COMPARE

private:
  half& set(float value) noexcept {
    m_bits = detail::float_to_half_bits(value);
    return *this;
  }
  static constexpr half from_bits(unsigned bits) noexcept {
    return bit_cast<half>(static_cast<std::uint16_t>(bits));
  }

  std::uint16_t m_bits;
};
static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half> &&
              std::is_trivially_default_constructible_v<half>);

} // namespace half_type
} // namespace detail

using detail::half_type::half;

namespace detail {
template <typename T>
inline constexpr bool is_genfloat_scalar =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half>;
} // namespace detail

}
} // namespace sycl::_V1

template <>
struct std::hash<sycl::half> {
  std::size_t operator()(const sycl::half& value) const noexcept { return std::hash<float>()(value); }
};

template <>
class std::numeric_limits<sycl::half> {
  static constexpr sycl::half bits(std::uint16_t value) noexcept { return sycl::bit_cast<sycl::half>(value); }

public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr sycl::half min() noexcept { return bits(0x0400); }
  static constexpr sycl::half max() noexcept { return bits(0x7bff); }
  static constexpr sycl::half lowest() noexcept { return bits(0xfbff); }
  static constexpr sycl::half epsilon() noexcept { return bits(0x1400); }
  static constexpr sycl::half round_error() noexcept { return bits(0x3800); }
  static constexpr sycl::half infinity() noexcept { return bits(0x7c00); }
  static constexpr sycl::half quiet_NaN() noexcept { return bits(0x7e00); }
  static constexpr sycl::half signaling_NaN() noexcept { return bits(0x7d00); }
  static constexpr sycl::half denorm_min() noexcept { return bits(0x0001); }
};
