#include "bench/onednn.hpp"

#include <dnnl.hpp>

#include <memory>
#include <unordered_map>
#include <vector>

namespace bench {
namespace {

using dnnl::memory;
using arguments = std::unordered_map<int, memory>;

const dnnl::engine& processor() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

memory::desc dense(const memory::dims& extents, memory::format_tag layout) {
  return {extents, memory::data_type::f32, layout};
}

memory ones(const memory::desc& as) {
  memory out(as, processor());
  float* const data = static_cast<float*>(out.get_data_handle());
  for (std::size_t i = 0; i < as.get_size() / sizeof(float); ++i) data[i] = 1;
  return out;
}

std::function<void()> runner(std::vector<std::pair<dnnl::primitive, arguments>> steps) {
  return [steps, stream = dnnl::stream(processor())]() mutable {
    for (auto& [step, of] : steps) step.execute(stream, of);
    stream.wait();
  };
}

} // namespace

std::function<void()> onednn_convolution(const image_convolution& of) {
  const memory::dims image{1, of.channels, of.side, of.side}, result{1, of.filters, of.side, of.side},
      one{1, 1}, edge{of.window / 2, of.window / 2};
  memory::dims filters{of.filters, of.channels / of.groups, of.window, of.window};
  if (of.groups > 1)
    filters = {of.groups, of.filters / of.groups, of.channels / of.groups, of.window, of.window};
  const auto any = memory::format_tag::any;
  using convolution = dnnl::convolution_forward;
#if DNNL_VERSION_MAJOR >= 3
  const convolution::primitive_desc made(processor(), dnnl::prop_kind::forward_inference,
                                         dnnl::algorithm::convolution_auto, dense(image, any),
                                         dense(filters, any), dense(result, any), one, edge, edge);
#else
  const convolution::primitive_desc made({dnnl::prop_kind::forward_inference,
                                          dnnl::algorithm::convolution_auto, dense(image, any),
                                          dense(filters, any), dense(result, any), one, edge, edge},
                                         processor());
#endif
  return runner({{convolution(made),
                  {{DNNL_ARG_SRC, ones(made.src_desc())},
                   {DNNL_ARG_WEIGHTS, ones(made.weights_desc())},
                   {DNNL_ARG_DST, ones(made.dst_desc())}}}});
}

std::function<void()> onednn_attention(const attention_shape& of) {
  using memory_format = memory::format_tag;
  const memory::dims rows{of.heads, of.length, of.width}, turned{of.heads, of.width, of.length},
      scores{of.heads, of.length, of.length};
  const memory q = ones(dense(rows, memory_format::abc)), k = ones(dense(turned, memory_format::acb)),
               v = ones(dense(rows, memory_format::abc)), y = ones(dense(rows, memory_format::abc)),
               s = ones(dense(scores, memory_format::abc));
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc first(processor(), q.get_desc(), k.get_desc(), s.get_desc()),
      second(processor(), s.get_desc(), v.get_desc(), y.get_desc());
  const dnnl::softmax_forward::primitive_desc middle(processor(), dnnl::prop_kind::forward_inference,
                                                     dnnl::algorithm::softmax_accurate, s.get_desc(),
                                                     s.get_desc(), 2);
#else
  const dnnl::matmul::primitive_desc first({q.get_desc(), k.get_desc(), s.get_desc()}, processor()),
      second({s.get_desc(), v.get_desc(), y.get_desc()}, processor());
  const dnnl::softmax_forward::primitive_desc middle({dnnl::prop_kind::forward_inference, s.get_desc(), 2},
                                                     processor());
#endif
  return runner({{dnnl::matmul(first), {{DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, s}}},
                 {dnnl::softmax_forward(middle), {{DNNL_ARG_SRC, s}, {DNNL_ARG_DST, s}}},
                 {dnnl::matmul(second), {{DNNL_ARG_SRC, s}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, y}}}});
}

} // namespace bench
