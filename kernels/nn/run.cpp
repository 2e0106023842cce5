// The calls of <prism/nn.hpp>: checks operands and submits the kernels.
#include "kernels/blas/choice.hpp"
#include "kernels/blas/own.hpp"
#include "kernels/einsum/steps.hpp"
#include "kernels/nn/convolution.hpp"
#include "kernels/nn/narrow.hpp"
#include "kernels/nn/quantised.hpp"
#include "kernels/nn/steps.hpp"

#include <prism/blas.hpp>

#include <algorithm>
#include <cmath>

namespace prism::nn {
namespace {

[[noreturn]] void refuse(const std::string& what) { prism::detail::refuse_view("nn: " + what); }

std::string shape_of(const tensor_operand& t) {
  std::string out;
  for (size_t d = 0; d < t.rank; ++d) out += (d ? " x " : "") + std::to_string(t.extent[d]);
  return t.rank == 0 ? "one element" : out;
}
void require_shape(const char* name, const tensor_operand& t, const std::vector<size_t>& wanted) {
  tensor_operand other;
  other.rank = wanted.size();
  std::copy(wanted.begin(), wanted.end(), other.extent.begin());
  if (t.rank != other.rank || !std::equal(wanted.begin(), wanted.end(), t.extent.begin()))
    refuse(std::string(name) + " is " + shape_of(t) + " instead of " + shape_of(other));
}
void require_rank(const char* name, const tensor_operand& t, size_t rank) {
  if (t.rank != rank)
    refuse(std::string(name) + " has " + std::to_string(t.rank) + " dimensions instead of " +
           std::to_string(rank));
}
/// `t` is written: its elements are apart, and it begins where no other operand does.
void require_target(const char* name, const tensor_operand& t,
                    std::initializer_list<const tensor_operand*> others) {
  if (t.empty()) return;
  std::vector<std::pair<size_t, size_t>> steps;
  for (size_t d = 0; d < t.rank; ++d)
    if (t.extent[d] > 1) steps.emplace_back(size_t(std::abs(t.stride[d])), t.extent[d]);
  std::sort(steps.begin(), steps.end());
  size_t reach = 0;
  for (const auto& [stride, extent] : steps) {
    if (stride <= reach) refuse(std::string("elements of ") + name + " overlap");
    reach += stride * (extent - 1);
  }
  for (const tensor_operand* other : others)
    if (!other->empty() && blas::coincide(other->where, t.where))
      refuse(std::string(name) + " begins where another operand does");
}
bool is_there(const tensor_operand& t) { return t.where.pointer != nullptr || t.where.buffer.has_value(); }

template <typename Work>
sycl::event typed(sycl::queue& queue, const tensor_operand& y, Work&& work) {
  prism_provider_operation type{};
  type.operand[0].type = y.type;
  blas::require_type(queue.get_device(), type, "nn");
  switch (y.type) {
    case PRISM_F32: return work(float());
    case PRISM_F64: return work(double());
    default: refuse("elements are float, double, half or bfloat16");
  }
}

// ---- convolutions

size_t results(size_t points, size_t kernel, const window& how, int d) {
  const size_t padded = points + 2 * how.padding[d], reach = (kernel - 1) * how.dilation[d] + 1;
  return padded < reach ? 0 : (padded - reach) / how.stride[d] + 1;
}
void require_window(const window& how, const size_t (&kernel)[2]) {
  constexpr size_t most = 1 << 24;
  for (int d = 0; d < 2; ++d)
    if (how.stride[d] == 0 || how.dilation[d] == 0 || kernel[d] == 0 || how.stride[d] > most ||
        how.dilation[d] > most || how.padding[d] > most || kernel[d] > most)
      refuse("a window of " + std::to_string(kernel[0]) + " x " + std::to_string(kernel[1]) + ", stride " +
             std::to_string(how.stride[d]) + ", dilation " + std::to_string(how.dilation[d]) + ", padding " +
             std::to_string(how.padding[d]));
}
void check(const detail::convolution& c) {
  require_rank("x", c.x, 4), require_rank("the weights", c.w, 4);
  require_window(c.how, {c.w.extent[2], c.w.extent[3]});
  if (c.groups == 0 || c.x.extent[1] % c.groups != 0 || c.w.extent[0] % c.groups != 0)
    refuse(std::to_string(c.groups) + " groups of " + std::to_string(c.x.extent[1]) + " and " +
           std::to_string(c.w.extent[0]) + " channels");
  require_shape("the weights", c.w, {c.w.extent[0], c.x.extent[1] / c.groups, c.w.extent[2], c.w.extent[3]});
  require_shape("y", c.y,
                {c.x.extent[0], c.w.extent[0], results(c.x.extent[2], c.w.extent[2], c.how, 0),
                 results(c.x.extent[3], c.w.extent[3], c.how, 1)});
  if (is_there(c.bias)) require_shape("the bias", c.bias, {c.w.extent[0]});
}
void require_winograd(const detail::convolution& c) {
  for (int d = 0; d < 2; ++d)
    if (c.w.extent[2 + d] != 3 || c.how.stride[d] != 1 || c.how.dilation[d] != 1)
      refuse("Winograd's algorithm is for 3 x 3 weights with stride 1 and dilation 1, not for " +
             std::to_string(c.w.extent[2]) + " x " + std::to_string(c.w.extent[3]) + ", stride " +
             std::to_string(c.how.stride[d]) + ", dilation " + std::to_string(c.how.dilation[d]));
}
template <typename R>
convolution_of<R> typed_convolution(const detail::convolution& c) {
  return {c.how, c.groups, tensor4<R>(c.x), tensor4<R>(c.w), tensor4<R>(c.y)};
}
template <typename R>
sycl::event zero(sycl::queue& queue, const tensor4<R>& t, const events& depends) {
  std::vector<einsum::dimension> kept;
  for (int d = 0; d < 4; ++d) kept.push_back({t.extent[d], 0, 0, t.stride[d]});
  return einsum::sum_of_products<R>(queue, kept, {{0, 0, 0, 0}}, t.where, false, t.where, t.where, depends);
}

/// By a provider's products where the caller asked for them, or where the windows are the image itself.
template <typename R>
sycl::event convolve_in_matrices(sycl::queue& queue, const convolution_of<R>& c, bool asked,
                                 const events& depends) {
  const bool plain = c.w.extent[2] == 1 && c.w.extent[3] == 1 && c.how.stride[0] == 1 &&
                     c.how.stride[1] == 1 && c.how.padding[0] == 0 && c.how.padding[1] == 0;
  if (!asked && !plain) {
    if (const auto done = convolve_planes(queue, c, depends)) return *done;
    if (const auto done = convolve_strips(queue, c, depends)) return *done;
    if (const auto done = convolve_by_tiles(queue, c, depends)) return *done;
  }
  return convolve_by_products(queue, c, depends);
}
template <typename R>
sycl::event convolve_point_by_point(sycl::queue& queue, const convolution_of<R>& c, const events& depends) {
  if (const auto done = convolve_planes(queue, c, depends)) return *done;
  if (const auto done = convolve_strips(queue, c, depends)) return *done;
  if (const auto done = convolve_rows(queue, c, depends)) return *done;
  return convolve_directly(queue, c.how, c.groups, c.x, c.w, c.y, depends);
}

sycl::event convolve_here(sycl::queue& queue, const detail::convolution& what, method by,
                          const events& depends) {
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const convolution_of<R> c = typed_convolution<R>(what);
    return by == method::winograd ? convolve_by_winograd(queue, c, depends)
           : by == method::gemm   ? convolve_in_matrices(queue, c, what.by == method::gemm, depends)
                                  : convolve_point_by_point(queue, c, depends);
  });
}
/// Nothing where the library's own kernels do it.
std::optional<sycl::event> convolve_by_provider(sycl::queue& queue, const detail::convolution& what,
                                                const events& depends) {
  blas::detail::request r(PRISM_CONV2D);
  for (const tensor_operand* each : {&what.x, &what.w, &what.y}) {
    r.operands[r.what.operand_count] = each->where;
    prism_provider_operand& o = r.what.operand[r.what.operand_count++];
    o.type = each->type, o.rank = 4;
    for (int d = 0; d < 4; ++d)
      o.extent[d] = std::int64_t(each->extent[size_t(d)]), o.stride[d] = each->stride[size_t(d)];
  }
  for (int d = 0; d < 2; ++d) {
    r.what.window_stride[d] = std::int64_t(what.how.stride[d]);
    r.what.window_padding[d] = std::int64_t(what.how.padding[d]);
    r.what.window_dilation[d] = std::int64_t(what.how.dilation[d]);
  }
  r.what.groups = std::int64_t(what.groups);
  return blas::run_by_provider(
      queue, r, depends, [what](sycl::queue& on, const blas::detail::request& at, const events& before) {
    detail::convolution again = what;
    again.x.where = at.operands[0], again.w.where = at.operands[1], again.y.where = at.operands[2];
    return convolve_here(on, again, detail::chosen(again), before);
  });
}

} // namespace

method detail::chosen(const convolution& what) {
  check(what);
  return nn::chosen(what.w.extent[0] / what.groups, what.w.extent[1] * what.w.extent[2] * what.w.extent[3]);
}

sycl::event detail::convolve(sycl::queue& queue, const convolution& what, const events& depends) {
  check(what);
  require_target("y", what.y, {&what.x, &what.w, &what.bias});
  const method by = what.by == method::automatic ? chosen(what) : what.by;
  if (by == method::winograd) require_winograd(what);
  if (is_narrow(what.y.type))
    return in_floats(
        queue, what, {&convolution::x, &convolution::w, &convolution::bias}, {&convolution::y}, depends,
        [&](const convolution& floats, const events& before) { return convolve(queue, floats, before); });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const convolution_of<R> c = typed_convolution<R>(what);
    if (c.y.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    std::optional<sycl::event> by_provider;
    if (c.w.size() != 0 && what.by == method::automatic)
      by_provider = convolve_by_provider(queue, what, depends);
    const sycl::event done = by_provider       ? *by_provider
                             : c.w.size() == 0 ? zero(queue, c.y, depends)
                                               : convolve_here(queue, what, by, depends);
    if (!is_there(what.bias) && what.then == activation::none) return done;
    channel_values<R> shift;
    if (is_there(what.bias)) shift.beta = tensor4<R>(what.bias);
    return normalise<R>(queue, what.then, c.y, shift, c.y, {done});
  });
}

sycl::event detail::gradient_of_data(sycl::queue& queue, const convolution& what, const events& depends) {
  check(what);
  require_target("dx", what.x, {&what.y, &what.w});
  if (is_narrow(what.x.type))
    return in_floats(queue, what, {&convolution::y, &convolution::w}, {&convolution::x}, depends,
                     [&](const convolution& floats, const events& before) {
      return gradient_of_data(queue, floats, before);
    });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const convolution_of<R> c = typed_convolution<R>(what);
    if (c.x.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    if (c.y.size() == 0 || c.w.size() == 0) return zero(queue, c.x, depends);
    return nn::gradient_of_data(queue, c, depends);
  });
}
sycl::event detail::gradient_of_weights(sycl::queue& queue, const convolution& what, const events& depends) {
  check(what);
  require_target("dw", what.w, {&what.y, &what.x});
  if (is_narrow(what.w.type))
    return in_floats(queue, what, {&convolution::y, &convolution::x}, {&convolution::w}, depends,
                     [&](const convolution& floats, const events& before) {
      return gradient_of_weights(queue, floats, before);
    });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const convolution_of<R> c = typed_convolution<R>(what);
    if (c.w.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    if (c.y.size() == 0 || c.x.size() == 0) return zero(queue, c.w, depends);
    return nn::gradient_of_weights(queue, c, depends);
  });
}

sycl::event detail::run(sycl::queue& queue, const pool& what, bool gradient, const events& depends) {
  require_rank("x", what.x, 4);
  require_window(what.how, what.size);
  for (int d = 0; d < 2; ++d)
    if (what.how.padding[d] >= what.size[d])
      refuse("a padding of " + std::to_string(what.how.padding[d]) + " for windows of " +
             std::to_string(what.size[d]) + " points: windows without a point of x");
  const image_windows of{what.how,
                         {what.size[0], what.size[1]},
                         {results(what.x.extent[2], what.size[0], what.how, 0),
                          results(what.x.extent[3], what.size[1], what.how, 1)}};
  require_shape(gradient ? "dy" : "y", what.y, {what.x.extent[0], what.x.extent[1], of.out[0], of.out[1]});
  if (gradient) {
    require_shape("dx", what.dx, {what.x.extent[0], what.x.extent[1], what.x.extent[2], what.x.extent[3]});
    require_target("dx", what.dx, {&what.x, &what.y});
  } else require_target("y", what.y, {&what.x});
  const auto by_floats = [&](const pool& floats, const events& before) {
    return run(queue, floats, gradient, before);
  };
  if (is_narrow(what.y.type))
    return gradient ? in_floats(queue, what, {&pool::x, &pool::y}, {&pool::dx}, depends, by_floats)
                    : in_floats(queue, what, {&pool::x}, {&pool::y}, depends, by_floats);
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> x(what.x), y(what.y), dx(what.dx);
    if ((gradient ? x : y).size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    return gradient ? pool_gradient<R>(queue, what.kind, of, x, y, dx, depends)
                    : pool_windows<R>(queue, what.kind, of, x, y, depends);
  });
}

// ---- element by element, by channel, by row

namespace {

void require_same(const char* name, const tensor_operand& y, const tensor_operand& x) {
  if (x.rank > 4) refuse("tensors of at most 4 dimensions, not " + std::to_string(x.rank));
  require_shape(name, y, {x.extent.begin(), x.extent.begin() + ptrdiff_t(x.rank)});
}
/// The channels are dimension 1 of the tensor; those after it become two.
tensor_operand by_channel(const tensor_operand& t) {
  tensor_operand out = t;
  out.rank = 4;
  for (size_t d = t.rank; d < 4; ++d) out.extent[d] = 1, out.stride[d] = 0;
  return out;
}

} // namespace

sycl::event detail::run(sycl::queue& queue, const normalisation& what, const events& depends) {
  require_same("y", what.y, what.x);
  require_target("y", what.y, {});
  const bool channels = what.has_statistics || what.has_gamma || what.has_beta;
  if (channels && what.x.rank < 2) refuse("x has no channels: " + shape_of(what.x));
  if (channels)
    for (const auto* each : {&what.mean, &what.variance, &what.gamma, &what.beta})
      require_shape("a value for each channel", *each, {what.x.extent[1]});
  if (is_narrow(what.y.type))
    return in_floats(queue, what,
                     {&normalisation::x, &normalisation::mean, &normalisation::variance,
                      &normalisation::gamma, &normalisation::beta},
                     {&normalisation::y}, depends, [&](const normalisation& floats, const events& before) {
      return run(queue, floats, before);
    });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> x(channels ? by_channel(what.x) : what.x), y(channels ? by_channel(what.y) : what.y);
    if (y.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    channel_values<R> by;
    by.epsilon = R(what.epsilon);
    if (what.has_statistics) by.mean = tensor4<R>(what.mean), by.variance = tensor4<R>(what.variance);
    if (what.has_gamma) by.gamma = tensor4<R>(what.gamma);
    if (what.has_beta) by.beta = tensor4<R>(what.beta);
    return normalise<R>(queue, what.then, x, by, y, depends);
  });
}

sycl::event detail::gradient_of_activation(sycl::queue& queue, activation of, const tensor_operand& x,
                                           const tensor_operand& dy, const tensor_operand& dx,
                                           const events& depends) {
  require_same("dy", dy, x), require_same("dx", dx, x);
  require_target("dx", dx, {});
  struct gradient {
    tensor_operand x, dy, dx;
  };
  if (is_narrow(dx.type))
    return in_floats(queue, gradient{x, dy, dx}, {&gradient::x, &gradient::dy}, {&gradient::dx}, depends,
                     [&](const gradient& floats, const events& before) {
      return gradient_of_activation(queue, of, floats.x, floats.dy, floats.dx, before);
    });
  return typed(queue, dx, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> to(dx);
    if (to.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    return activation_gradient<R>(queue, of, tensor4<R>(x), tensor4<R>(dy), to, depends);
  });
}

/// The sums of einsum's kernel; the mean is subtracted before squares are added.
sycl::event detail::statistics(sycl::queue& queue, const tensor_operand& x, const tensor_operand& mean,
                               const tensor_operand& variance, const events& depends) {
  if (x.rank < 2 || x.rank > 4) refuse("x has no channels: " + shape_of(x));
  require_shape("the mean", mean, {x.extent[1]}), require_shape("the variance", variance, {x.extent[1]});
  require_target("the mean", mean, {&x}), require_target("the variance", variance, {&x, &mean});
  if (x.empty()) refuse("statistics of " + shape_of(x) + " elements");
  struct call {
    tensor_operand x, mean, variance;
  };
  if (is_narrow(x.type))
    return in_floats(queue, call{x, mean, variance}, {&call::x}, {&call::mean, &call::variance}, depends,
                     [&](const call& floats, const events& before) {
      return statistics(queue, floats.x, floats.mean, floats.variance, before);
    });
  return typed(queue, x, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> all(by_channel(x)), of_mean(mean), of_variance(variance);
    const size_t c = all.extent[1], of_a_channel = all.size() / c;
    const R share = R(1) / R(of_a_channel);
    const auto sum = [&](const tensor4<R>& t, bool squares, const tensor4<R>& to, const events& before) {
      std::vector<einsum::dimension> kept{{c, t.stride[1], squares ? t.stride[1] : 0, to.stride[3]}}, summed;
      for (const int d : {0, 2, 3})
        summed.push_back({t.extent[d], t.stride[d], squares ? t.stride[d] : 0, 0});
      const sycl::event done =
          einsum::sum_of_products<R>(queue, kept, summed, t.where, squares, t.where, to.where, before);
      return scale<R>(queue, share, to, to, {done});
    };
    const sycl::event first = sum(all, false, of_mean, depends);
    const tensor4<R> away(all.extent[0], c, all.extent[2], all.extent[3]);
    channel_values<R> by;
    by.mean = of_mean;
    const sycl::event second = normalise<R>(queue, activation::none, all, by, away, {first});
    return sum(away, true, of_variance, {second});
  });
}

sycl::event detail::run(sycl::queue& queue, const rows& what, const events& depends) {
  require_rank("x", what.x, 2);
  require_shape("y", what.y, {what.x.extent[0], what.x.extent[1]});
  if (what.has_gamma)
    require_shape("gamma", what.gamma, {what.x.extent[1]}),
        require_shape("beta", what.beta, {what.x.extent[1]});
  require_target("y", what.y, {&what.gamma, &what.beta});
  if (is_narrow(what.y.type))
    return in_floats(queue, what, {&rows::x, &rows::gamma, &rows::beta}, {&rows::y}, depends,
                     [&](const rows& floats, const events& before) { return run(queue, floats, before); });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> x(what.x), y(what.y);
    if (y.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    return row_operation<R>(queue, what.task, R(what.epsilon), x, what.has_gamma ? tensor4<R>(what.gamma) : x,
                            what.has_gamma ? tensor4<R>(what.beta) : x, y, depends);
  });
}

// ---- attention and products

sycl::event detail::run(sycl::queue& queue, const attention& what, const events& depends) {
  for (const auto& [name, t] : {std::pair("q", &what.q), {"k", &what.k}, {"v", &what.v}, {"y", &what.y}})
    require_rank(name, *t, 4);
  const size_t b = what.q.extent[0], h = what.q.extent[1], n = what.q.extent[2], d = what.q.extent[3],
               m = what.k.extent[2], e = what.v.extent[3];
  require_shape("k", what.k, {b, h, m, d}), require_shape("v", what.v, {b, h, m, e});
  require_shape("y", what.y, {b, h, n, e});
  if (what.has_mask) require_shape("the mask", what.mask, {b, h, n, m});
  constexpr size_t most = 256;
  if (d > most || e > most)
    refuse("attention with " + std::to_string(std::max(d, e)) + " numbers for each key; at most 256");
  require_target("y", what.y, {&what.q, &what.k, &what.v, &what.mask});
  if (is_narrow(what.y.type))
    return in_floats(
        queue, what, {&attention::q, &attention::k, &attention::v, &attention::mask}, {&attention::y},
        depends, [&](const attention& floats, const events& before) { return run(queue, floats, before); });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    const tensor4<R> y(what.y);
    if (y.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
    if (m == 0) return zero(queue, y, depends);
    std::optional<tensor4<R>> mask;
    if (what.has_mask) mask = tensor4<R>(what.mask);
    const double scale = what.scale != 0 ? what.scale : 1 / std::sqrt(double(std::max<size_t>(1, d)));
    return attend<R>(queue, R(scale), what.causal, tensor4<R>(what.q), tensor4<R>(what.k), tensor4<R>(what.v),
                     mask, y, depends);
  });
}

sycl::event detail::run(sycl::queue& queue, const linear& what, const events& depends) {
  require_rank("x", what.x, 2), require_rank("w", what.w, 2);
  require_shape("w", what.w, {what.w.extent[0], what.x.extent[1]});
  require_shape("y", what.y, {what.x.extent[0], what.w.extent[0]});
  if (what.has_bias) require_shape("the bias", what.bias, {what.w.extent[0]});
  require_target("y", what.y, {&what.x, &what.w, &what.bias});
  if (is_narrow(what.y.type))
    return in_floats(queue, what, {&linear::x, &linear::w, &linear::bias}, {&linear::y}, depends,
                     [&](const linear& floats, const events& before) { return run(queue, floats, before); });
  return typed(queue, what.y, [&](auto number) {
    using R = decltype(number);
    blas::detail::request r(PRISM_GEMM);
    r.set(r.alpha, R(1)), r.set(r.beta, R(0));
    const auto add = [&](const tensor_operand& t, bool transposed) {
      const int i = r.what.operand_count++;
      prism_provider_operand& o = r.what.operand[i];
      o.type = t.type, o.rank = 2;
      for (int d = 0; d < 2; ++d) {
        const size_t from = size_t(transposed ? 1 - d : d);
        o.extent[d] = std::int64_t(t.extent[from]), o.stride[d] = t.stride[from];
      }
      r.operands[i] = t.where;
    };
    add(what.x, false), add(what.w, true), add(what.y, false);
    const sycl::event done = blas::detail::run(queue, r, depends);
    if (what.y.empty() || (!what.has_bias && what.then == activation::none)) return done;
    tensor_operand by_column = what.y; // columns as channels
    by_column.rank = 4;
    by_column.extent = {1, what.y.extent[1], 1, what.y.extent[0]};
    by_column.stride = {0, what.y.stride[1], 0, what.y.stride[0]};
    channel_values<R> shift;
    if (what.has_bias) shift.beta = tensor4<R>(what.bias);
    const tensor4<R> y(by_column);
    return normalise<R>(queue, what.then, y, shift, y, {done});
  });
}

namespace {

/// The sums of `terms` products fit 32 bits.
void require_quantised(std::int32_t zero_a, std::int32_t zero_b, size_t terms) {
  constexpr size_t most = 32'768;
  for (const std::int32_t zero : {zero_a, zero_b})
    if (zero < -128 || zero > 127) refuse("a zero point of " + std::to_string(zero) + " is not an int8");
  if (terms > most)
    refuse("sums of " + std::to_string(terms) + " products of 8-bit integers; at most 32,768");
}

} // namespace

sycl::event detail::run(sycl::queue& queue, const quantised_convolution& what, const events& depends) {
  convolution shapes;
  shapes.how = what.how, shapes.groups = what.groups, shapes.x = what.x, shapes.w = what.w, shapes.y = what.y;
  check(shapes);
  const size_t points = what.w.extent[2] * what.w.extent[3];
  require_quantised(what.zero_x, what.zero_w, what.w.extent[1] * points);
  if (const size_t most = exact_products(what.zero_x, what.zero_w); points > most)
    refuse("a window of " + std::to_string(points) + " points of 8-bit integers with the zero points " +
           std::to_string(what.zero_x) + " and " + std::to_string(what.zero_w) + "; at most " +
           std::to_string(most));
  require_target("y", what.y, {&what.x, &what.w});
  if (what.y.empty()) return queue.ext_oneapi_submit_barrier(depends);
  if (what.w.empty()) return zero(queue, tensor4<float>(what.y), depends);
  return convolve_quantised(queue, what, depends);
}

sycl::event detail::run(sycl::queue& queue, const quantised& what, const events& depends) {
  require_rank("a", what.a, 2), require_rank("b", what.b, 2);
  require_shape("b", what.b, {what.b.extent[0], what.a.extent[1]});
  require_shape("y", what.y, {what.a.extent[0], what.b.extent[0]});
  require_quantised(what.zero_a, what.zero_b, what.a.extent[1]);
  require_target("y", what.y, {&what.a, &what.b});
  if (what.y.empty()) return queue.ext_oneapi_submit_barrier(depends);
  return multiply_quantised(queue, what, depends);
}

} // namespace prism::nn
