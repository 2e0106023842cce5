// The element-wise functions of sycl_ext_oneapi_complex ("Element-Wise Mathematical operations"). If one
// argument is an marray, the other may be a number, which is used for all elements.
#pragma once

#include <cstddef>
#include <utility>

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

namespace detail {

template <typename Result, std::size_t N, typename Function>
marray<Result, N> for_elements(Function function) {
  marray<Result, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = function(i);
  return result;
}

} // namespace detail

#define PRISM_COMPLEX_ELEMENTS(NAME, RESULT)                                                                 \
  template <typename T, std::size_t N>                                                                       \
  marray<RESULT, N> NAME(const marray<complex<T>, N>& x) {                                                   \
    return detail::for_elements<RESULT, N>([&](std::size_t i) { return NAME(x[i]); });                       \
  }
PRISM_COMPLEX_ELEMENTS(real, T)
PRISM_COMPLEX_ELEMENTS(imag, T)
PRISM_COMPLEX_ELEMENTS(abs, T)
PRISM_COMPLEX_ELEMENTS(arg, T)
PRISM_COMPLEX_ELEMENTS(norm, T)
PRISM_COMPLEX_ELEMENTS(conj, complex<T>)
PRISM_COMPLEX_ELEMENTS(proj, complex<T>)
PRISM_COMPLEX_ELEMENTS(log, complex<T>)
PRISM_COMPLEX_ELEMENTS(log10, complex<T>)
PRISM_COMPLEX_ELEMENTS(sqrt, complex<T>)
PRISM_COMPLEX_ELEMENTS(exp, complex<T>)
PRISM_COMPLEX_ELEMENTS(asinh, complex<T>)
PRISM_COMPLEX_ELEMENTS(acosh, complex<T>)
PRISM_COMPLEX_ELEMENTS(atanh, complex<T>)
PRISM_COMPLEX_ELEMENTS(sinh, complex<T>)
PRISM_COMPLEX_ELEMENTS(cosh, complex<T>)
PRISM_COMPLEX_ELEMENTS(tanh, complex<T>)
PRISM_COMPLEX_ELEMENTS(asin, complex<T>)
PRISM_COMPLEX_ELEMENTS(acos, complex<T>)
PRISM_COMPLEX_ELEMENTS(atan, complex<T>)
PRISM_COMPLEX_ELEMENTS(sin, complex<T>)
PRISM_COMPLEX_ELEMENTS(cos, complex<T>)
PRISM_COMPLEX_ELEMENTS(tan, complex<T>)
#undef PRISM_COMPLEX_ELEMENTS

template <typename T, std::size_t N, std::enable_if_t<detail::is_complex_part<T>, int> = 0>
marray<complex<T>, N> proj(const marray<T, N>& x) {
  return detail::for_elements<complex<T>, N>([&](std::size_t i) { return proj(x[i]); });
}

template <typename T, std::size_t N, std::enable_if_t<detail::is_complex_part<T>, int> = 0>
marray<complex<T>, N> polar(const marray<T, N>& rho, T theta = T()) {
  return detail::for_elements<complex<T>, N>([&](std::size_t i) { return polar(rho[i], theta); });
}
template <typename T, std::size_t N, std::enable_if_t<detail::is_complex_part<T>, int> = 0>
marray<complex<T>, N> polar(const marray<T, N>& rho, const marray<T, N>& theta) {
  return detail::for_elements<complex<T>, N>([&](std::size_t i) { return polar(rho[i], theta[i]); });
}
template <typename T, std::size_t N, std::enable_if_t<detail::is_complex_part<T>, int> = 0>
marray<complex<T>, N> polar(T rho, const marray<T, N>& theta) {
  return detail::for_elements<complex<T>, N>([&](std::size_t i) { return polar(rho, theta[i]); });
}

#define PRISM_COMPLEX_POW(BASE, BASE_AT, EXPONENT, EXPONENT_AT)                                              \
  template <typename T, std::size_t N, std::enable_if_t<detail::is_complex_part<T>, int> = 0>                \
  marray<complex<T>, N> pow(BASE x, EXPONENT y) {                                                            \
    return detail::for_elements<complex<T>, N>(                                                              \
        [&](std::size_t i) { return pow(x BASE_AT, y EXPONENT_AT); });                                       \
  }
#define PRISM_COMPLEXES const marray<complex<T>, N>&
#define PRISM_REALS const marray<T, N>&
#define PRISM_COMPLEX const complex<T>&
#define PRISM_EACH [i]
#define PRISM_ALL
PRISM_COMPLEX_POW(PRISM_COMPLEXES, PRISM_EACH, PRISM_REALS, PRISM_EACH)
PRISM_COMPLEX_POW(PRISM_COMPLEXES, PRISM_EACH, T, PRISM_ALL)
PRISM_COMPLEX_POW(PRISM_COMPLEX, PRISM_ALL, PRISM_REALS, PRISM_EACH)
PRISM_COMPLEX_POW(PRISM_COMPLEXES, PRISM_EACH, PRISM_COMPLEXES, PRISM_EACH)
PRISM_COMPLEX_POW(PRISM_COMPLEXES, PRISM_EACH, PRISM_COMPLEX, PRISM_ALL)
PRISM_COMPLEX_POW(PRISM_COMPLEX, PRISM_ALL, PRISM_COMPLEXES, PRISM_EACH)
PRISM_COMPLEX_POW(PRISM_REALS, PRISM_EACH, PRISM_COMPLEXES, PRISM_EACH)
PRISM_COMPLEX_POW(PRISM_REALS, PRISM_EACH, PRISM_COMPLEX, PRISM_ALL)
PRISM_COMPLEX_POW(T, PRISM_ALL, PRISM_COMPLEXES, PRISM_EACH)
#undef PRISM_COMPLEX_POW
#undef PRISM_COMPLEXES
#undef PRISM_REALS
#undef PRISM_COMPLEX
#undef PRISM_EACH
#undef PRISM_ALL

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental
