// Extension SYCL_EXT_ONEAPI_BFLOAT16: the upper half of a float. Arithmetic is done in float and rounded to nearest even
// after each operation, the same on host and devices; with the functions of bfloat16_math_functions, but not its macro: fma may
// round twice and there is no aspect of that name.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/math_float.hpp>

#define SYCL_EXT_ONEAPI_BFLOAT16 1

namespace sycl { inline namespace _V1 { namespace ext { namespace oneapi {

class bfloat16 {
public:
  constexpr bfloat16() noexcept = default;
  constexpr bfloat16(float value) noexcept : m_bits(round(value)) {}
  constexpr bfloat16(sycl::half value) noexcept : bfloat16(float(value)) {}
  template <typename T, std::enable_if_t<(std::is_integral_v<T> || std::is_same_v<T, double>), int> = 0>
  constexpr bfloat16(T value) noexcept : bfloat16(sycl::detail::double_to_float_odd(static_cast<double>(value))) {}

  constexpr bfloat16& operator=(float value) noexcept { return *this = bfloat16(value); }

  constexpr operator float() const noexcept {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(m_bits) << 16);
  }
  explicit constexpr operator sycl::half() const noexcept { return sycl::half(float(*this)); }
  explicit constexpr operator bool() const noexcept { return (m_bits & 0x7fffu) != 0; }

  friend constexpr bfloat16 operator+(bfloat16 value) noexcept { return value; }
  friend constexpr bfloat16 operator-(bfloat16 value) noexcept { return from_bits(value.m_bits ^ 0x8000u); }

  // With float or double the other operand's type wins, as float(bfloat16) takes part; with an integer it is bfloat16.
#define PRISM_BFLOAT16_BINARY(OP, RESULT)                                                                              \
  friend constexpr RESULT operator OP(bfloat16 lhs, bfloat16 rhs) noexcept { return float(lhs) OP float(rhs); }        \
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>                                        \
  friend constexpr auto operator OP(bfloat16 lhs, T rhs) noexcept {                                                    \
    return float(lhs) OP rhs;                                                                                          \
  }                                                                                                                    \
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>                                        \
  friend constexpr auto operator OP(T lhs, bfloat16 rhs) noexcept {                                                    \
    return lhs OP float(rhs);                                                                                          \
  }                                                                                                                    \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                              \
  friend constexpr RESULT operator OP(bfloat16 lhs, T rhs) noexcept {                                                  \
    return lhs OP bfloat16(rhs);                                                                                       \
  }                                                                                                                    \
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>                                              \
  friend constexpr RESULT operator OP(T lhs, bfloat16 rhs) noexcept {                                                  \
    return bfloat16(lhs) OP rhs;                                                                                       \
  }
  PRISM_BFLOAT16_BINARY(+, bfloat16)
  PRISM_BFLOAT16_BINARY(-, bfloat16)
  PRISM_BFLOAT16_BINARY(*, bfloat16)
  PRISM_BFLOAT16_BINARY(/, bfloat16)
  PRISM_BFLOAT16_BINARY(==, bool)
  PRISM_BFLOAT16_BINARY(!=, bool)
  PRISM_BFLOAT16_BINARY(<, bool)
  PRISM_BFLOAT16_BINARY(>, bool)
  PRISM_BFLOAT16_BINARY(<=, bool)
  PRISM_BFLOAT16_BINARY(>=, bool)
#undef PRISM_BFLOAT16_BINARY

#define PRISM_BFLOAT16_ASSIGN(OP)                                                                                      \
  template <typename T>                                                                                                \
  friend constexpr bfloat16& operator OP##=(bfloat16& lhs, const T& rhs) noexcept {                                    \
    return lhs = bfloat16(float(lhs) OP float(bfloat16(rhs)));                                                         \
  }
  PRISM_BFLOAT16_ASSIGN(+)
  PRISM_BFLOAT16_ASSIGN(-)
  PRISM_BFLOAT16_ASSIGN(*)
  PRISM_BFLOAT16_ASSIGN(/)
#undef PRISM_BFLOAT16_ASSIGN
  friend constexpr bfloat16& operator++(bfloat16& value) noexcept { return value += 1.0f; }
  friend constexpr bfloat16& operator--(bfloat16& value) noexcept { return value -= 1.0f; }
  friend constexpr bfloat16 operator++(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    ++value;
    return old;
  }
  friend constexpr bfloat16 operator--(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    --value;
    return old;
  }

private:
  static constexpr bfloat16 from_bits(unsigned bits) noexcept {
    return __builtin_bit_cast(bfloat16, static_cast<std::uint16_t>(bits));
  }
  static constexpr std::uint16_t round(float value) noexcept {
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u); // NaN stays quiet NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }

  std::uint16_t m_bits = 0;
};
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

namespace experimental {

using oneapi::bfloat16;

inline bool isnan(bfloat16 x) { return float(x) != float(x); }
template <std::size_t N>
inline marray<bool, N> isnan(const marray<bfloat16, N>& x) {
  marray<bool, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = isnan(x[i]);
  return result;
}

#define PRISM_BFLOAT16_MATH(NAME, PARAMETERS, ARGUMENTS, ARRAYS, ELEMENTS)                                             \
  inline bfloat16 NAME PARAMETERS { return sycl::NAME ARGUMENTS; }                                                     \
  template <std::size_t N>                                                                                             \
  inline marray<bfloat16, N> NAME ARRAYS {                                                                             \
    marray<bfloat16, N> result;                                                                                        \
    for (std::size_t i = 0; i < N; ++i) result[i] = NAME ELEMENTS;                                                     \
    return result;                                                                                                     \
  }
#define PRISM_BFLOAT16_ARRAY const marray<bfloat16, N>&
#define PRISM_BFLOAT16_1(NAME)                                                                                         \
  PRISM_BFLOAT16_MATH(NAME, (bfloat16 x), (float(x)), (PRISM_BFLOAT16_ARRAY x), (x[i]))
#define PRISM_BFLOAT16_2(NAME)                                                                                         \
  PRISM_BFLOAT16_MATH(NAME, (bfloat16 x, bfloat16 y), (float(x), float(y)),                                            \
                      (PRISM_BFLOAT16_ARRAY x, PRISM_BFLOAT16_ARRAY y), (x[i], y[i]))
PRISM_BFLOAT16_1(fabs)
PRISM_BFLOAT16_1(ceil)
PRISM_BFLOAT16_1(floor)
PRISM_BFLOAT16_1(cos)
PRISM_BFLOAT16_1(sin)
PRISM_BFLOAT16_1(exp)
PRISM_BFLOAT16_1(exp2)
PRISM_BFLOAT16_1(exp10)
PRISM_BFLOAT16_1(log)
PRISM_BFLOAT16_1(log2)
PRISM_BFLOAT16_1(log10)
PRISM_BFLOAT16_1(rint)
PRISM_BFLOAT16_1(rsqrt)
PRISM_BFLOAT16_1(sqrt)
PRISM_BFLOAT16_1(trunc)
PRISM_BFLOAT16_2(fmin)
PRISM_BFLOAT16_2(fmax)
PRISM_BFLOAT16_MATH(fma, (bfloat16 x, bfloat16 y, bfloat16 z), (float(x), float(y), float(z)),
                    (PRISM_BFLOAT16_ARRAY x, PRISM_BFLOAT16_ARRAY y, PRISM_BFLOAT16_ARRAY z), (x[i], y[i], z[i]))
#undef PRISM_BFLOAT16_1
#undef PRISM_BFLOAT16_2
#undef PRISM_BFLOAT16_ARRAY
#undef PRISM_BFLOAT16_MATH

} // namespace experimental

}}}} // namespace sycl::_V1::ext::oneapi

template <>
class std::numeric_limits<sycl::ext::oneapi::bfloat16> : public std::numeric_limits<float> {
  using type = sycl::ext::oneapi::bfloat16;
  static constexpr type bits(std::uint16_t value) noexcept { return __builtin_bit_cast(type, value); }

public:
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr type min() noexcept { return bits(0x0080); }
  static constexpr type max() noexcept { return bits(0x7f7f); }
  static constexpr type lowest() noexcept { return bits(0xff7f); }
  static constexpr type epsilon() noexcept { return bits(0x3c00); }
  static constexpr type round_error() noexcept { return bits(0x3f00); }
  static constexpr type infinity() noexcept { return bits(0x7f80); }
  static constexpr type quiet_NaN() noexcept { return bits(0x7fc0); }
  static constexpr type signaling_NaN() noexcept { return bits(0x7fa0); }
  static constexpr type denorm_min() noexcept { return bits(0x0001); }
};

#include <sycl/detail/user_macros_restore.hpp>
