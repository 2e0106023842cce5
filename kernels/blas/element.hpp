// Numbers as the kernels see them. A complex number is two adjacent reals, so that no kernel calls the
// standard library's complex multiplication.
#pragma once

#include <sycl/sycl.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace prism::blas {

/// `real`: the type of a component; `parts`: components of an element.
template <typename T>
struct element_of {
  using real = T;
  static constexpr int parts = 1;
};
template <typename R>
struct element_of<std::complex<R>> {
  using real = R;
  static constexpr int parts = 2;
};

template <typename T>
using real_of = typename element_of<T>::real;
template <typename T>
inline constexpr int parts_of = element_of<T>::parts;

/// A factor as its components.
template <typename R>
struct factor {
  R parts[2] = {};
  factor() = default;
  factor(R value) : parts{value, R(0)} {}
  factor(std::complex<R> value) : parts{value.real(), value.imag()} {}
  bool is(R value) const { return parts[0] == value && parts[1] == R(0); }
};

} // namespace prism::blas
