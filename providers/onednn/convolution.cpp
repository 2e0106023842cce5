// Convolutions of float, by the machine code that oneDNN writes for the shape (Georganas et al. 2018,
// "Anatomy of high-performance deep learning convolutions on SIMD architectures").
//
// oneDNN chooses layouts of its own; a run copies the operands to them and the result back where they differ.
// Winograd's algorithm, whose errors are larger, is never asked for.
#include "providers/onednn/plan.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace prism_onednn {
namespace {

using dnnl::memory;

/// What a run needs, for one number of threads, because oneDNN divides the work when it makes a primitive.
struct primitives {
  dnnl::convolution_forward convolution;
  std::optional<dnnl::reorder> before[2], after;
  memory::desc used[3], scratchpad;
};

/// The operand in oneDNN's words. Weights of several groups have a dimension for the group.
memory::desc described(const prism_provider_operand& a, std::int64_t groups) {
  memory::dims extents(a.extent, a.extent + 4), strides(a.stride, a.stride + 4);
  std::int64_t apart = 1;
  for (std::size_t d = 4; d-- > 0; apart = std::max(apart, strides[d] * extents[d]))
    if (extents[d] == 1) strides[d] = apart; // any stride
  if (groups > 1) {
    extents.insert(extents.begin(), groups),
        strides.insert(strides.begin(), strides[0] * (extents[1] / groups));
    extents[1] /= groups;
  }
  return {extents, memory::data_type::f32, strides};
}

class convolution final : public prism_provider_plan {
public:
  convolution(const prism_provider_state& state, const prism_provider_operation& what, unsigned threads)
      : m_engine(state.engine), m_what(what) {
    for (int i = 0; i < 3; ++i) m_given[i] = described(what.operand[i], i == 1 ? what.groups : 1);
    for_threads(threads);
  }
  void run(const prism_provider_run& run, char* const* first) const override {
    const thread_limit limit(run.threads);
    const std::shared_ptr<const primitives> with = for_threads(run.threads);
    dnnl::stream stream(m_engine);
    memory given[3], used[3];
    for (int i = 0; i < 3; ++i) {
      given[i] = memory(m_given[i], m_engine, first[i]);
      const bool copies = i == 2 ? with->after.has_value() : with->before[i].has_value();
      used[i] = copies ? memory(with->used[i], m_engine) : given[i];
      if (copies && i < 2) with->before[i]->execute(stream, given[i], used[i]);
    }
    const memory scratchpad(with->scratchpad, m_engine);
    with->convolution.execute(stream, {{DNNL_ARG_SRC, used[0]},
                                       {DNNL_ARG_WEIGHTS, used[1]},
                                       {DNNL_ARG_DST, used[2]},
                                       {DNNL_ARG_SCRATCHPAD, scratchpad}});
    if (with->after) with->after->execute(stream, used[2], given[2]);
    stream.wait();
  }

private:
  std::shared_ptr<const primitives> for_threads(unsigned threads) const {
    const std::lock_guard lock(m_mutex);
    std::shared_ptr<const primitives>& known = m_by_threads[threads];
    if (!known) known = make(threads);
    return known;
  }
  std::shared_ptr<const primitives> make(unsigned threads) const;

  dnnl::engine m_engine;
  prism_provider_operation m_what;
  memory::desc m_given[3];
  mutable std::mutex m_mutex;
  mutable std::map<unsigned, std::shared_ptr<const primitives>> m_by_threads;
};

std::shared_ptr<const primitives> convolution::make(unsigned threads) const {
  const thread_limit limit(threads);
  const memory::dims steps(m_what.window_stride, m_what.window_stride + 2),
      edge(m_what.window_padding, m_what.window_padding + 2);
  memory::dims gaps, end;
  for (std::size_t d = 0; d < 2; ++d) {
    gaps.push_back(m_what.window_dilation[d] - 1);
    const std::int64_t reach = m_what.window_dilation[d] * (m_what.operand[1].extent[d + 2] - 1) + 1;
    end.push_back((m_what.operand[2].extent[d + 2] - 1) * steps[d] + reach - m_what.operand[0].extent[d + 2] -
                  edge[d]); // the last rows and columns may be unused, so it may be less than `edge`
  }
  memory::desc any[3];
  for (int i = 0; i < 3; ++i)
    any[i] = memory::desc(m_given[i].dims(), memory::data_type::f32, memory::format_tag::any);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user); // concurrent runs have one each
  using forward = dnnl::convolution_forward;
  constexpr auto kind = dnnl::prop_kind::forward_inference;
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  const forward::primitive_desc made(m_engine, kind, algorithm, any[0], any[1], any[2], steps, gaps, edge,
                                     end, attributes);
#else
  const forward::primitive_desc made({kind, algorithm, any[0], any[1], any[2], steps, gaps, edge, end},
                                     attributes, m_engine);
#endif
  auto out = std::make_shared<primitives>();
  out->convolution = forward(made);
  out->used[0] = made.src_desc(), out->used[1] = made.weights_desc(), out->used[2] = made.dst_desc();
  out->scratchpad = made.scratchpad_desc();
  const auto reorder = [&](const memory::desc& from, const memory::desc& to) {
    return dnnl::reorder(dnnl::reorder::primitive_desc(m_engine, from, m_engine, to));
  };
  for (int i = 0; i < 2; ++i)
    if (out->used[i] != m_given[i]) out->before[i] = reorder(m_given[i], out->used[i]);
  if (out->used[2] != m_given[2]) out->after = reorder(out->used[2], m_given[2]);
  return out;
}

} // namespace

const char* convolution_refusal(const prism_provider_operation& what) {
  if (what.compute != 0 && what.compute != PRISM_F32) return "products are added in float only";
  if (what.reproducible == PRISM_REPRODUCIBLE_ALWAYS) return "its sums depend on the number of threads";
  for (int i = 0; i < 3; ++i) {
    const prism_provider_operand& a = what.operand[i];
    if (a.type != PRISM_F32) return "conv2d of float only";
    for (int d = 0; d < 4; ++d) {
      if (a.extent[d] < 1) return "operands without elements";
      if (a.extent[d] > 1 && a.stride[d] < 1) return "strides that are not positive";
    }
  }
  return nullptr;
}

std::unique_ptr<prism_provider_plan>
convolution_plan(const prism_provider_state& state, const prism_provider_operation& what, unsigned threads) {
  return std::make_unique<convolution>(state, what, threads);
}

} // namespace prism_onednn
