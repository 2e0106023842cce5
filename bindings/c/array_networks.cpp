// The operations of <prism/nn.hpp> for prism_array_call. They make their results; the library checks extents.
#include "bindings/c/array_operands.hpp"

#include <prism/nn.hpp>

#include <algorithm>
#include <iterator>

namespace prism::c_interface {
namespace {

using arguments = const given_arguments&;
using results = std::vector<any_array>;
using pair = std::array<std::int64_t, 2>;

/// One of the words, by its position.
template <typename Enum, std::size_t N>
Enum one_of(arguments a, std::size_t i, const char* const (&words)[N]) {
  if (!a.has(i)) return Enum{};
  const std::string text = a.text(i);
  const auto* found = std::find(std::begin(words), std::end(words), text);
  if (found != std::end(words)) return static_cast<Enum>(found - words);
  std::string all;
  for (const char* each : words) all += (all.empty() ? "" : ", ") + std::string(each);
  throw failure(PRISM_INVALID, "argument " + std::to_string(i) + " is \"" + text + "\"; it may be " + all);
}
nn::activation activation_of(arguments a, std::size_t i) {
  return one_of<nn::activation>(
      a, i,
      {"none", "relu", "leaky_relu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "softplus", "elu"});
}

/// Vertical and horizontal: a list of two, or one integer for both.
pair pair_of(arguments a, std::size_t i, pair usual, std::int64_t least) {
  if (!a.has(i)) return usual;
  const std::vector<std::int64_t> list = a.list(i);
  if (list.size() != 1 && list.size() != 2)
    throw failure(PRISM_INVALID, "argument " + std::to_string(i) + " has " + std::to_string(list.size()) +
                                     " integers; it is one, or one for each of 2 dimensions");
  const pair out{list[0], list.back()};
  for (const std::int64_t each : out)
    if (each < least || each > INT32_MAX)
      throw failure(PRISM_INVALID, "argument " + std::to_string(i) + " has " + std::to_string(each) +
                                       "; it may be from " + std::to_string(least) + " to 2^31 - 1");
  return out;
}
nn::window window_of(arguments a, std::size_t first, pair usual_stride) {
  const pair stride = pair_of(a, first, usual_stride, 1), padding = pair_of(a, first + 1, {0, 0}, 0),
             dilation = pair_of(a, first + 2, {1, 1}, 1);
  nn::window out;
  for (int d = 0; d < 2; ++d) {
    out.stride[d] = std::size_t(stride[std::size_t(d)]);
    out.padding[d] = std::size_t(padding[std::size_t(d)]);
    out.dilation[d] = std::size_t(dilation[std::size_t(d)]);
  }
  return out;
}
std::size_t groups_of(arguments a, std::size_t i) {
  const std::int64_t groups = a.integer(i, 1);
  if (groups < 1)
    throw failure(PRISM_INVALID, "argument " + std::to_string(i) + " is " + std::to_string(groups));
  return std::size_t(groups);
}

void require_real(std::initializer_list<named_array> arrays) {
  require_alike(arrays, {dtype::float32, dtype::float64});
}
void require_four_dimensions(std::initializer_list<named_array> arrays) {
  for (const named_array& each : arrays)
    if (each.array.ndim() != 4)
      throw failure(PRISM_INVALID, std::string(each.name) + " has the shape " + text_of(each.array.shape()) +
                                       "; it has 4 dimensions: batch, channel, height, width");
}
void require_images(std::initializer_list<named_array> arrays) {
  require_real(arrays);
  require_four_dimensions(arrays);
}
any_array array_or_none(arguments a, std::size_t i) { return a.has(i) ? a.array(i) : any_array(); }

/// How many windows of `kernel` points lie in each dimension of x.
pair windows_in(const any_array& x, const nn::window& how, pair kernel) {
  pair out{};
  for (std::size_t d = 0; d < 2; ++d) {
    const std::int64_t reach = x.shape()[int(d) + 2] + 2 * std::int64_t(how.padding[d]) -
                               std::int64_t(how.dilation[d]) * (kernel[d] - 1) - 1;
    if (kernel[d] < 1 || reach < 0)
      throw failure(PRISM_INVALID, "a window of " + std::to_string(kernel[0]) + " x " +
                                       std::to_string(kernel[1]) + " does not fit x, " + text_of(x.shape()));
    out[d] = reach / std::int64_t(how.stride[d]) + 1;
  }
  return out;
}

// ---- convolutions

results call_conv2d(arguments a, int) {
  const any_array x = a.array(0), w = a.array(1), bias = array_or_none(a, 2);
  require_images({{"x", x}, {"the weights", w}});
  if (bias.valid()) require_real({{"x", x}, {"the bias", bias}});
  nn::detail::convolution c;
  c.how = window_of(a, 3, {1, 1}), c.groups = groups_of(a, 6), c.then = activation_of(a, 7);
  c.by = one_of<nn::method>(a, 8, {"automatic", "direct", "gemm", "winograd"});
  const pair points = windows_in(x, c.how, {w.shape()[2], w.shape()[3]});
  const any_array y = empty({x.shape()[0], w.shape()[0], points[0], points[1]}, x.type(), x.device());
  c.x = tensor_of(x), c.w = tensor_of(w), c.y = tensor_of(y);
  if (bias.valid()) c.bias = tensor_of(bias);
  return {written(y, [&](sycl::queue& queue) { nn::detail::convolve(queue, c, {}); })};
}

/// `height and width`: those that the result has in addition to the other operands.
results call_conv2d_gradient(arguments a, bool of_data) {
  const any_array x = a.array(of_data ? 1 : 0), dy = a.array(of_data ? 0 : 1);
  require_images({{"dy", dy}, {of_data ? "the weights" : "x", x}});
  const pair points = pair_of(a, 2, {}, 1);
  if (!a.has(2)) throw failure(PRISM_INVALID, "argument 2, the height and width of the result, is missing");
  nn::detail::convolution c;
  c.how = window_of(a, 3, {1, 1}), c.groups = groups_of(a, 6);
  const auto groups = std::int64_t(c.groups);
  const any_array out =
      of_data ? empty({dy.shape()[0], x.shape()[1] * groups, points[0], points[1]}, dy.type(), dy.device())
              : empty({dy.shape()[1], x.shape()[1] / groups, points[0], points[1]}, dy.type(), dy.device());
  c.y = tensor_of(dy), c.x = tensor_of(of_data ? out : x), c.w = tensor_of(of_data ? x : out);
  return {written(out, [&](sycl::queue& queue) {
    (of_data ? nn::detail::gradient_of_data : nn::detail::gradient_of_weights)(queue, c, {});
  })};
}

// ---- pooling

results call_pool2d(arguments a, int) {
  const any_array x = a.array(0);
  require_images({{"x", x}});
  nn::detail::pool p;
  p.kind = one_of<nn::pooling>(a, 1, {"max", "average", "average_with_padding"});
  const pair size = pair_of(a, 2, {2, 2}, 1);
  p.size[0] = std::size_t(size[0]), p.size[1] = std::size_t(size[1]), p.how = window_of(a, 3, size);
  const pair points = windows_in(x, p.how, size);
  const any_array y = empty({x.shape()[0], x.shape()[1], points[0], points[1]}, x.type(), x.device());
  p.x = tensor_of(x), p.y = tensor_of(y);
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, p, false, {}); })};
}
results call_pool2d_gradient(arguments a, int) {
  const any_array x = a.array(0), dy = a.array(1);
  require_images({{"x", x}, {"dy", dy}});
  nn::detail::pool p;
  p.kind = one_of<nn::pooling>(a, 2, {"max", "average", "average_with_padding"});
  const pair size = pair_of(a, 3, {2, 2}, 1);
  p.size[0] = std::size_t(size[0]), p.size[1] = std::size_t(size[1]), p.how = window_of(a, 4, size);
  const any_array dx = empty(x.shape(), x.type(), x.device());
  p.x = tensor_of(x), p.y = tensor_of(dy), p.dx = tensor_of(dx);
  return {written(dx, [&](sycl::queue& queue) { nn::detail::run(queue, p, true, {}); })};
}

// ---- activations and normalisations

results call_activate(arguments a, int) {
  const any_array x = a.array(0), flat = x.reshape({-1});
  require_real({{"x", x}});
  const any_array y = empty(flat.shape(), x.type(), x.device());
  nn::detail::normalisation n;
  n.then = activation_of(a, 1), n.x = tensor_of(flat), n.y = tensor_of(y);
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, n, {}); }).reshape(x.shape())};
}
results call_activate_gradient(arguments a, int) {
  const any_array x = a.array(0), dy = a.array(1);
  require_real({{"x", x}, {"dy", dy}});
  if (x.shape() != dy.shape())
    throw failure(PRISM_INVALID, "dy has the shape " + text_of(dy.shape()) + ", x " + text_of(x.shape()));
  const any_array flat = x.reshape({-1}), gradient = dy.reshape({-1});
  const any_array dx = empty(flat.shape(), x.type(), x.device());
  const nn::activation f = activation_of(a, 2);
  const auto in = tensor_of(flat), by_result = tensor_of(gradient), out = tensor_of(dx);
  return {written(dx, [&](sycl::queue& queue) {
    nn::detail::gradient_of_activation(queue, f, in, by_result, out, {});
  }).reshape(x.shape())};
}

results call_batch_norm(arguments a, int) {
  const any_array x = a.array(0), mean = a.array(1), variance = a.array(2), gamma = a.array(3),
                  beta = a.array(4);
  require_real({{"x", x}, {"mean", mean}, {"variance", variance}, {"gamma", gamma}, {"beta", beta}});
  const any_array y = empty(x.shape(), x.type(), x.device());
  nn::detail::normalisation n;
  n.epsilon = a.real(5, 1e-5), n.then = activation_of(a, 6);
  n.has_statistics = n.has_gamma = n.has_beta = true;
  n.x = tensor_of(x), n.y = tensor_of(y), n.mean = tensor_of(mean), n.variance = tensor_of(variance);
  n.gamma = tensor_of(gamma), n.beta = tensor_of(beta);
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, n, {}); })};
}
results call_batch_statistics(arguments a, int) {
  const any_array x = a.array(0);
  require_real({{"x", x}});
  if (x.ndim() < 2)
    throw failure(PRISM_INVALID, "x has the shape " + text_of(x.shape()) + ", without channels");
  const any_array mean = empty({x.shape()[1]}, x.type(), x.device()),
                  variance = empty({x.shape()[1]}, x.type(), x.device());
  const auto in = tensor_of(x), first = tensor_of(mean), second = tensor_of(variance);
  written(mean, [&](sycl::queue& queue) { nn::detail::statistics(queue, in, first, second, {}); });
  return {mean, variance};
}

/// The rows along an axis as a matrix, computed by compute(rows), in the place of x.
template <typename Compute>
results of_rows(const any_array& x, std::int64_t axis, const Compute& compute) {
  if (x.ndim() == 0) throw failure(PRISM_INVALID, "x has no dimensions");
  const any_array last = x.moveaxis(axis, -1);
  const std::int64_t columns = last.shape()[last.ndim() - 1];
  const any_array rows = last.reshape({columns == 0 ? 0 : last.size() / columns, columns});
  return {compute(rows).reshape(last.shape()).moveaxis(-1, axis)};
}
results call_softmax(arguments a, int task) {
  const any_array x = a.array(0);
  require_real({{"x", x}});
  return of_rows(x, a.integer(1, -1), [&](const any_array& in) {
    const any_array y = empty(in.shape(), x.type(), x.device());
    nn::detail::rows r;
    r.task = static_cast<nn::detail::row_task>(task), r.x = tensor_of(in), r.y = tensor_of(y);
    return written(y, [&](sycl::queue& queue) { nn::detail::run(queue, r, {}); });
  });
}
results call_layer_norm(arguments a, int) {
  const any_array x = a.array(0), gamma = a.array(1), beta = a.array(2);
  require_real({{"x", x}, {"gamma", gamma}, {"beta", beta}});
  return of_rows(x, -1, [&](const any_array& in) {
    const any_array y = empty(in.shape(), x.type(), x.device());
    nn::detail::rows r;
    r.task = nn::detail::row_task::layer_norm, r.epsilon = a.real(3, 1e-5), r.has_gamma = true;
    r.x = tensor_of(in), r.y = tensor_of(y), r.gamma = tensor_of(gamma), r.beta = tensor_of(beta);
    return written(y, [&](sycl::queue& queue) { nn::detail::run(queue, r, {}); });
  });
}

// ---- attention and products

results call_attention(arguments a, int) {
  const any_array q = a.array(0), k = a.array(1), v = a.array(2);
  require_images({{"q", q}, {"k", k}, {"v", v}});
  const any_array y = empty({q.shape()[0], q.shape()[1], q.shape()[2], v.shape()[3]}, q.type(), q.device());
  any_array mask = array_or_none(a, 3);
  nn::detail::attention t;
  if (mask.valid()) {
    require_real({{"q", q}, {"the mask", mask}});
    mask = mask.broadcast_to({q.shape()[0], q.shape()[1], q.shape()[2], k.shape()[2]});
    t.has_mask = true, t.mask = tensor_of(mask);
  }
  t.causal = a.flag(4, false), t.scale = a.real(5, 0.0);
  t.q = tensor_of(q), t.k = tensor_of(k), t.v = tensor_of(v), t.y = tensor_of(y);
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, t, {}); })};
}
results call_linear(arguments a, int) {
  const any_array x = a.array(0), w = a.array(1), bias = array_or_none(a, 2);
  require_real({{"x", x}, {"the weights", w}});
  if (bias.valid()) require_real({{"x", x}, {"the bias", bias}});
  if (x.ndim() == 0 || w.ndim() != 2)
    throw failure(PRISM_INVALID, "x has the shape " + text_of(x.shape()) + " and the weights " +
                                     text_of(w.shape()) + ", not (..., k) and (m, k)");
  const std::int64_t k = x.shape()[x.ndim() - 1];
  const any_array rows = x.reshape({k == 0 ? 0 : x.size() / k, k});
  const any_array y = empty({rows.shape()[0], w.shape()[0]}, x.type(), x.device());
  nn::detail::linear l;
  l.has_bias = bias.valid(), l.then = activation_of(a, 3);
  l.x = tensor_of(rows), l.w = tensor_of(w), l.y = tensor_of(y);
  if (bias.valid()) l.bias = tensor_of(bias);
  extents shape = x.shape();
  shape[shape.size() - 1] = w.shape()[0];
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, l, {}); }).reshape(shape)};
}
std::int32_t zero_point(arguments a, std::size_t i) {
  return std::int32_t(std::clamp<std::int64_t>(a.integer(i, 0), -32768, 32767)); // the library refuses it
}
results call_quantised_matmul(arguments a, int) {
  const any_array x = a.array(0), w = a.array(2);
  require_alike({{"a", x}, {"b", w}}, {dtype::int8});
  if (x.ndim() != 2 || w.ndim() != 2)
    throw failure(PRISM_INVALID, "a has the shape " + text_of(x.shape()) + " and b " + text_of(w.shape()) +
                                     ", not (n, k) and (m, k)");
  const any_array y = empty({x.shape()[0], w.shape()[0]}, dtype::float32, x.device());
  nn::detail::quantised q{a.real(4, 1.0), zero_point(a, 1), zero_point(a, 3),
                          tensor_of(x),   tensor_of(w),     tensor_of(y)};
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, q, {}); })};
}
results call_quantised_conv2d(arguments a, int) {
  const any_array x = a.array(0), w = a.array(2);
  require_alike({{"x", x}, {"the weights", w}}, {dtype::int8});
  require_four_dimensions({{"x", x}, {"the weights", w}});
  nn::detail::quantised_convolution c;
  c.zero_x = zero_point(a, 1), c.zero_w = zero_point(a, 3), c.scale = a.real(4, 1.0);
  c.how = window_of(a, 5, {1, 1}), c.groups = groups_of(a, 8);
  const pair points = windows_in(x, c.how, {w.shape()[2], w.shape()[3]});
  const any_array y = empty({x.shape()[0], w.shape()[0], points[0], points[1]}, dtype::float32, x.device());
  c.x = tensor_of(x), c.w = tensor_of(w), c.y = tensor_of(y);
  return {written(y, [&](sycl::queue& queue) { nn::detail::run(queue, c, {}); })};
}

} // namespace

std::vector<array_function> network_functions() {
  using nn::detail::row_task;
  return {
      {"conv2d", "x weights bias= stride=1 padding=0 dilation=1 groups=1 activation=none method=automatic",
       call_conv2d},
      {"conv2d_gradient_of_data", "dy weights points stride=1 padding=0 dilation=1 groups=1",
       [](arguments a, int) { return call_conv2d_gradient(a, true); }},
      {"conv2d_gradient_of_weights", "x dy points stride=1 padding=0 dilation=1 groups=1",
       [](arguments a, int) { return call_conv2d_gradient(a, false); }},
      {"pool2d", "x kind=max size=2 stride=size padding=0 dilation=1", call_pool2d},
      {"pool2d_gradient", "x dy kind=max size=2 stride=size padding=0 dilation=1", call_pool2d_gradient},
      {"activate", "x activation", call_activate},
      {"activate_gradient", "x dy activation", call_activate_gradient},
      {"batch_norm", "x mean variance gamma beta epsilon=1e-5 activation=none", call_batch_norm},
      {"batch_statistics", "x", call_batch_statistics},
      {"softmax", "x axis=-1", call_softmax, int(row_task::softmax)},
      {"log_softmax", "x axis=-1", call_softmax, int(row_task::log_softmax)},
      {"layer_norm", "x gamma beta epsilon=1e-5", call_layer_norm},
      {"attention", "q k v mask= causal=false scale=0", call_attention},
      {"linear", "x weights bias= activation=none", call_linear},
      {"quantised_matmul", "a zero_a b zero_b scale=1", call_quantised_matmul},
      {"quantised_conv2d", "x zero_x weights zero_w scale=1 stride=1 padding=0 dilation=1 groups=1",
       call_quantised_conv2d},
  };
}

void require_alike(std::initializer_list<named_array> arrays, std::initializer_list<dtype> types) {
  const named_array& first = *arrays.begin();
  if (std::find(types.begin(), types.end(), first.array.type()) == types.end()) {
    std::string all;
    for (const dtype each : types) all += (all.empty() ? "" : ", ") + std::string(name_of(each));
    throw failure(PRISM_INVALID, std::string(first.name) + " is of " + name_of(first.array.type()) +
                                     "; the operation has " + all);
  }
  for (const named_array& each : arrays) {
    if (each.array.type() != first.array.type())
      throw failure(PRISM_INVALID, std::string(each.name) + " is of " + name_of(each.array.type()) + ", " +
                                       first.name + " of " + name_of(first.array.type()));
    if (each.array.device() != first.array.device())
      throw failure(PRISM_INVALID, std::string(each.name) + " and " + first.name +
                                       " are on different devices; use to_device");
  }
}

} // namespace prism::c_interface
