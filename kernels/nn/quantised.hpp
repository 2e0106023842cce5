// Products and convolutions of 8-bit integers. Operands were checked and have elements.
#pragma once

#include <prism/nn/request.hpp>

namespace prism::nn {

/// Products (a - zero_a) (b - zero_b) whose sums are exact in float, in any order.
std::size_t exact_products(std::int32_t zero_a, std::int32_t zero_b);

sycl::event multiply_quantised(sycl::queue& queue, const detail::quantised& what,
                               const std::vector<sycl::event>& depends);
/// A window has at most exact_products() points.
sycl::event convolve_quantised(sycl::queue& queue, const detail::quantised_convolution& what,
                               const std::vector<sycl::event>& depends);

} // namespace prism::nn
