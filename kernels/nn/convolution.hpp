// Convolutions as products of matrices. Operands were checked and have elements.
#pragma once

#include "kernels/nn/operands.hpp"

#include <optional>

namespace prism::nn {

using events = std::vector<sycl::event>;

template <typename R>
struct convolution_of {
  window how;
  size_t groups;
  tensor4<R> x, w, y;
};

/// `terms`: products in a sum.
method chosen(size_t outputs_of_group, size_t terms);

template <typename R>
sycl::event convolve_by_products(sycl::queue& queue, const convolution_of<R>& what, const events& depends);
/// Directly, on processors; nothing if the device or the operands are others.
template <typename R>
std::optional<sycl::event> convolve_rows(sycl::queue& queue, const convolution_of<R>& what,
                                         const events& depends);
/// Directly on the host, for sums of few terms; nothing if the device or the operands are others.
template <typename R>
std::optional<sycl::event> convolve_strips(sycl::queue& queue, const convolution_of<R>& what,
                                           const events& depends);
/// Directly on the host, for one channel of the image in each channel of the result and small square windows;
/// nothing if the device or the operands are others.
template <typename R>
std::optional<sycl::event> convolve_planes(sycl::queue& queue, const convolution_of<R>& what,
                                           const events& depends);
/// As products on the host, without the windows in memory; nothing if the device or the operands are
/// others.
template <typename R>
std::optional<sycl::event> convolve_by_tiles(sycl::queue& queue, const convolution_of<R>& what,
                                             const events& depends);
/// By Winograd's algorithm: 3 x 3 weights, stride and dilation 1.
template <typename R>
sycl::event convolve_by_winograd(sycl::queue& queue, const convolution_of<R>& what, const events& depends);
/// x is written, y is the gradient of the result.
template <typename R>
sycl::event gradient_of_data(sycl::queue& queue, const convolution_of<R>& what, const events& depends);
/// w is written.
template <typename R>
sycl::event gradient_of_weights(sycl::queue& queue, const convolution_of<R>& what, const events& depends);

} // namespace prism::nn
