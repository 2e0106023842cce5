// The extension sycl_ext_oneapi_complex: sycl::ext::oneapi::experimental::complex<T> for half, float and
// double, its functions, and sycl::marray of it. It is implemented by C++'s std::complex and has the same
// values for infinities and NaN. half is computed in float, and each operation is rounded once.
//
// Not part of <sycl/sycl.hpp>: a program must include this header by name, as in the implementation that
// defines the extension. There, the program must define the extension's macro first; here, it may.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <complex>
#include <istream>
#include <ostream>
#include <type_traits>

#include <sycl/sycl.hpp>

#ifndef SYCL_EXT_ONEAPI_COMPLEX
#define SYCL_EXT_ONEAPI_COMPLEX 1
#endif

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

namespace detail {

template <typename T>
inline constexpr bool is_complex_part =
    std::is_same_v<T, half> || std::is_same_v<T, float> || std::is_same_v<T, double>;

/// The type in which std::complex computes.
template <typename T>
using complex_work = std::conditional_t<std::is_same_v<T, half>, float, T>;

} // namespace detail

template <typename T>
class complex {
  static_assert(detail::is_complex_part<T>, "complex<T>: T is sycl::half, float or double");

public:
  using value_type = T;

  constexpr complex(value_type re = value_type(), value_type im = value_type()) : m_re(re), m_im(im) {}
  template <typename X>
  constexpr complex(const complex<X>& other)
      : m_re(static_cast<T>(other.real())), m_im(static_cast<T>(other.imag())) {}
  template <class X>
  constexpr complex(const std::complex<X>& other)
      : m_re(static_cast<T>(other.real())), m_im(static_cast<T>(other.imag())) {}
  constexpr complex(const complex&) = default;

  template <class X>
  constexpr operator std::complex<X>() const {
    return {static_cast<X>(m_re), static_cast<X>(m_im)};
  }

  constexpr value_type real() const { return m_re; }
  constexpr value_type imag() const { return m_im; }
  void real(value_type value) { m_re = value; }
  void imag(value_type value) { m_im = value; }

  complex& operator=(value_type x) {
    m_re = x;
    m_im = value_type();
    return *this;
  }
  constexpr complex& operator=(const complex&) = default;

#define PRISM_COMPLEX_ASSIGN(OP)                                                                             \
  friend complex& operator OP##=(complex & z, value_type y) { return z = z OP y; }                           \
  template <class X>                                                                                         \
  friend complex& operator OP##=(complex & z, const complex<X>& w) {                                         \
    return z = z OP complex(w);                                                                              \
  }
  PRISM_COMPLEX_ASSIGN(+)
  PRISM_COMPLEX_ASSIGN(-)
  PRISM_COMPLEX_ASSIGN(*)
  PRISM_COMPLEX_ASSIGN(/)
#undef PRISM_COMPLEX_ASSIGN

#define PRISM_COMPLEX_BINARY(OP)                                                                             \
  friend complex operator OP(const complex& z, const complex& w) { return z.to_std() OP w.to_std(); }        \
  friend complex operator OP(const complex& z, value_type y) { return z.to_std() OP static_cast<work>(y); }  \
  friend complex operator OP(value_type x, const complex& w) { return static_cast<work>(x) OP w.to_std(); }
  PRISM_COMPLEX_BINARY(+)
  PRISM_COMPLEX_BINARY(-)
  PRISM_COMPLEX_BINARY(*)
  PRISM_COMPLEX_BINARY(/)
#undef PRISM_COMPLEX_BINARY

  friend complex operator+(const complex& z) { return z; }
  friend complex operator-(const complex& z) { return {-z.m_re, -z.m_im}; }

  friend constexpr bool operator==(const complex& z, const complex& w) {
    return z.m_re == w.m_re && z.m_im == w.m_im;
  }
  friend constexpr bool operator==(const complex& z, value_type y) { return z == complex(y); }
  friend constexpr bool operator==(value_type x, const complex& w) { return complex(x) == w; }
  friend constexpr bool operator!=(const complex& z, const complex& w) { return !(z == w); }
  friend constexpr bool operator!=(const complex& z, value_type y) { return !(z == y); }
  friend constexpr bool operator!=(value_type x, const complex& w) { return !(x == w); }

  /// Reads (re,im), (re) or re. For other input the stream fails and z is unchanged. Only for host code.
  template <class C, class Traits>
  friend std::basic_istream<C, Traits>& operator>>(std::basic_istream<C, Traits>& from, complex& z) {
    std::complex<work> read;
    if (from >> read) z = complex(read);
    return from;
  }
  /// Writes (re,im). Only for host code.
  template <class C, class Traits>
  friend std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& to, const complex& z) {
    return to << z.to_std();
  }
  friend const sycl::stream& operator<<(const sycl::stream& to, const complex& z) {
    return to << '(' << z.m_re << ',' << z.m_im << ')';
  }

private:
  using work = detail::complex_work<T>;
  constexpr std::complex<work> to_std() const { return {static_cast<work>(m_re), static_cast<work>(m_im)}; }

  value_type m_re;
  value_type m_im;
};

namespace detail {
template <typename T>
struct is_complex : std::false_type {};
template <typename T>
struct is_complex<complex<T>> : std::true_type {};
} // namespace detail

}
}
} // namespace ext::oneapi::experimental

namespace detail {
template <typename T>
inline constexpr bool marray_has_order<ext::oneapi::experimental::complex<T>> = false;
} // namespace detail

}
} // namespace sycl::_V1

#include <sycl/ext/oneapi/experimental/complex/detail/math.hpp>
#include <sycl/ext/oneapi/experimental/complex/detail/marray_math.hpp>

#include <sycl/detail/user_macros_restore.hpp>
