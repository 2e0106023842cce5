// Operations of neural networks on every device. Link prism::operations.
//
//   namespace nn = prism::nn;
//   nn::conv2d(queue, tensor(x, {n, c, h, w}), tensor(weights, {o, c, 3, 3}), tensor(y, {n, o, h, w}),
//              {{{1, 1}, {1, 1}}});                        // stride 1, padding 1
//   nn::attention(queue, q, k, v, y, {true});                 // causal; b x heads x length x d each
//
// Operands are tensors (<prism/tensor.hpp>) of float, double, half or bfloat16 with any strides: images have
// the dimensions batch, channel, height, width, in any order in memory (`permuted`). All operands of a call
// have one type and one kind of memory. Calls on half and bfloat16 compute in float, from copies of their
// operands, and round each element of a result once. A result must not overlap an operand, except where a
// function allows it; no two of its elements may coincide (errc::invalid where the call sees it).
//
// Calls return at once with the event of the last command; they start after `depends`. errc::invalid for
// shapes that disagree, with the numbers; errc::feature_not_supported where the device lacks the type.
// NaN goes where the definition takes it; max pooling returns NaN for a window with one.
#pragma once

#include <prism/nn/request.hpp>

namespace prism::nn {

using events = std::vector<sycl::event>;

namespace detail {

template <typename T, typename Place>
using in = prism::detail::tensor_in<T, Place>;
using prism::detail::operand_of;

template <typename T, typename Place>
convolution described(const window& how, std::size_t groups, const in<T, Place>& x, const in<T, Place>& w,
                      const in<T, Place>& y) {
  convolution c;
  c.how = how, c.groups = groups;
  c.x = operand_of("x", x), c.w = operand_of("the weights", w), c.y = operand_of("y", y);
  return c;
}

} // namespace detail

struct convolution_options {
  window how;
  std::size_t groups = 1;
  activation then = activation::none;
  method by = method::automatic;
};
/// y[n, o, i, j] = then(bias[o] + sum over c, r, s of w[o, c, r, s] x[n, c', i stride - padding + r dilation,
/// ...]), x being 0 outside; c' counts the channels of o's group. y has (h + 2 padding - dilation (r - 1) -
/// 1) / stride + 1 rows. Errors: at most (k + 2) u of the sum of absolute values, k products.
template <typename T, typename Place>
sycl::event conv2d(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& weights,
                   const tensor_view<T, Place>& y, const convolution_options& how = {},
                   const events& depends = {}) {
  detail::convolution c = detail::described<T, Place>(how.how, how.groups, x, weights, y);
  c.then = how.then, c.by = how.by;
  return detail::convolve(queue, c, depends);
}
/// With a bias for each channel of y.
template <typename T, typename Place>
sycl::event conv2d(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& weights,
                   const detail::in<T, Place>& bias, const tensor_view<T, Place>& y,
                   const convolution_options& how = {}, const events& depends = {}) {
  detail::convolution c = detail::described<T, Place>(how.how, how.groups, x, weights, y);
  c.then = how.then, c.by = how.by, c.bias = detail::operand_of("bias", bias);
  return detail::convolve(queue, c, depends);
}
/// dx = the gradient by x, for the gradient dy by the result (without activation).
template <typename T, typename Place>
sycl::event conv2d_gradient_of_data(sycl::queue& queue, const detail::in<T, Place>& dy,
                                    const detail::in<T, Place>& weights, const tensor_view<T, Place>& dx,
                                    const convolution_options& how = {}, const events& depends = {}) {
  return detail::gradient_of_data(queue, detail::described<T, Place>(how.how, how.groups, dx, weights, dy),
                                  depends);
}
/// dw = the gradient by the weights. That by the bias is einsum "ncij->c" of dy.
template <typename T, typename Place>
sycl::event conv2d_gradient_of_weights(sycl::queue& queue, const detail::in<T, Place>& x,
                                       const detail::in<T, Place>& dy, const tensor_view<T, Place>& dw,
                                       const convolution_options& how = {}, const events& depends = {}) {
  return detail::gradient_of_weights(queue, detail::described<T, Place>(how.how, how.groups, x, dw, dy),
                                     depends);
}
/// What `method::automatic` takes for these operands.
template <typename T, typename Place>
method chosen(const detail::in<T, Place>& x, const detail::in<T, Place>& weights,
              const tensor_view<T, Place>& y, const convolution_options& how = {}) {
  return detail::chosen(detail::described<T, Place>(how.how, how.groups, x, weights, y));
}

struct pooling_options {
  pooling kind = pooling::max;
  std::size_t size[2] = {2, 2};
  window how = {{2, 2}, {0, 0}, {1, 1}};
};
/// The largest value or the mean of each window. Points of the padding are never the largest, and are counted
/// by `average_with_padding` only. Each window must contain a point of x.
template <typename T, typename Place>
sycl::event pool2d(sycl::queue& queue, const detail::in<T, Place>& x, const tensor_view<T, Place>& y,
                   const pooling_options& how = {}, const events& depends = {}) {
  detail::pool p{how.kind, {how.size[0], how.size[1]}, how.how, detail::operand_of("x", x), {}, {}};
  p.y = detail::operand_of("y", y);
  return detail::run(queue, p, false, depends);
}
/// dx = the gradient by x. Of equal largest values of a window the first one, row by row, has the gradient.
template <typename T, typename Place>
sycl::event pool2d_gradient(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& dy,
                            const tensor_view<T, Place>& dx, const pooling_options& how = {},
                            const events& depends = {}) {
  detail::pool p{how.kind, {how.size[0], how.size[1]}, how.how, detail::operand_of("x", x), {}, {}};
  p.y = detail::operand_of("dy", dy), p.dx = detail::operand_of("dx", dx);
  return detail::run(queue, p, true, depends);
}

/// y = f(x) for each element, of up to 4 dimensions; x and y may be the same. gelu is x (1 + erf(x / sqrt 2))
/// / 2, gelu_tanh its usual approximation; leaky_relu has the slope 0.01.
template <typename T, typename Place>
sycl::event activate(sycl::queue& queue, activation f, const detail::in<T, Place>& x,
                     const tensor_view<T, Place>& y, const events& depends = {}) {
  detail::normalisation n;
  n.then = f, n.x = detail::operand_of("x", x), n.y = detail::operand_of("y", y);
  return detail::run(queue, n, depends);
}
/// dx = dy f'(x); at 0, relu has the derivative 0. dx and dy may be the same.
template <typename T, typename Place>
sycl::event activate_gradient(sycl::queue& queue, activation f, const detail::in<T, Place>& x,
                              const detail::in<T, Place>& dy, const tensor_view<T, Place>& dx,
                              const events& depends = {}) {
  return detail::gradient_of_activation(queue, f, detail::operand_of("x", x), detail::operand_of("dy", dy),
                                        detail::operand_of("dx", dx), depends);
}

/// y = then((x - mean) gamma / sqrt(variance + epsilon) + beta), by channel (dimension 1); x and y may be the
/// same. With `batch_statistics` of x, this is the training step's batch norm.
template <typename T, typename Place>
sycl::event batch_norm(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& mean,
                       const detail::in<T, Place>& variance, const detail::in<T, Place>& gamma,
                       const detail::in<T, Place>& beta, const tensor_view<T, Place>& y,
                       double epsilon = 1e-5, activation then = activation::none,
                       const events& depends = {}) {
  detail::normalisation n;
  n.then = then, n.epsilon = epsilon, n.has_statistics = n.has_gamma = n.has_beta = true;
  n.x = detail::operand_of("x", x), n.y = detail::operand_of("y", y);
  n.mean = detail::operand_of("mean", mean), n.variance = detail::operand_of("variance", variance);
  n.gamma = detail::operand_of("gamma", gamma), n.beta = detail::operand_of("beta", beta);
  return detail::run(queue, n, depends);
}
/// The mean and the (biased) variance of each channel, in two passes.
template <typename T, typename Place>
sycl::event batch_statistics(sycl::queue& queue, const detail::in<T, Place>& x,
                             const tensor_view<T, Place>& mean, const tensor_view<T, Place>& variance,
                             const events& depends = {}) {
  return detail::statistics(queue, detail::operand_of("x", x), detail::operand_of("mean", mean),
                            detail::operand_of("variance", variance), depends);
}

/// Rows of a matrix: exp(x - max) / sum. x and y may be the same. A row of -infinity gives NaN.
template <typename T, typename Place>
sycl::event softmax(sycl::queue& queue, const detail::in<T, Place>& x, const matrix_view<T, Place>& y,
                    const events& depends = {}) {
  detail::rows r;
  r.x = detail::operand_of("x", x), r.y = detail::operand_of<T, Place>("y", y);
  return detail::run(queue, r, depends);
}
/// x - max - log(sum of exp(x - max)).
template <typename T, typename Place>
sycl::event log_softmax(sycl::queue& queue, const detail::in<T, Place>& x, const matrix_view<T, Place>& y,
                        const events& depends = {}) {
  detail::rows r;
  r.task = detail::row_task::log_softmax;
  r.x = detail::operand_of("x", x), r.y = detail::operand_of<T, Place>("y", y);
  return detail::run(queue, r, depends);
}
/// Rows minus their mean, over sqrt(variance + epsilon), times gamma, plus beta (one for each column).
template <typename T, typename Place>
sycl::event layer_norm(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& gamma,
                       const detail::in<T, Place>& beta, const matrix_view<T, Place>& y,
                       double epsilon = 1e-5, const events& depends = {}) {
  detail::rows r;
  r.task = detail::row_task::layer_norm, r.epsilon = epsilon, r.has_gamma = true;
  r.x = detail::operand_of("x", x), r.y = detail::operand_of<T, Place>("y", y);
  r.gamma = detail::operand_of("gamma", gamma), r.beta = detail::operand_of("beta", beta);
  return detail::run(queue, r, depends);
}

struct attention_options {
  bool causal = false; // query i uses keys up to i + (keys - queries)
  double scale = 0;    // 0: 1 / sqrt(d)
};
/// y = softmax(scale q k^T) v for each batch and head: q of b x h x n x d, k of b x h x m x d, v of b x h x m
/// x e, y of b x h x n x e, e and d at most 256. The n x m matrix is never stored: softmax is computed block
/// by block with a running maximum (Milakov & Gimelshein 2018; Dao et al. 2022, "FlashAttention"). A query
/// without any key gives zeros.
template <typename T, typename Place>
sycl::event attention(sycl::queue& queue, const detail::in<T, Place>& q, const detail::in<T, Place>& k,
                      const detail::in<T, Place>& v, const tensor_view<T, Place>& y,
                      const attention_options& how = {}, const events& depends = {}) {
  detail::attention a;
  a.causal = how.causal, a.scale = how.scale;
  a.q = detail::operand_of("q", q), a.k = detail::operand_of("k", k), a.v = detail::operand_of("v", v);
  a.y = detail::operand_of("y", y);
  return detail::run(queue, a, depends);
}
/// With a mask of b x h x n x m that is added to the scores; -infinity excludes a key. Strides of 0 share it.
template <typename T, typename Place>
sycl::event attention(sycl::queue& queue, const detail::in<T, Place>& q, const detail::in<T, Place>& k,
                      const detail::in<T, Place>& v, const detail::in<T, Place>& mask,
                      const tensor_view<T, Place>& y, const attention_options& how = {},
                      const events& depends = {}) {
  detail::attention a;
  a.causal = how.causal, a.scale = how.scale, a.has_mask = true;
  a.q = detail::operand_of("q", q), a.k = detail::operand_of("k", k), a.v = detail::operand_of("v", v);
  a.mask = detail::operand_of("mask", mask), a.y = detail::operand_of("y", y);
  return detail::run(queue, a, depends);
}

/// y = then(x w^T + bias): x of n x k, w of m x k, bias of m, y of n x m. The product is <prism/blas.hpp>'s,
/// with its providers; bias and activation are one pass over y.
template <typename T, typename Place>
sycl::event linear(sycl::queue& queue, const detail::in<T, Place>& x, const detail::in<T, Place>& w,
                   const detail::in<T, Place>& bias, const matrix_view<T, Place>& y,
                   activation then = activation::none, const events& depends = {}) {
  detail::linear l;
  l.then = then, l.has_bias = true;
  l.x = detail::operand_of("x", x), l.w = detail::operand_of("w", w);
  l.bias = detail::operand_of("bias", bias), l.y = detail::operand_of<T, Place>("y", y);
  return detail::run(queue, l, depends);
}

/// y = scale sum over k of (a - zero_a) (b - zero_b) for 8-bit integers: a of n x k, b of m x k, y of floats,
/// n x m. The sums are exact, in 32 bits: k is at most 32,768.
template <typename Place, typename FloatPlace>
sycl::event quantised_matmul(sycl::queue& queue, const tensor_view<const std::int8_t, Place>& a,
                             std::int32_t zero_a, const tensor_view<const std::int8_t, Place>& b,
                             std::int32_t zero_b, double scale, const tensor_view<float, FloatPlace>& y,
                             const events& depends = {}) {
  detail::quantised q{scale, zero_a, zero_b, detail::operand_of("a", a), detail::operand_of("b", b), {}};
  q.y = detail::operand_of("y", y);
  return detail::run(queue, q, depends);
}

/// The convolution of 8-bit integers: y = scale sum of (w - zero_w) (x - zero_x), with x = zero_x outside, as
/// in conv2d. y is of floats. The sums are exact, in 32 bits: of at most 32,768 products. A window has at
/// most 2^24 / (|x - zero_x| |w - zero_w|) points, 258 with any zero points and 1,024 with zeros of 0. Of
/// `how` the window and the groups are used.
template <typename Place, typename FloatPlace>
sycl::event quantised_conv2d(sycl::queue& queue, const tensor_view<const std::int8_t, Place>& x,
                             std::int32_t zero_x, const tensor_view<const std::int8_t, Place>& weights,
                             std::int32_t zero_w, double scale, const tensor_view<float, FloatPlace>& y,
                             const convolution_options& how = {}, const events& depends = {}) {
  detail::quantised_convolution c;
  c.how = how.how, c.groups = how.groups, c.scale = scale, c.zero_x = zero_x, c.zero_w = zero_w;
  c.x = detail::operand_of("x", x), c.w = detail::operand_of("the weights", weights);
  c.y = detail::operand_of("y", y);
  return detail::run(queue, c, depends);
}

} // namespace prism::nn
