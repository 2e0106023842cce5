// Fourier transforms of arrays, with the names of NumPy. Use <prism/array.hpp>.
//
//   prism::any_array waves = prism::fft::fft2(field);
//
// Real numbers and integers become complex numbers: complex64 of float32, else complex128. Transforms are
// those of <prism/fft.hpp>, with its providers and accuracy, of any length. A call submits commands and does
// not wait. Errors are errc::invalid: axes and lengths that do not fit.
#pragma once

#include <prism/array/functions.hpp>

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::fft {

/// What is divided by the number of points: the inverse, nothing but both by its root, the transform.
enum class scaling : std::uint8_t { backward, ortho, forward };

/// Extents of the result along the axes; none given means those of the array.
using lengths = std::optional<std::vector<std::int64_t>>;

/// X[k] = sum of x[j] exp(-2 pi i j k / n) along the axis, which is cut or filled with zeros to n elements.
any_array fft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
              scaling norm = scaling::backward);
any_array ifft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
               scaling norm = scaling::backward);
/// Of real numbers: the n / 2 + 1 numbers that determine the others.
any_array rfft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
               scaling norm = scaling::backward);
/// The inverse of rfft: n real numbers, by default 2 (m - 1) of m.
any_array irfft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
                scaling norm = scaling::backward);
/// Of a signal whose second half is the conjugate of the first: n real numbers, by default 2 (m - 1).
any_array hfft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
               scaling norm = scaling::backward);
any_array ihfft(const any_array& x, std::optional<std::int64_t> n = {}, std::int64_t axis = -1,
                scaling norm = scaling::backward);

/// Along several axes: all, or the last ones that `s` names. Up to three axes are one transform. Of real
/// numbers the last axis is halved.
any_array fftn(const any_array& x, const lengths& s = {}, const axes& axis = {},
               scaling norm = scaling::backward);
any_array ifftn(const any_array& x, const lengths& s = {}, const axes& axis = {},
                scaling norm = scaling::backward);
any_array rfftn(const any_array& x, const lengths& s = {}, const axes& axis = {},
                scaling norm = scaling::backward);
any_array irfftn(const any_array& x, const lengths& s = {}, const axes& axis = {},
                 scaling norm = scaling::backward);
/// Of the last two axes.
inline const axes last_two = std::vector<std::int64_t>{-2, -1};
inline any_array fft2(const any_array& x, const lengths& s = {}, const axes& axis = last_two,
                      scaling norm = scaling::backward) {
  return fftn(x, s, axis, norm);
}
inline any_array ifft2(const any_array& x, const lengths& s = {}, const axes& axis = last_two,
                       scaling norm = scaling::backward) {
  return ifftn(x, s, axis, norm);
}
inline any_array rfft2(const any_array& x, const lengths& s = {}, const axes& axis = last_two,
                       scaling norm = scaling::backward) {
  return rfftn(x, s, axis, norm);
}
inline any_array irfft2(const any_array& x, const lengths& s = {}, const axes& axis = last_two,
                        scaling norm = scaling::backward) {
  return irfftn(x, s, axis, norm);
}

/// The frequencies of fft's n numbers, and of rfft's, in cycles per unit of d, the distance of samples.
any_array fftfreq(std::int64_t n, double d = 1, dtype type = dtype::float64, const array_device& on = {});
any_array rfftfreq(std::int64_t n, double d = 1, dtype type = dtype::float64, const array_device& on = {});
/// The numbers along the axes rotated so that frequency 0 is in the middle, and back.
any_array fftshift(const any_array& x, const axes& axis = {});
any_array ifftshift(const any_array& x, const axes& axis = {});

} // namespace prism::fft

#include <sycl/detail/user_macros_restore.hpp>
