// How calls of <prism/nn.hpp> reach the library: as plain data. Programs use <prism/nn.hpp>.
#pragma once

#include <prism/tensor/request.hpp>

namespace prism::nn {

enum class activation : std::uint8_t {
  none,
  relu,
  leaky_relu,
  gelu,
  gelu_tanh,
  silu,
  tanh,
  sigmoid,
  softplus,
  elu
};
/// How a convolution is computed. `direct`: sums as defined; `gemm`: a product of matrices whose columns are
/// the windows (im2col); `winograd`: by Winograd's algorithm, a quarter of the products, for 3 x 3 weights
/// with stride 1 and dilation 1, errc::invalid for others. Its errors are larger, so `automatic` never takes
/// it.
enum class method : std::uint8_t { automatic, direct, gemm, winograd };
enum class pooling : std::uint8_t { max, average, average_with_padding };

/// Windows of convolutions and pooling: vertical, horizontal.
struct window {
  std::size_t stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1};
};

namespace detail {

using prism::detail::tensor_operand;
using events = std::vector<sycl::event>;

/// Operands that a call may leave out have rank 0 and no memory.
struct convolution {
  window how;
  std::size_t groups = 1;
  activation then = activation::none;
  method by = method::automatic;
  tensor_operand x, w, bias, y;
};
sycl::event convolve(sycl::queue& queue, const convolution& what, const events& depends);
/// y is the gradient of the result, and x or w the gradient that is written.
sycl::event gradient_of_data(sycl::queue& queue, const convolution& what, const events& depends);
sycl::event gradient_of_weights(sycl::queue& queue, const convolution& what, const events& depends);
method chosen(const convolution& what);

struct pool {
  pooling kind = pooling::max;
  std::size_t size[2] = {1, 1};
  window how;
  tensor_operand x, y, dx; // of the gradient: y is that of the result
};
sycl::event run(sycl::queue& queue, const pool& what, bool gradient, const events& depends);

/// y = then((x - mean) gamma / sqrt(variance + epsilon) + beta), all but x and y for each channel (dimension
/// 1) and left out where they have no memory.
struct normalisation {
  activation then = activation::none;
  double epsilon = 0;
  bool has_statistics = false, has_gamma = false, has_beta = false;
  tensor_operand x, y, mean, variance, gamma, beta;
};
sycl::event run(sycl::queue& queue, const normalisation& what, const events& depends);
sycl::event statistics(sycl::queue& queue, const tensor_operand& x, const tensor_operand& mean,
                       const tensor_operand& variance, const events& depends);
sycl::event gradient_of_activation(sycl::queue& queue, activation of, const tensor_operand& x,
                                   const tensor_operand& dy, const tensor_operand& dx, const events& depends);

enum class row_task : std::uint8_t { softmax, log_softmax, layer_norm };
struct rows {
  row_task task = row_task::softmax;
  double epsilon = 0;
  bool has_gamma = false;
  tensor_operand x, y, gamma, beta;
};
sycl::event run(sycl::queue& queue, const rows& what, const events& depends);

struct attention {
  double scale = 0; // 0: 1 / sqrt(d)
  bool causal = false, has_mask = false;
  tensor_operand q, k, v, mask, y;
};
sycl::event run(sycl::queue& queue, const attention& what, const events& depends);

struct linear {
  activation then = activation::none;
  bool has_bias = false;
  tensor_operand x, w, bias, y;
};
sycl::event run(sycl::queue& queue, const linear& what, const events& depends);

struct quantised_convolution {
  window how;
  std::size_t groups = 1;
  double scale = 1;
  std::int32_t zero_x = 0, zero_w = 0;
  tensor_operand x, w, y;
};
sycl::event run(sycl::queue& queue, const quantised_convolution& what, const events& depends);

struct quantised {
  double scale = 1;
  std::int32_t zero_a = 0, zero_b = 0;
  tensor_operand a, b, y;
};
sycl::event run(sycl::queue& queue, const quantised& what, const events& depends);

} // namespace detail
} // namespace prism::nn
