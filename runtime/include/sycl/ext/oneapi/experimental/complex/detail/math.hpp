// The functions of sycl_ext_oneapi_complex ("Scalar Mathematical operations"), for one complex or real
// number.
#pragma once

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

namespace detail {

template <typename T>
std::complex<complex_work<T>> to_std(const complex<T>& z) {
  return z;
}

/// The type to which C++ converts a real argument of complex functions: integers become double. Other
/// arguments have no type.
template <typename T, bool Integer = std::is_integral_v<T>, bool Part = is_complex_part<T>>
struct real_argument {};
template <typename T>
struct real_argument<T, true, false> {
  using type = double;
};
template <typename T>
struct real_argument<T, false, true> {
  using type = T;
};
template <typename T>
using real_argument_t = typename real_argument<T>::type;

/// The element type of the result of pow: the widest one of double, float and half.
template <typename T, typename U>
using promoted =
    std::conditional_t<std::is_same_v<T, double> || std::is_same_v<U, double>, double,
                       std::conditional_t<std::is_same_v<T, float> || std::is_same_v<U, float>, float, half>>;

} // namespace detail

template <class T>
constexpr T real(const complex<T>& z) {
  return z.real();
}
template <class T>
constexpr detail::real_argument_t<T> real(T y) {
  return static_cast<detail::real_argument_t<T>>(y);
}
template <class T>
constexpr T imag(const complex<T>& z) {
  return z.imag();
}
template <class T>
constexpr detail::real_argument_t<T> imag(T) {
  return {};
}

#define PRISM_COMPLEX_TO_REAL(NAME)                                                                          \
  template <class T>                                                                                         \
  T NAME(const complex<T>& z) {                                                                              \
    return static_cast<T>(std::NAME(detail::to_std(z)));                                                     \
  }
PRISM_COMPLEX_TO_REAL(abs)
PRISM_COMPLEX_TO_REAL(arg)
PRISM_COMPLEX_TO_REAL(norm)
#undef PRISM_COMPLEX_TO_REAL

#define PRISM_COMPLEX_OF_REAL(NAME, RESULT)                                                                  \
  template <class T>                                                                                         \
  RESULT NAME(T y) {                                                                                         \
    return NAME(complex<detail::real_argument_t<T>>(static_cast<detail::real_argument_t<T>>(y)));            \
  }

#define PRISM_COMPLEX_TO_COMPLEX(NAME)                                                                       \
  template <class T>                                                                                         \
  complex<T> NAME(const complex<T>& z) {                                                                     \
    return std::NAME(detail::to_std(z));                                                                     \
  }
PRISM_COMPLEX_TO_COMPLEX(conj)
PRISM_COMPLEX_TO_COMPLEX(proj)
PRISM_COMPLEX_TO_COMPLEX(log)
PRISM_COMPLEX_TO_COMPLEX(log10)
PRISM_COMPLEX_TO_COMPLEX(sqrt)
PRISM_COMPLEX_TO_COMPLEX(exp)
PRISM_COMPLEX_TO_COMPLEX(asinh)
PRISM_COMPLEX_TO_COMPLEX(acosh)
PRISM_COMPLEX_TO_COMPLEX(atanh)
PRISM_COMPLEX_TO_COMPLEX(sinh)
PRISM_COMPLEX_TO_COMPLEX(cosh)
PRISM_COMPLEX_TO_COMPLEX(tanh)
PRISM_COMPLEX_TO_COMPLEX(asin)
PRISM_COMPLEX_TO_COMPLEX(acos)
PRISM_COMPLEX_TO_COMPLEX(atan)
PRISM_COMPLEX_TO_COMPLEX(sin)
PRISM_COMPLEX_TO_COMPLEX(cos)
PRISM_COMPLEX_TO_COMPLEX(tan)
#undef PRISM_COMPLEX_TO_COMPLEX

PRISM_COMPLEX_OF_REAL(arg, detail::real_argument_t<T>)
PRISM_COMPLEX_OF_REAL(norm, detail::real_argument_t<T>)
PRISM_COMPLEX_OF_REAL(conj, complex<detail::real_argument_t<T>>)
PRISM_COMPLEX_OF_REAL(proj, complex<detail::real_argument_t<T>>)
#undef PRISM_COMPLEX_OF_REAL

/// Returns NaN for a negative or NaN rho, for which C++ defines no result.
template <class T>
complex<T> polar(const T& rho, const T& theta = T()) {
  using W = detail::complex_work<T>;
  const W length = static_cast<W>(rho), angle = static_cast<W>(theta);
  if (!(length >= W(0))) return {static_cast<T>(NAN), static_cast<T>(NAN)};
  if (angle == W(0)) return {rho, theta};
  return {static_cast<T>(length * sycl::cos(angle)), static_cast<T>(length * sycl::sin(angle))};
}

template <class T, class U>
complex<detail::promoted<T, U>> pow(const complex<T>& x, const complex<U>& y) {
  using P = complex<detail::promoted<T, U>>;
  return std::pow(detail::to_std(P(x)), detail::to_std(P(y)));
}
template <class T, class U>
complex<detail::promoted<T, detail::real_argument_t<U>>> pow(const complex<T>& x, const U& y) {
  return pow(x, complex<detail::real_argument_t<U>>(static_cast<detail::real_argument_t<U>>(y)));
}
template <class T, class U>
complex<detail::promoted<detail::real_argument_t<T>, U>> pow(const T& x, const complex<U>& y) {
  return pow(complex<detail::real_argument_t<T>>(static_cast<detail::real_argument_t<T>>(x)), y);
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental
