// The kernels of <prism/nn.hpp>, for float and double. Operands were checked.
#pragma once

#include "kernels/nn/operands.hpp"

namespace prism::nn {

using events = std::vector<sycl::event>;

/// y = then((x - mean) gamma / sqrt(variance + epsilon) + beta); each may be missing.
template <typename R>
struct channel_values {
  std::optional<tensor4<R>> mean, variance, gamma, beta; // dimension 3
  R epsilon = 0;
};
template <typename R>
sycl::event normalise(sycl::queue& queue, activation then, const tensor4<R>& x, const channel_values<R>& by,
                      const tensor4<R>& y, const events& depends);
template <typename R>
sycl::event activation_gradient(sycl::queue& queue, activation of, const tensor4<R>& x, const tensor4<R>& dy,
                                const tensor4<R>& dx, const events& depends);
/// y = x times factor.
template <typename R>
sycl::event scale(sycl::queue& queue, R factor, const tensor4<R>& x, const tensor4<R>& y,
                  const events& depends);

/// Rows: dimension 2, columns: dimension 3.
template <typename R>
sycl::event row_operation(sycl::queue& queue, detail::row_task task, R epsilon, const tensor4<R>& x,
                          const tensor4<R>& gamma, const tensor4<R>& beta, const tensor4<R>& y,
                          const events& depends);

template <typename R>
sycl::event convolve_directly(sycl::queue& queue, const window& how, size_t groups, const tensor4<R>& x,
                              const tensor4<R>& w, const tensor4<R>& y, const events& depends);
/// columns(n, 0, (c, r, s), (i, j)) = the point of x that w(., c, r, s) meets at (i, j); 0 outside.
struct image_windows {
  window how;
  size_t kernel[2], out[2]; // height, width
};
template <typename R>
sycl::event to_columns(sycl::queue& queue, const image_windows& of, const tensor4<R>& x,
                       const tensor4<R>& columns, const events& depends);
/// x = the sum of the columns' points that are it.
template <typename R>
sycl::event from_columns(sycl::queue& queue, const image_windows& of, const tensor4<R>& columns,
                         const tensor4<R>& x, const events& depends);

template <typename R>
sycl::event pool_windows(sycl::queue& queue, pooling kind, const image_windows& of, const tensor4<R>& x,
                         const tensor4<R>& y, const events& depends);
template <typename R>
sycl::event pool_gradient(sycl::queue& queue, pooling kind, const image_windows& of, const tensor4<R>& x,
                          const tensor4<R>& dy, const tensor4<R>& dx, const events& depends);

template <typename R>
sycl::event attend(sycl::queue& queue, R scale, bool causal, const tensor4<R>& q, const tensor4<R>& k,
                   const tensor4<R>& v, const std::optional<tensor4<R>>& mask, const tensor4<R>& y,
                   const events& depends);

} // namespace prism::nn
