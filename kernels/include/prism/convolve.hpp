// Convolution and correlation of one to three dimensions, on every device. Link prism::operations.
//
//   sycl::buffer<float> signal(...), taps(...), result(...);
//   prism::convolve::convolve(queue, prism::fft::grid(signal, {1000}), prism::fft::grid(taps, {21}),
//                             prism::fft::grid(result, {1000}), prism::convolve::mode::same);
//
// out[k] = sum over j of a[k - j] b[j] (convolve), or a[k + j] conj(b[j]) (correlate), in each dimension,
// where a and b are 0 outside of their points. Extents of a: n, of b: m. `out` has, with mode
//
//   full   n + m - 1 points: all where the operands overlap;
//   same   n points: the middle of full, from (m - 1) / 2 on;
//   valid  n - m + 1 points, of n >= m: all where b is inside of a.
//
// Correlate's full begins with b's last point at a's first. Operands are grids (<prism/fft/grid.hpp>) of
// float, double, or std::complex of them, all of one type, with any strides; a batch convolves grid i of a
// with grid i of b, or with the only grid of b. `out` overlaps neither operand, and its elements do not
// overlap.
//
// Directly it is as many products as points of out times points of b; by Fourier transforms O(p log p)
// operations for p = n + m - 1, with an error relative to the largest result. `method::automatic` takes the
// one whose predicted time is less, by a model with constants measured on each kind of device
// (kernels/fft/convolve.cpp).
//
// Calls return at once with the event of the last command; `depends`, errors, and memory are as in
// <prism/fft.hpp>.
#pragma once

#include <prism/fft/request.hpp>

namespace prism::convolve {

enum class mode : std::uint8_t { full, same, valid };
enum class method : std::uint8_t { automatic, direct, fourier };

namespace detail {

struct description {
  int bits = 32;
  bool correlates = false;
  mode which = mode::full;
  method how = method::automatic;
  fft::detail::shape a, b, out;
};
/// Throws errc::invalid where extents do not fit.
sycl::event run(sycl::queue& queue, const description& what, const fft::detail::memory& a,
                const fft::detail::memory& b, const fft::detail::memory& out,
                const std::vector<sycl::event>& depends);
/// Whether transforms are taken.
bool uses_fourier(const sycl::queue& queue, const description& what);

template <typename T, typename A, typename B, typename Out>
description described(bool correlates, const fft::grid_view<const T, A>& a,
                      const fft::grid_view<const T, B>& b, const fft::grid_view<T, Out>& out, mode which,
                      method how) {
  using element = fft::detail::element<T>;
  static_assert(element::bits >= 32, "convolutions are of float, double and std::complex of them");
  fft::detail::require_grid("a", a), fft::detail::require_grid("b", b), fft::detail::require_grid("out", out);
  return {element::bits,
          correlates,
          which,
          how,
          fft::detail::shape_of(a),
          fft::detail::shape_of(b),
          fft::detail::shape_of(out)};
}

template <typename Place>
using const_place = typename blas::detail::const_place<Place>::type;
template <typename T>
struct as_is {
  using type = T;
};
/// An operand that is read, of the type of the one that is written.
template <typename T, typename Place>
using input = typename as_is<fft::grid_view<const T, const_place<Place>>>::type;

} // namespace detail

using events = std::vector<sycl::event>;

template <typename T, typename Place>
sycl::event convolve(sycl::queue& queue, const detail::input<T, Place>& a, const detail::input<T, Place>& b,
                     const fft::grid_view<T, Place>& out, mode which = mode::full,
                     method how = method::automatic, const events& depends = {}) {
  return detail::run(queue, detail::described<T>(false, a, b, out, which, how), fft::detail::memory_of(a),
                     fft::detail::memory_of(b), fft::detail::memory_of(out), depends);
}
template <typename T, typename Place>
sycl::event correlate(sycl::queue& queue, const detail::input<T, Place>& a, const detail::input<T, Place>& b,
                      const fft::grid_view<T, Place>& out, mode which = mode::full,
                      method how = method::automatic, const events& depends = {}) {
  return detail::run(queue, detail::described<T>(true, a, b, out, which, how), fft::detail::memory_of(a),
                     fft::detail::memory_of(b), fft::detail::memory_of(out), depends);
}

/// What `method::automatic` would take.
template <typename T, typename Place>
method chosen(const sycl::queue& queue, const detail::input<T, Place>& a, const detail::input<T, Place>& b,
              const fft::grid_view<T, Place>& out, mode which = mode::full) {
  return detail::uses_fourier(queue, detail::described<T>(false, a, b, out, which, method::automatic))
             ? method::fourier
             : method::direct;
}

} // namespace prism::convolve
