// A complex number as its real and imaginary part, with conversions from and to the compiler's own type. For
// complex.cpp and complex_functions.cpp.
#pragma once

namespace prism::builtins {

template <typename T>
struct cartesian {
  T re, im;
};

template <typename T, typename C>
inline cartesian<T> parts(C z) {
  return {__real__ z, __imag__ z};
}
template <typename C, typename T>
inline C whole(cartesian<T> z) {
  C result;
  __real__ result = z.re;
  __imag__ result = z.im;
  return result;
}

} // namespace prism::builtins

using complexf = float _Complex;
using complexd = double _Complex;
