// The functions of SYCL 2020, "Math functions", for scalars (float, double, half), vec and marray, and the
// namespaces native and half_precision. The accuracy is that of OpenCL 1.2's full profile or better. Results
// through pointers accept raw pointers and multi_ptr of any address space.
#pragma once

#include <sycl/detail/kernel_abi.hpp>
#include <sycl/detail/math_map.hpp>
#include <sycl/detail/math_scalar.hpp>
#include <sycl/multi_ptr.hpp>

namespace sycl {
inline namespace _V1 {

// Clang has the built-in functions from version 18 on.
#if defined(__clang__) && __clang_major__ < 18
namespace detail {
extern "C" {
float exp10f(float x) noexcept;
double exp10(double x) noexcept;
}
} // namespace detail
#define PRISM_EXP10_FLOAT detail::exp10f
#define PRISM_EXP10_DOUBLE detail::exp10
#else
#define PRISM_EXP10_FLOAT __builtin_exp10f
#define PRISM_EXP10_DOUBLE __builtin_exp10
#endif

#define PRISM_LIBM(NAME) PRISM_MATH_1(NAME, __builtin_##NAME##f, __builtin_##NAME)
PRISM_LIBM(acos)
PRISM_LIBM(acosh)
PRISM_LIBM(asin)
PRISM_LIBM(asinh)
PRISM_LIBM(atan)
PRISM_LIBM(atanh)
PRISM_LIBM(ceil)
PRISM_LIBM(cosh)
PRISM_LIBM(erf)
PRISM_LIBM(erfc)
PRISM_LIBM(exp)
PRISM_LIBM(exp2)
PRISM_LIBM(expm1)
PRISM_LIBM(fabs)
PRISM_LIBM(floor)
PRISM_LIBM(lgamma)
PRISM_LIBM(log)
PRISM_LIBM(log10)
PRISM_LIBM(log1p)
PRISM_LIBM(log2)
PRISM_LIBM(logb)
PRISM_LIBM(rint)
PRISM_LIBM(round)
PRISM_LIBM(sinh)
PRISM_LIBM(sqrt)
PRISM_LIBM(tanh)
PRISM_LIBM(tgamma)
PRISM_LIBM(trunc)
#undef PRISM_LIBM
PRISM_MATH_1(exp10, PRISM_EXP10_FLOAT, PRISM_EXP10_DOUBLE)
PRISM_MATH_1(cbrt, __builtin_cbrtf, detail::cbrt)
PRISM_MATH_1(cos, __builtin_cosf, __prism_exact_cos)
PRISM_MATH_1(sin, __builtin_sinf, __prism_exact_sin)
PRISM_MATH_1(tan, __builtin_tanf, __prism_exact_tan)
PRISM_MATH_1(acospi, detail::acospi, detail::acospi)
PRISM_MATH_1(asinpi, detail::asinpi, detail::asinpi)
PRISM_MATH_1(atanpi, detail::atanpi, detail::atanpi)
PRISM_MATH_1(cospi, detail::cospi, detail::cospi)
PRISM_MATH_1(rsqrt, detail::rsqrt, detail::rsqrt)
PRISM_MATH_1(sinpi, detail::sinpi, detail::sinpi)
PRISM_MATH_1(tanpi, detail::tanpi, detail::tanpi)

#define PRISM_LIBM(NAME) PRISM_MATH_2(NAME, __builtin_##NAME##f, __builtin_##NAME)
PRISM_LIBM(atan2)
PRISM_LIBM(copysign)
PRISM_LIBM(fdim)
PRISM_LIBM(fmax)
PRISM_LIBM(fmin)
PRISM_LIBM(fmod)
PRISM_LIBM(hypot)
PRISM_LIBM(pow)
PRISM_LIBM(remainder)
#undef PRISM_LIBM
PRISM_MATH_2(atan2pi, detail::atan2pi, detail::atan2pi)
PRISM_MATH_2(maxmag, detail::maxmag, detail::maxmag)
PRISM_MATH_2(minmag, detail::minmag, detail::minmag)
PRISM_MATH_2(powr, detail::powr, detail::powr)

template <typename A, typename B, typename... None, typename S = detail::scalar_call<sizeof...(None), A, B>>
inline S nextafter(A x, B y, None...) {
  if constexpr (std::is_same_v<S, float>)
    return __builtin_nextafterf(static_cast<float>(x), static_cast<float>(y));
  else return __builtin_nextafter(static_cast<double>(x), static_cast<double>(y));
}
inline half nextafter(half x, half y) { return detail::nextafter_half(x, y); }
template <typename A, typename B, typename E = detail::float_element<A, B>>
inline auto nextafter(const A& a, const B& b) {
  return detail::map_math([](E x, E y) -> E { return nextafter(x, y); }, a, b);
}

template <typename A, typename B, typename C, typename... None,
          typename S = detail::scalar_call<sizeof...(None), A, B, C>>
inline S fma(A x, B y, C z, None...) {
  return detail::m_fma(static_cast<S>(x), static_cast<S>(y), static_cast<S>(z));
}
inline half fma(half x, half y, half z) { return detail::fma_half(x, y, z); }
template <typename A, typename B, typename C, typename E = detail::float_element<A, B, C>>
inline auto fma(const A& a, const B& b, const C& c) {
  return detail::map_math([](E x, E y, E z) -> E { return fma(x, y, z); }, a, b, c);
}

namespace detail {
inline float multiply_add(float x, float y, float z) { return x * y + z; }
inline double multiply_add(double x, double y, double z) { return x * y + z; }
} // namespace detail
/// x * y + z; the compiler may fuse the operations.
PRISM_MATH_3(mad, detail::multiply_add, detail::multiply_add)

// ---- an integer operand

#define PRISM_MATH_INT(NAME, F, D)                                                                           \
  template <typename A, typename... None, typename S = detail::scalar_call<sizeof...(None), A>>              \
  inline S NAME(A x, int k, None...) {                                                                       \
    if constexpr (std::is_same_v<S, float>) return F(static_cast<float>(x), k);                              \
    else return D(static_cast<double>(x), k);                                                                \
  }                                                                                                          \
  inline half NAME(half x, int k) { return half(F(float(x), k)); }                                           \
  template <typename A, typename K, typename E = detail::float_element<A>>                                   \
  inline auto NAME(const A& a, const K& k) {                                                                 \
    return detail::map_math([](E x, int i) -> E { return NAME(x, i); }, a, k);                               \
  }
PRISM_MATH_INT(ldexp, __builtin_ldexpf, __builtin_ldexp)
PRISM_MATH_INT(pown, detail::pown, detail::pown)
PRISM_MATH_INT(rootn, detail::rootn, detail::rootn)
#undef PRISM_MATH_INT

template <typename A, typename... None, typename S = detail::scalar_call<sizeof...(None), A>>
inline int ilogb(A x, None...) {
  if constexpr (std::is_same_v<S, float>) return __builtin_ilogbf(static_cast<float>(x));
  else return __builtin_ilogb(static_cast<double>(x));
}
inline int ilogb(half x) { return __builtin_ilogbf(float(x)); }
template <typename A, typename E = detail::float_element<A>>
inline auto ilogb(const A& a) {
  return detail::map_math([](E x) -> std::int32_t { return ilogb(x); }, a);
}

/// Returns a quiet NaN with `code` in its low bits.
inline float nan(std::uint32_t code) { return sycl::bit_cast<float>(0x7fc00000u | (code & 0x3fffffu)); }
inline double nan(std::uint64_t code) {
  return sycl::bit_cast<double>(std::uint64_t{0x7ff8000000000000} | (code & std::uint64_t{0x7ffffffffffff}));
}
inline half nan(std::uint16_t code) {
  return sycl::bit_cast<half>(static_cast<std::uint16_t>(0x7e00u | (code & 0x1ffu)));
}
template <typename A, typename E = detail::integer_element<A>>
inline auto nan(const A& a) {
  return detail::map_math([](E code) { return nan(static_cast<std::make_unsigned_t<E>>(code)); }, a);
}

// ---- results through a pointer

namespace detail {

template <typename Pointer>
inline auto* out_pointer(Pointer p) noexcept {
  if constexpr (std::is_pointer_v<Pointer>) return p;
  else return p.get_raw();
}
template <typename Pointer, typename = void>
struct out_of {};
template <typename T>
struct out_of<T*> {
  using type = T;
};
template <typename T, access::address_space Space, access::decorated D>
struct out_of<multi_ptr<T, Space, D>> {
  using type = T;
};

// Applies f(x, T* out) to every element; *p takes the shape of a.
template <typename Out, typename A, typename F>
inline auto map_with_out(const A& a, Out& out, F f) {
  using S = shape<A>;
  typename S::value result, in = a;
  for (int i = 0; i < static_cast<int>(S::size); ++i) {
    std::remove_reference_t<decltype(out[i])> piece{};
    result[i] = f(in[i], &piece);
    out[i] = piece;
  }
  return result;
}

template <typename T>
inline T fract(T x, T* whole) {
  const T below = m_floor(x);
  *whole = below;
  if (m_fabs(x) == infinity<T>) return m_copysign(T(0), x);
  const T rest = x - below;
  constexpr T limit = T(1) - std::numeric_limits<T>::epsilon() / T(2);
  return x != x ? x : rest < limit ? m_copysign(rest, x == T(0) ? x : T(1)) : limit;
}
inline half fract(half x, half* whole) {
  float below;
  const float rest = fract(float(x), &below);
  *whole = below;
  const half rounded = rest;
  return rounded == 1.0f ? half(0x1.ffcp-1f) : rounded;
}
inline float modf(float x, float* whole) { return __builtin_modff(x, whole); }
inline double modf(double x, double* whole) { return __builtin_modf(x, whole); }
inline half modf(half x, half* whole) {
  float w;
  const half rest = __builtin_modff(float(x), &w);
  *whole = w;
  return rest;
}
inline float sincos(float x, float* c) {
  *c = __builtin_cosf(x);
  return __builtin_sinf(x);
}
inline double sincos(double x, double* c) {
  *c = __prism_exact_cos(x);
  return __prism_exact_sin(x);
}
inline half sincos(half x, half* c) {
  *c = __builtin_cosf(float(x));
  return __builtin_sinf(float(x));
}
inline float frexp(float x, int* e) { return __builtin_frexpf(x, e); }
inline double frexp(double x, int* e) { return __builtin_frexp(x, e); }
inline half frexp(half x, int* e) { return __builtin_frexpf(float(x), e); }
// For 0 and negative integers the result is +infinity and the sign is 0; OpenCL does not define the sign.
inline float lgamma_r(float x, int* sign) {
  const float below = __builtin_floorf(x);
  *sign = x > 0.0f || x != x ? 1 : below == x ? 0 : (below * 0.5f == __builtin_floorf(below * 0.5f)) ? 1 : -1;
  return __builtin_lgammaf(x);
}
inline double lgamma_r(double x, int* sign) {
  const double below = __builtin_floor(x);
  *sign = x > 0.0 || x != x ? 1 : below == x ? 0 : (below * 0.5 == __builtin_floor(below * 0.5)) ? 1 : -1;
  return __builtin_lgamma(x);
}
inline half lgamma_r(half x, int* sign) { return lgamma_r(float(x), sign); }
inline float remquo(float x, float y, int* q) { return __builtin_remquof(x, y, q); }
inline double remquo(double x, double y, int* q) { return __builtin_remquo(x, y, q); }
inline half remquo(half x, half y, int* q) { return __builtin_remquof(float(x), float(y), q); }

} // namespace detail

#define PRISM_MATH_OUT_SCALAR(NAME, OUT, SCALAR)                                                             \
  template <typename Pointer, typename = typename detail::out_of<Pointer>::type>                             \
  inline SCALAR NAME(SCALAR x, Pointer out) {                                                                \
    using T [[maybe_unused]] = SCALAR;                                                                       \
    OUT piece{};                                                                                             \
    const SCALAR result = detail::NAME(x, &piece);                                                           \
    *detail::out_pointer(out) = piece;                                                                       \
    return result;                                                                                           \
  }
#define PRISM_MATH_OUT(NAME, OUT)                                                                            \
  PRISM_MATH_OUT_SCALAR(NAME, OUT, float)                                                                    \
  PRISM_MATH_OUT_SCALAR(NAME, OUT, double)                                                                   \
  PRISM_MATH_OUT_SCALAR(NAME, OUT, half)                                                                     \
  template <typename A, typename Pointer, typename T = detail::float_element<A>,                             \
            typename = typename detail::out_of<Pointer>::type>                                               \
  inline auto NAME(const A& a, Pointer out) {                                                                \
    return detail::map_with_out(a, *detail::out_pointer(out),                                                \
                                [](T x, OUT* o) { return detail::NAME(x, o); });                             \
  }
PRISM_MATH_OUT(fract, T)
PRISM_MATH_OUT(modf, T)
PRISM_MATH_OUT(sincos, T)
PRISM_MATH_OUT(frexp, int)
PRISM_MATH_OUT(lgamma_r, int)
#undef PRISM_MATH_OUT
#undef PRISM_MATH_OUT_SCALAR

#define PRISM_REMQUO(SCALAR)                                                                                 \
  template <typename Pointer, typename = typename detail::out_of<Pointer>::type>                             \
  inline SCALAR remquo(SCALAR x, SCALAR y, Pointer out) {                                                    \
    int quotient = 0;                                                                                        \
    const SCALAR result = detail::remquo(x, y, &quotient);                                                   \
    *detail::out_pointer(out) = quotient;                                                                    \
    return result;                                                                                           \
  }
PRISM_REMQUO(float)
PRISM_REMQUO(double)
PRISM_REMQUO(half)
#undef PRISM_REMQUO

template <typename A, typename B, typename Pointer, typename T = detail::float_element<A, B>,
          typename = typename detail::out_of<Pointer>::type>
inline auto remquo(const A& a, const B& b, Pointer out) {
  using V = typename detail::common_shape<A, B>::value;
  const V x = a, y = b;
  V result;
  auto& quotients = *detail::out_pointer(out);
  for (int i = 0; i < static_cast<int>(V::size()); ++i) {
    int q = 0;
    result[i] = detail::remquo(x[i], y[i], &q);
    quotients[i] = q;
  }
  return result;
}

// SYCL 2020 has abs only for integers; other implementations accept floating-point numbers too.
template <typename T, std::enable_if_t<detail::is_genfloat_scalar<T>, int> = 0>
[[deprecated("use sycl::fabs")]] inline T abs(T x) {
  return fabs(x);
}
template <typename A, typename E = detail::float_element<A>>
[[deprecated("use sycl::fabs")]] inline auto abs(const A& a) {
  return fabs(a);
}

// ---- native and half precision: only for float; in PRISM they have full accuracy

#define PRISM_MATH_FAST_1(NAME, EXPRESSION)                                                                  \
  inline float NAME(float x) { return EXPRESSION; }                                                          \
  template <typename A, typename E = detail::float32_element<A>>                                             \
  inline auto NAME(const A& a) {                                                                             \
    return detail::map_math([](E x) -> E { return NAME(x); }, a);                                            \
  }
#define PRISM_MATH_FAST_2(NAME, EXPRESSION)                                                                  \
  inline float NAME(float x, float y) { return EXPRESSION; }                                                 \
  template <typename A, typename B, typename E = detail::float32_element<A, B>>                              \
  inline auto NAME(const A& a, const B& b) {                                                                 \
    return detail::map_math([](E x, E y) -> E { return NAME(x, y); }, a, b);                                 \
  }
#define PRISM_MATH_FAST                                                                                      \
  PRISM_MATH_FAST_1(cos, __builtin_cosf(x))                                                                  \
  PRISM_MATH_FAST_1(exp, __builtin_expf(x))                                                                  \
  PRISM_MATH_FAST_1(exp2, __builtin_exp2f(x))                                                                \
  PRISM_MATH_FAST_1(exp10, PRISM_EXP10_FLOAT(x))                                                             \
  PRISM_MATH_FAST_1(log, __builtin_logf(x))                                                                  \
  PRISM_MATH_FAST_1(log2, __builtin_log2f(x))                                                                \
  PRISM_MATH_FAST_1(log10, __builtin_log10f(x))                                                              \
  PRISM_MATH_FAST_1(recip, 1.0f / x)                                                                         \
  PRISM_MATH_FAST_1(rsqrt, 1.0f / __builtin_sqrtf(x))                                                        \
  PRISM_MATH_FAST_1(sin, __builtin_sinf(x))                                                                  \
  PRISM_MATH_FAST_1(sqrt, __builtin_sqrtf(x))                                                                \
  PRISM_MATH_FAST_1(tan, __builtin_tanf(x))                                                                  \
  PRISM_MATH_FAST_2(divide, x / y)                                                                           \
  PRISM_MATH_FAST_2(powr, detail::powr(x, y))
namespace native {
PRISM_MATH_FAST
} // namespace native
namespace [[deprecated("use sycl::native, or the functions of sycl itself")]] half_precision {
PRISM_MATH_FAST
} // namespace half_precision
#undef PRISM_MATH_FAST
#undef PRISM_MATH_FAST_1
#undef PRISM_MATH_FAST_2
#undef PRISM_EXP10_FLOAT
#undef PRISM_EXP10_DOUBLE

}
} // namespace sycl::_V1
