// Products and convolutions of 8-bit integers with exact sums of 32 bits. A convolution is one of float,
// which is exact below 2^24, of as many channels at a time as that permits; the parts are added as integers.
#include "kernels/nn/quantised.hpp"

#include "kernels/nn/narrow.hpp"
#include "kernels/nn/steps.hpp"

#include <algorithm>
#include <cstdlib>

namespace prism::nn {
namespace {

struct quantised_sum {
  planes<const std::int8_t> a, b;
  planes<float> y;
  size_t terms;
  std::int32_t zero_a, zero_b;
  float scale;
  void operator()(sycl::id<2> id) const {
    const std::int8_t *const x = a.at(0, 0, id[0], 0), *const w = b.at(0, 0, id[1], 0);
    std::int32_t sum = 0;
    if (a.stride[3] == 1 && b.stride[3] == 1)
      for (size_t k = 0; k < terms; ++k) sum += (std::int32_t(x[k]) - zero_a) * (std::int32_t(w[k]) - zero_b);
    else
      for (size_t k = 0; k < terms; ++k)
        sum += (std::int32_t(x[ptrdiff_t(k) * a.stride[3]]) - zero_a) *
               (std::int32_t(w[ptrdiff_t(k) * b.stride[3]]) - zero_b);
    *y.at(0, 0, id[0], id[1]) = scale * float(sum);
  }
};

/// Floats for from - zero.
sycl::event shift(sycl::queue& queue, const tensor_operand& from, std::int32_t zero, const tensor_operand& to,
                  const events& depends) {
  const tensor4<std::int8_t> source(from);
  const tensor4<float> target(to);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto in = source.read(h);
    const auto out = target.write(h);
    const size_t c = target.extent[1];
    h.parallel_for(sycl::range<3>(target.extent[0] * c, target.extent[2], target.extent[3]),
                   [=](sycl::id<3> id) {
      const size_t n = id[0] / c, channel = id[0] % c;
      *out.at(n, channel, id[1], id[2]) = float(std::int32_t(*in.at(n, channel, id[1], id[2])) - zero);
    });
  });
}

/// Adds a part to the sums; with the last part y = factor times the sum.
sycl::event add_part(sycl::queue& queue, const tensor4<float>& part, const tensor4<std::int32_t>& sums,
                     const tensor4<float>& y, bool first, bool last, float factor, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto added = part.read(h);
    const auto all = sums.write(h);
    const auto to = y.write(h);
    const size_t c = y.extent[1], height = y.extent[2], width = y.extent[3];
    h.parallel_for(sycl::range<1>(y.size()), [=](sycl::id<1> id) {
      const position4 p(id[0], c, height, width);
      std::int32_t& before = *all.at(p.n, p.c, p.i, p.j);
      const std::int32_t sum = (first ? 0 : before) + std::int32_t(*added.at(p.n, p.c, p.i, p.j));
      if (last) *to.at(p.n, p.c, p.i, p.j) = factor * float(sum);
      else before = sum;
    });
  });
}

tensor_operand part_of(tensor_operand t, size_t d, size_t first, size_t count) {
  t.where.offset += first * std::uint64_t(t.stride[d]), t.extent[d] = count;
  return t;
}

/// One group of a convolution of more channels than are exact at once.
sycl::event convolve_in_parts(sycl::queue& queue, const detail::convolution& what, const tensor4<float>& y,
                              float factor, size_t channels, const events& depends) {
  const size_t inputs = what.x.extent[1];
  detail::convolution some = what;
  some.y = floats_like(what.y);
  const tensor4<float> part(some.y);
  const tensor4<std::int32_t> sums(y.extent[0], y.extent[1], y.extent[2], y.extent[3]);
  sycl::event done;
  for (size_t first = 0; first < inputs; first += channels) {
    const size_t count = std::min(channels, inputs - first);
    some.x = part_of(what.x, 1, first, count), some.w = part_of(what.w, 1, first, count);
    const sycl::event computed = detail::convolve(queue, some, first == 0 ? depends : events{done});
    done = add_part(queue, part, sums, y, first == 0, first + count == inputs, factor, {computed});
  }
  return done;
}

} // namespace

size_t exact_products(std::int32_t zero_a, std::int32_t zero_b) {
  const auto most = [](std::int32_t zero) {
    return size_t(std::max(std::abs(-128 - zero), std::abs(127 - zero)));
  };
  return (size_t(1) << 24) / (most(zero_a) * most(zero_b));
}

sycl::event multiply_quantised(sycl::queue& queue, const detail::quantised& what, const events& depends) {
  const tensor4<std::int8_t> a(what.a), b(what.b);
  const tensor4<float> y(what.y);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<2>(y.extent[2], y.extent[3]),
                   quantised_sum{a.read(h), b.read(h), y.write(h), a.extent[3], what.zero_a, what.zero_b,
                                 float(what.scale)});
  });
}

sycl::event convolve_quantised(sycl::queue& queue, const detail::quantised_convolution& what,
                               const events& depends) {
  detail::convolution c{
      what.how, what.groups, activation::none, method::automatic, floats_like(what.x), floats_like(what.w),
      {},       what.y};
  const events ready{shift(queue, what.x, what.zero_x, c.x, depends),
                     shift(queue, what.w, what.zero_w, c.w, depends)};
  events before = depends;
  before.insert(before.end(), ready.begin(), ready.end());
  const tensor4<float> y(what.y);
  const float factor = float(what.scale);
  const size_t inputs = what.w.extent[1], outputs = what.w.extent[0] / what.groups,
               channels = exact_products(what.zero_x, what.zero_w) / (what.w.extent[2] * what.w.extent[3]);
  if (inputs <= channels) {
    c.y = floats_like(what.y); // y may be memory of another kind
    const tensor4<float> sums(c.y);
    return scale<float>(queue, factor, sums, y, {detail::convolve(queue, c, before)});
  }
  events done;
  for (size_t g = 0; g < what.groups; ++g) {
    detail::convolution one = c;
    one.groups = 1;
    one.x = part_of(c.x, 1, g * inputs, inputs), one.w = part_of(c.w, 0, g * outputs, outputs);
    one.y = c.y, one.y.extent[1] = outputs;
    done.push_back(convolve_in_parts(queue, one, y.part(1, g * outputs, outputs), factor, channels, before));
  }
  return done.size() == 1 ? done[0] : queue.ext_oneapi_submit_barrier(done);
}

} // namespace prism::nn
