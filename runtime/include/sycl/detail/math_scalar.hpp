// Implements scalar functions that C's math library lacks, for T = float and double, by functions that it
// has. Error bounds assume that the library's functions are accurate to about one unit in the last place.
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/half.hpp>

namespace sycl {
inline namespace _V1 {
namespace detail {

// The library's functions, overloaded by type. The plugin sees the calls as libm names or intrinsics.
#define PRISM_LIBM_1(NAME)                                                                                   \
  inline float m_##NAME(float x) { return __builtin_##NAME##f(x); }                                          \
  inline double m_##NAME(double x) { return __builtin_##NAME(x); }
PRISM_LIBM_1(sin)
PRISM_LIBM_1(cos)
PRISM_LIBM_1(asin)
PRISM_LIBM_1(acos)
PRISM_LIBM_1(atan)
PRISM_LIBM_1(sqrt)
PRISM_LIBM_1(cbrt)
PRISM_LIBM_1(log)
PRISM_LIBM_1(floor)
PRISM_LIBM_1(rint)
PRISM_LIBM_1(fabs)
#undef PRISM_LIBM_1
inline float m_pow(float x, float y) { return __builtin_powf(x, y); }
inline double m_pow(double x, double y) { return __builtin_pow(x, y); }
inline float m_atan2(float y, float x) { return __builtin_atan2f(y, x); }
inline double m_atan2(double y, double x) { return __builtin_atan2(y, x); }
inline float m_fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
inline double m_fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
inline float m_copysign(float x, float y) { return __builtin_copysignf(x, y); }
inline double m_copysign(double x, double y) { return __builtin_copysign(x, y); }

/// glibc's cbrt has an error of up to 3 units in the last place. One step of Newton's method with the exact
/// residual (Markstein, IA-64 and Elementary Functions, chapter 8: corrections by fma) reduces it to little
/// more than half a unit.
inline double cbrt(double x) {
  const double size = m_fabs(x);
  if (!(size > 0 && size <= std::numeric_limits<double>::max())) return m_cbrt(x);
  const bool small = size < 0x1p-700; // its residual would be subnormal
  const double scaled = small ? x * 0x1p540 : x;
  const double root = m_cbrt(scaled);
  const double square = root * root;
  const double square_rest = m_fma(root, root, -square);
  const double rest = m_fma(square, root, -scaled) + square_rest * root;
  const double better = root - rest / (3 * square);
  return small ? better * 0x1p-180 : better;
}

template <typename T>
inline constexpr T pi = static_cast<T>(3.14159265358979323846264338327950288L);
template <typename T>
inline constexpr T inverse_pi = static_cast<T>(0.318309886183790671537767526745028724L);
template <typename T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
template <typename T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

// For x >= 0: x = q / 2 + r with |r| <= 1/4, exactly; `quadrant` is q mod 4. Numbers above 2^54 are even.
template <typename T>
struct half_turns {
  T r;
  int quadrant;
};
template <typename T>
inline half_turns<T> reduce_half_turns(T x) {
  const T turns = x - T(2) * m_floor(x * T(0.5)); // [0, 2), exact
  const T q = m_rint(turns * T(2));
  return {turns - q * T(0.5), static_cast<int>(q) & 3};
}

template <typename T>
inline T sinpi(T x) {
  const T size = m_fabs(x);
  if (!(size < infinity<T>)) return not_a_number<T>;
  if (size <= T(0.25)) return m_sin(pi<T> * x); // preserves tiny values and the sign of zero
  const half_turns<T> p = reduce_half_turns(size);
  if (p.r == T(0) && (p.quadrant & 1) == 0) return m_copysign(T(0), x);
  const T s = (p.quadrant & 1) ? m_cos(pi<T> * p.r) : m_sin(pi<T> * p.r);
  return ((p.quadrant & 2) != 0) != (x < T(0)) ? -s : s;
}
template <typename T>
inline T cospi(T x) {
  if (!(m_fabs(x) < infinity<T>)) return not_a_number<T>;
  const half_turns<T> p = reduce_half_turns(m_fabs(x));
  if (p.r == T(0) && (p.quadrant & 1) != 0) return T(0);
  const T s = (p.quadrant & 1) ? -m_sin(pi<T> * p.r) : m_cos(pi<T> * p.r);
  return (p.quadrant & 2) ? -s : s;
}
template <typename T>
inline T tanpi(T x) {
  const T size = m_fabs(x);
  if (!(size < infinity<T>)) return not_a_number<T>;
  const half_turns<T> p = reduce_half_turns(size);
  const bool odd = (p.quadrant & 1) != 0;
  T t;
  if (p.r == T(0)) { // C23: +0 and -0, +inf and -inf alternate
    t = odd ? infinity<T> : T(0);
    if ((p.quadrant & 2) != 0) t = -t;
  } else {
    const T s = m_sin(pi<T> * p.r), c = m_cos(pi<T> * p.r);
    t = odd ? -c / s : s / c;
  }
  return m_copysign(T(1), x) < T(0) ? -t : t;
}
template <typename T>
inline T asinpi(T x) {
  return m_asin(x) * inverse_pi<T>;
}
template <typename T>
inline T acospi(T x) {
  return m_acos(x) * inverse_pi<T>;
}
template <typename T>
inline T atanpi(T x) {
  return m_atan(x) * inverse_pi<T>;
}
template <typename T>
inline T atan2pi(T y, T x) {
  return m_atan2(y, x) * inverse_pi<T>;
}
template <typename T>
inline T rsqrt(T x) {
  return T(1) / m_sqrt(x);
}

/// pow for x >= 0: unlike pow, 0^0, inf^0 and 1^inf are NaN (OpenCL 1.2, 7.5.1).
template <typename T>
inline T powr(T x, T y) {
  if (!(x >= T(0)) || y != y) return not_a_number<T>;
  if (y == T(0) && (x == T(0) || x == infinity<T>)) return not_a_number<T>;
  if (x == T(1) && m_fabs(y) == infinity<T>) return not_a_number<T>;
  return m_pow(m_fabs(x), y);
}
/// Splits integers that the type cannot represent: x^(hi + lo) = x^hi * x^lo.
template <typename T>
inline T pown(T x, int n) {
  if constexpr (sizeof(T) == 8) {
    return m_pow(x, static_cast<T>(n));
  } else {
    const int low = n % 4096,
              high = n - low; // same sign: neither factor overflows alone; both are exact in float
    if (high == 0) return m_pow(x, static_cast<T>(low));
    return m_pow(x, static_cast<T>(high)) * m_pow(x, static_cast<T>(low));
  }
}
/// |x|^(1/n), with the rounding of 1/n corrected to first order; negative x for odd n only. The roots that
/// programs ask for come first: they have no branches, so loops over them become vectors.
template <typename T>
inline T rootn(T x, int n) {
  if (n == 1) return x;
  if (n == -1) return T(1) / x;
  const T size = m_fabs(x);
  if (n == 2 || n == 4 || n == -2) {
    const T root = m_sqrt(size), found = n == 2 ? root : n == 4 ? m_sqrt(root) : T(1) / root;
    return x < T(0) ? not_a_number<T> : found;
  }
  if constexpr (sizeof(T) == 8) {
    if (n == 3) return cbrt(x);
  } else {
    if (n == 3) return m_cbrt(x);
  }
  if (n == 0 || x != x || (x < T(0) && n % 2 == 0)) return not_a_number<T>;
  const bool odd = n % 2 != 0;
  if (size == T(0)) {
    const T zero = odd ? x : T(0);
    return n > 0 ? zero : odd ? m_copysign(infinity<T>, x) : infinity<T>;
  }
  if (size == infinity<T>) return n > 0 ? x : odd ? m_copysign(T(0), x) : T(0);
  const T degree = static_cast<T>(n), inverse = T(1) / degree;
  const T missing = m_fma(-degree, inverse, T(1)) * inverse;
  const T root = m_pow(size, inverse);
  const T corrected = root + root * (missing * m_log(size));
  return x < T(0) ? -corrected : corrected;
}

template <typename T>
inline T maxmag(T x, T y) {
  const T a = m_fabs(x), b = m_fabs(y);
  if (a > b) return x;
  if (b > a) return y;
  return x != x ? y : y != y ? x : (x < y ? y : x);
}
template <typename T>
inline T minmag(T x, T y) {
  const T a = m_fabs(x), b = m_fabs(y);
  if (a < b) return x;
  if (b < a) return y;
  return x != x ? y : y != y ? x : (y < x ? y : x);
}

/// fma of halves. The product is exact in float and the sum is rounded to odd, so the rounding to half is
/// correct.
inline half fma_half(half a, half b, half c) {
  const float product = float(a) * float(b), addend = float(c);
  float sum = product + addend;
  if (!(__builtin_fabsf(sum) < infinity<float>)) return half(sum);
  const float virtual_addend = sum - product;
  const float error = (product - (sum - virtual_addend)) + (addend - virtual_addend); // TwoSum (Knuth)
  std::uint32_t bits = bit_cast<std::uint32_t>(sum);
  if (error != 0.0f && (bits & 1u) == 0) {
    bits = ((error > 0.0f) == (sum > 0.0f)) ? bits + 1u : bits - 1u;
    sum = bit_cast<float>(bits);
  }
  return half(sum);
}
inline half nextafter_half(half from, half to) {
  const float x = from, y = to;
  if (x != x || y != y) return std::numeric_limits<half>::quiet_NaN();
  if (x == y) return to;
  std::uint16_t bits = bit_cast<std::uint16_t>(from);
  if ((bits & 0x7fffu) == 0) return bit_cast<half>(static_cast<std::uint16_t>(y < x ? 0x8001u : 1u));
  const bool grow = (x < y) == ((bits & 0x8000u) == 0);
  bits = static_cast<std::uint16_t>(grow ? bits + 1 : bits - 1);
  return bit_cast<half>(bits);
}

}
}
} // namespace sycl::_V1::detail
