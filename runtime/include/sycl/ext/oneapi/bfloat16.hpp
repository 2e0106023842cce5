// The extension SYCL_EXT_ONEAPI_BFLOAT16: the upper half of a float. Each operation is computed in float and
// rounded to nearest even, equally on host and devices; fma rounds once.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/half.hpp>
#include <sycl/marray.hpp>
#include <sycl/math_float.hpp>

#define SYCL_EXT_ONEAPI_BFLOAT16 1

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {

class bfloat16 {
  template <typename T>
  static constexpr bool is_operand = std::is_convertible_v<T, float> && !std::is_same_v<T, bfloat16>;

public:
  bfloat16() noexcept = default; // no value, as a float's
  constexpr bfloat16(float value) noexcept : m_bits(round(value)) {}
  constexpr bfloat16(sycl::half value) noexcept : bfloat16(float(value)) {}
  constexpr bfloat16(double value) noexcept : bfloat16(sycl::detail::double_to_float_odd(value)) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr bfloat16(T value) noexcept : bfloat16(static_cast<float>(value)) {}

  constexpr bfloat16& operator=(float value) noexcept { return set(value); }
  constexpr bfloat16& operator=(sycl::half value) noexcept { return set(float(value)); }

  constexpr operator float() const noexcept {
    return sycl::bit_cast<float>(static_cast<std::uint32_t>(m_bits) << 16);
  }
  constexpr operator sycl::half() const noexcept { return sycl::half(float(*this)); }
  explicit constexpr operator bool() const noexcept { return (m_bits & 0x7fffu) != 0; }

  friend constexpr bfloat16 operator+(bfloat16 value) noexcept { return value; }
  friend constexpr bfloat16 operator-(bfloat16 value) noexcept { return from_bits(value.m_bits ^ 0x8000u); }

#define PRISM_BFLOAT16_BINARY(OP, RESULT)                                                                    \
  friend constexpr RESULT operator OP(bfloat16 lhs, bfloat16 rhs) noexcept {                                 \
    return float(lhs) OP float(rhs);                                                                         \
  }                                                                                                          \
  template <typename T, std::enable_if_t<is_operand<T>, int> = 0>                                            \
  friend constexpr RESULT operator OP(bfloat16 lhs, const T& rhs) noexcept {                                 \
    return float(lhs) OP static_cast<float>(rhs);                                                            \
  }                                                                                                          \
  template <typename T, std::enable_if_t<is_operand<T>, int> = 0>                                            \
  friend constexpr RESULT operator OP(const T& lhs, bfloat16 rhs) noexcept {                                 \
    return static_cast<float>(lhs) OP float(rhs);                                                            \
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

#define PRISM_BFLOAT16_ASSIGN(OP)                                                                            \
  template <typename T>                                                                                      \
  friend constexpr bfloat16& operator OP##=(bfloat16 & lhs, const T & rhs) noexcept {                        \
    return lhs.set(float(lhs) OP float(bfloat16(rhs)));                                                      \
  }
  PRISM_BFLOAT16_ASSIGN(+)
  PRISM_BFLOAT16_ASSIGN(-)
  PRISM_BFLOAT16_ASSIGN(*)
  PRISM_BFLOAT16_ASSIGN(/)
#undef PRISM_BFLOAT16_ASSIGN
  friend constexpr bfloat16& operator++(bfloat16& value) noexcept { return value.set(float(value) + 1.0f); }
  friend constexpr bfloat16& operator--(bfloat16& value) noexcept { return value.set(float(value) - 1.0f); }
  friend constexpr bfloat16 operator++(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    value.set(float(old) + 1.0f);
    return old;
  }
  friend constexpr bfloat16 operator--(bfloat16& value, int) noexcept {
    const bfloat16 old = value;
    value.set(float(old) - 1.0f);
    return old;
  }

private:
  constexpr bfloat16& set(float value) noexcept {
    m_bits = round(value);
    return *this;
  }
  static constexpr bfloat16 from_bits(unsigned bits) noexcept {
    return sycl::bit_cast<bfloat16>(static_cast<std::uint16_t>(bits));
  }
  static constexpr std::uint16_t round(float value) noexcept {
    const std::uint32_t bits = sycl::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
      return static_cast<std::uint16_t>(bits >> 16 | 0x40u); // NaN becomes a quiet NaN
    return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }

  std::uint16_t m_bits;
};
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

namespace detail {

struct bfloat16_parts { // significand * 2^exponent
  std::int64_t significand;
  int exponent;
};
inline bfloat16_parts parts_of(std::uint16_t bits) noexcept {
  const int field = bits >> 7 & 0xff, fraction = bits & 0x7f, size = field != 0 ? fraction | 0x80 : fraction;
  return {(bits & 0x8000u) != 0 ? -size : size, (field != 0 ? field : 1) - 134};
}
/// Rounds to nearest even. A value that is too large becomes infinity.
inline std::uint16_t rounded_bfloat16(std::int64_t value, int exponent) noexcept {
  const unsigned sign = value < 0 ? 0x8000u : 0u;
  const std::uint64_t size = value < 0 ? std::uint64_t(0) - std::uint64_t(value) : std::uint64_t(value);
  if (size == 0) return 0;
  const int top = 63 - __builtin_clzll(size);
  int last = top + exponent - 7 > -133 ? top + exponent - 7 : -133; // exponent of the last bit of the result
  const int dropped = last - exponent;
  std::uint64_t rounded = 0;
  if (dropped <= 0) {
    rounded = size << -dropped;
  } else if (dropped < 63) {
    const std::uint64_t rest = size & ((std::uint64_t(1) << dropped) - 1), half = std::uint64_t(1)
                                                                                  << (dropped - 1);
    rounded = size >> dropped;
    if (rest > half || (rest == half && (rounded & 1u) != 0)) ++rounded;
  }
  if (rounded > 0xff) {
    rounded >>= 1;
    ++last;
  }
  if (rounded < 0x80) return static_cast<std::uint16_t>(sign | rounded); // subnormal
  const int field = last + 134;
  return static_cast<std::uint16_t>(field >= 255 ? sign | 0x7f80u
                                                 : sign | unsigned(field) << 7 | (rounded & 0x7fu));
}

/// Computes a * b + c of finite numbers, rounded once, by integers of the same scale. If one is far smaller
/// than the other, only a sticky bit of it is used.
inline std::uint16_t bfloat16_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) noexcept {
  const bfloat16_parts x = parts_of(a), y = parts_of(b), added = parts_of(c);
  const bfloat16_parts product{x.significand * y.significand, x.exponent + y.exponent};
  const bool product_is_higher = product.exponent >= added.exponent;
  const bfloat16_parts& high = product_is_higher ? product : added;
  const bfloat16_parts& low = product_is_higher ? added : product;
  const int apart = high.exponent - low.exponent;
  if (low.significand == 0) return rounded_bfloat16(high.significand, high.exponent);
  if (high.significand == 0) return rounded_bfloat16(low.significand, low.exponent);
  if (apart <= 40)
    return rounded_bfloat16(high.significand * (std::int64_t(1) << apart) + low.significand, low.exponent);
  return rounded_bfloat16(high.significand * (std::int64_t(1) << 20) + (low.significand < 0 ? -1 : 1),
                          high.exponent - 20);
}

} // namespace detail

inline bool isnan(bfloat16 x) { return float(x) != float(x); }
template <std::size_t N>
inline marray<bool, N> isnan(const marray<bfloat16, N>& x) {
  marray<bool, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = isnan(x[i]);
  return result;
}

#define PRISM_BFLOAT16_MATH(NAME, PARAMETERS, ARGUMENTS, ARRAYS, ELEMENTS)                                   \
  inline bfloat16 NAME PARAMETERS { return sycl::NAME ARGUMENTS; }                                           \
  template <std::size_t N>                                                                                   \
  inline marray<bfloat16, N> NAME ARRAYS {                                                                   \
    marray<bfloat16, N> result;                                                                              \
    for (std::size_t i = 0; i < N; ++i) result[i] = NAME ELEMENTS;                                           \
    return result;                                                                                           \
  }
#define PRISM_BFLOAT16_ARRAY const marray<bfloat16, N>&
#define PRISM_BFLOAT16_1(NAME)                                                                               \
  PRISM_BFLOAT16_MATH(NAME, (bfloat16 x), (float(x)), (PRISM_BFLOAT16_ARRAY x), (x[i]))
#define PRISM_BFLOAT16_2(NAME)                                                                               \
  PRISM_BFLOAT16_MATH(NAME, (bfloat16 x, bfloat16 y), (float(x), float(y)),                                  \
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
inline bfloat16 fma(bfloat16 x, bfloat16 y, bfloat16 z) {
  const float once = sycl::fma(float(x), float(y), float(z));
  const auto bits = [](bfloat16 of) { return sycl::bit_cast<std::uint16_t>(of); };
  const auto is_finite = [&](bfloat16 of) { return (bits(of) & 0x7f80u) != 0x7f80u; };
  if (!is_finite(x) || !is_finite(y) || !is_finite(z) || once == 0.0f)
    return once; // the sign of a zero is right already
  return sycl::bit_cast<bfloat16>(detail::bfloat16_fma(bits(x), bits(y), bits(z)));
}
template <std::size_t N>
inline marray<bfloat16, N> fma(PRISM_BFLOAT16_ARRAY x, PRISM_BFLOAT16_ARRAY y, PRISM_BFLOAT16_ARRAY z) {
  marray<bfloat16, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = fma(x[i], y[i], z[i]);
  return result;
}
#undef PRISM_BFLOAT16_1
#undef PRISM_BFLOAT16_2
#undef PRISM_BFLOAT16_ARRAY
#undef PRISM_BFLOAT16_MATH

namespace experimental { // the earlier namespace
using oneapi::bfloat16;
using oneapi::ceil;
using oneapi::cos;
using oneapi::exp;
using oneapi::exp10;
using oneapi::exp2;
using oneapi::fabs;
using oneapi::floor;
using oneapi::fma;
using oneapi::fmax;
using oneapi::fmin;
using oneapi::isnan;
using oneapi::log;
using oneapi::log10;
using oneapi::log2;
using oneapi::rint;
using oneapi::rsqrt;
using oneapi::sin;
using oneapi::sqrt;
using oneapi::trunc;
} // namespace experimental

}
}
}
} // namespace sycl::_V1::ext::oneapi

template <>
class std::numeric_limits<sycl::ext::oneapi::bfloat16> : public std::numeric_limits<float> {
  using type = sycl::ext::oneapi::bfloat16;
  static constexpr type bits(std::uint16_t value) noexcept { return sycl::bit_cast<type>(value); }

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
