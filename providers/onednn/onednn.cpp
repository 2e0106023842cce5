// oneDNN on the host: convolutions of float, by the machine code that it writes for the shape (Georganas et
// al. 2018, "Anatomy of high-performance deep learning convolutions on SIMD architectures").
//
// oneDNN chooses layouts of its own; a run copies the operands to them and the result back where they differ.
// A plan holds one primitive for each number of threads, because oneDNN divides the work when it makes one.
// Winograd's algorithm, whose errors are larger, is never asked for.
#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"

#include <dnnl.hpp>
#include <omp.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace {

using dnnl::memory;
using prism_providers::say, prism_providers::supports;

/// What a run needs, for one number of threads.
struct primitives {
  dnnl::convolution_forward convolution;
  std::optional<dnnl::reorder> before[2], after;
  memory::desc used[3], scratchpad;
};

/// Lets the calling thread's OpenMP regions have as many threads.
class thread_limit {
public:
  explicit thread_limit(unsigned threads) : m_before(omp_get_max_threads()) {
    omp_set_num_threads(int(std::max(1u, threads)));
  }
  ~thread_limit() { omp_set_num_threads(m_before); }
  thread_limit(const thread_limit&) = delete;

private:
  int m_before;
};

} // namespace

struct prism_provider_state {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  std::string version;
};

struct prism_provider_plan {
  const prism_provider_state* of;
  prism_provider_operation what;
  memory::desc given[3];
  mutable std::mutex mutex;
  mutable std::map<unsigned, std::shared_ptr<const primitives>> by_threads;
};

namespace {

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

std::shared_ptr<const primitives> make(const prism_provider_plan& p, unsigned threads) {
  const thread_limit limit(threads);
  const dnnl::engine& engine = p.of->engine;
  const memory::dims steps(p.what.window_stride, p.what.window_stride + 2),
      edge(p.what.window_padding, p.what.window_padding + 2);
  memory::dims gaps, end;
  for (std::size_t d = 0; d < 2; ++d) {
    gaps.push_back(p.what.window_dilation[d] - 1);
    const std::int64_t reach = p.what.window_dilation[d] * (p.what.operand[1].extent[d + 2] - 1) + 1;
    end.push_back((p.what.operand[2].extent[d + 2] - 1) * steps[d] + reach - p.what.operand[0].extent[d + 2] -
                  edge[d]); // the last rows and columns may be unused, so it may be less than `edge`
  }
  memory::desc any[3];
  for (int i = 0; i < 3; ++i)
    any[i] = memory::desc(p.given[i].dims(), memory::data_type::f32, memory::format_tag::any);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user); // concurrent runs have one each
  using convolution = dnnl::convolution_forward;
  constexpr auto kind = dnnl::prop_kind::forward_inference;
  constexpr auto algorithm = dnnl::algorithm::convolution_direct;
#if DNNL_VERSION_MAJOR >= 3
  const convolution::primitive_desc made(engine, kind, algorithm, any[0], any[1], any[2], steps, gaps, edge,
                                         end, attributes);
#else
  const convolution::primitive_desc made({kind, algorithm, any[0], any[1], any[2], steps, gaps, edge, end},
                                         attributes, engine);
#endif
  auto out = std::make_shared<primitives>();
  out->convolution = convolution(made);
  out->used[0] = made.src_desc(), out->used[1] = made.weights_desc(), out->used[2] = made.dst_desc();
  out->scratchpad = made.scratchpad_desc();
  const auto reorder = [&](const memory::desc& from, const memory::desc& to) {
    return dnnl::reorder(dnnl::reorder::primitive_desc(engine, from, engine, to));
  };
  for (int i = 0; i < 2; ++i)
    if (out->used[i] != p.given[i]) out->before[i] = reorder(p.given[i], out->used[i]);
  if (out->used[2] != p.given[2]) out->after = reorder(out->used[2], p.given[2]);
  return out;
}

std::shared_ptr<const primitives> for_threads(const prism_provider_plan& p, unsigned threads) {
  const std::lock_guard lock(p.mutex);
  std::shared_ptr<const primitives>& known = p.by_threads[threads];
  if (!known) known = make(p, threads);
  return known;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    std::string& text) {
  if (device.native != PRISM_NATIVE_HOST) return "it supports only the host";
  text = prism::provider::contradiction_in(what);
  if (!text.empty()) return text.c_str();
  if (what.operation != PRISM_CONV2D) return "it has conv2d";
  if (what.compute != 0 && what.compute != PRISM_F32) return "products are added in float only";
  if (what.reproducible == PRISM_REPRODUCIBLE_ALWAYS) return "its sums depend on the number of threads";
  for (int i = 0; i < 3; ++i) {
    const prism_provider_operand& a = what.operand[i];
    if (a.type != PRISM_F32) return "float only";
    for (int d = 0; d < 4; ++d) {
      if (a.extent[d] < 1) return "operands without elements";
      if (a.extent[d] > 1 && a.stride[d] < 1) return "strides that are not positive";
    }
  }
  return nullptr;
}

unsigned threads_for(const prism_provider_device& device, const prism_provider_operation& what) {
  constexpr double least = 2e5; // products for which a second thread is of use
  return prism::provider::work_of(what) >= least ? std::max(1u, device.threads) : 1;
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  try {
    auto made = std::make_unique<prism_provider_state>();
    const dnnl_version_t* const now = dnnl_version();
    made->version =
        std::to_string(now->major) + "." + std::to_string(now->minor) + "." + std::to_string(now->patch);
    *version = made->version.c_str();
    *state = made.release();
    return PRISM_OK;
  } catch (const std::exception& failure) {
    return say(why, failure.what()), PRISM_UNAVAILABLE;
  }
}

void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  std::string text;
  if (!supports(answer, refusal(*device, *what, text))) return;
  answer->reproducible = PRISM_REPRODUCIBLE_SAME_THREADS;
  answer->most_threads = threads_for(*device, *what);
  answer->efficiency = 0.6;
  answer->overhead_ns = 20'000; // copies to its layouts, threads
}

prism_status plan(prism_provider_state* state, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  try {
    std::string text;
    if (const char* const reason = refusal(*device, *what, text)) return say(why, reason), PRISM_UNSUPPORTED;
    auto made = std::make_unique<prism_provider_plan>();
    made->of = state, made->what = *what;
    for (int i = 0; i < 3; ++i) made->given[i] = described(what->operand[i], i == 1 ? what->groups : 1);
    for_threads(*made, threads_for(*device, *what));
    *out = made.release();
    return PRISM_OK;
  } catch (const std::bad_alloc&) {
    return say(why, "no memory"), PRISM_OUT_OF_MEMORY;
  } catch (const std::exception& failure) {
    return say(why, failure.what()), PRISM_UNSUPPORTED;
  }
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  if (run->struct_size < offsetof(prism_provider_run, workspace) || run->native != PRISM_NATIVE_HOST)
    return say(why, "the plan is for the host"), PRISM_INVALID;
  if (run->threads < 1) return say(why, "no thread is granted"), PRISM_INVALID;
  for (int i = 0; i < 3; ++i)
    if (!run->memory || !run->memory[i].pointer)
      return say(why, "an operand is not a host pointer"), PRISM_INVALID;
  try {
    const thread_limit limit(run->threads);
    const std::shared_ptr<const primitives> with = for_threads(*plan, run->threads);
    dnnl::stream stream(plan->of->engine);
    memory given[3], used[3];
    for (int i = 0; i < 3; ++i) {
      char* const first = static_cast<char*>(run->memory[i].pointer) + run->memory[i].offset;
      given[i] = memory(plan->given[i], plan->of->engine, first);
      const bool copies = i == 2 ? with->after.has_value() : with->before[i].has_value();
      used[i] = copies ? memory(with->used[i], plan->of->engine) : given[i];
      if (copies && i < 2) with->before[i]->execute(stream, given[i], used[i]);
    }
    const memory scratchpad(with->scratchpad, plan->of->engine);
    with->convolution.execute(stream, {{DNNL_ARG_SRC, used[0]},
                                       {DNNL_ARG_WEIGHTS, used[1]},
                                       {DNNL_ARG_DST, used[2]},
                                       {DNNL_ARG_SCRATCHPAD, scratchpad}});
    if (with->after) with->after->execute(stream, used[2], given[2]);
    stream.wait();
    return PRISM_OK;
  } catch (const std::exception& failure) {
    return say(why, failure.what()), PRISM_FAILED;
  }
}

void drop(prism_provider_plan* plan) { delete plan; }
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_HOST,
                                    "onednn",
                                    "1",
                                    "oneDNN",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
