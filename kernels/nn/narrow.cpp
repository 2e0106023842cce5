#include "kernels/nn/narrow.hpp"

#include <sycl/ext/oneapi/bfloat16.hpp>

namespace prism::nn {
namespace {

using bfloat16 = sycl::ext::oneapi::bfloat16;

/// The elements of a tensor that are apart in memory.
template <typename R>
tensor4<R> distinct(const tensor_operand& of) {
  tensor4<R> out(of);
  for (int d = 0; d < 4; ++d)
    if (out.stride[d] == 0) out.extent[d] = std::min<size_t>(out.extent[d], 1);
  return out;
}

template <typename To, typename From>
sycl::event convert(sycl::queue& queue, const tensor_operand& from, const tensor_operand& to,
                    const std::vector<sycl::event>& depends) {
  const tensor4<From> source = distinct<From>(from);
  const tensor4<To> target = distinct<To>(to);
  if (target.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto in = source.read(h);
    const auto out = target.write(h);
    const size_t c = target.extent[1], height = target.extent[2], width = target.extent[3];
    h.parallel_for(sycl::range<3>(target.extent[0] * c, height, width), [=](sycl::id<3> id) {
      const size_t n = id[0] / c, channel = id[0] % c;
      *out.at(n, channel, id[1], id[2]) =
          static_cast<To>(static_cast<float>(*in.at(n, channel, id[1], id[2])));
    });
  });
}

} // namespace

bool is_narrow(std::int32_t type) { return type == PRISM_F16 || type == PRISM_BF16; }

tensor_operand floats_like(const tensor_operand& like) {
  tensor_operand out = like;
  out.type = PRISM_F32;
  size_t apart = 1;
  for (size_t d = out.rank; d-- > 0;)
    if (out.extent[d] > 1 && like.stride[d] == 0) out.stride[d] = 0;
    else out.stride[d] = ptrdiff_t(apart), apart *= out.extent[d];
  const sycl::buffer<float, 1> values{sycl::range<1>(std::max<size_t>(apart, 1))};
  out.where = prism::blas::detail::memory_at(prism::buffer_place<float>(values, 0));
  return out;
}

sycl::event widen(sycl::queue& queue, const tensor_operand& from, const tensor_operand& to,
                  const std::vector<sycl::event>& depends) {
  return from.type == PRISM_F16 ? convert<float, sycl::half>(queue, from, to, depends)
                                : convert<float, bfloat16>(queue, from, to, depends);
}

sycl::event narrow(sycl::queue& queue, const tensor_operand& from, const tensor_operand& to,
                   const std::vector<sycl::event>& depends) {
  return to.type == PRISM_F16 ? convert<sycl::half, float>(queue, from, to, depends)
                              : convert<bfloat16, float>(queue, from, to, depends);
}

} // namespace prism::nn
