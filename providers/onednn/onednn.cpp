// oneDNN on the host: convolutions of float, and matrix products of float, bfloat16 and int8
// (convolution.cpp, product.cpp).
#include "providers/onednn/estimate.hpp"
#include "providers/onednn/plan.hpp"

#include <new>

namespace {

using namespace prism_onednn;
using prism_providers::say, prism_providers::supports;

/// Empty where it is supported.
std::string refusal(const prism_provider_state& state, const prism_provider_device& device,
                    const prism_provider_operation& what) {
  if (device.native != PRISM_NATIVE_HOST) return "it supports only the host";
  if (std::string wrong = prism::provider::contradiction_in(what); !wrong.empty()) return wrong;
  if (what.operation == PRISM_GEMM) return product_refusal(state, what);
  if (what.operation != PRISM_CONV2D) return "it has conv2d and gemm";
  const char* const reason = convolution_refusal(what);
  return reason ? reason : "";
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

void query(prism_provider_state* state, const prism_provider_device* device,
           const prism_provider_operation* what, prism_provider_support* answer) {
  const std::string reason = refusal(*state, *device, *what);
  if (!supports(answer, reason.empty() ? nullptr : reason.c_str())) return;
  const bool is_exact = what->operand[0].type == PRISM_S8;
  answer->reproducible = is_exact ? PRISM_REPRODUCIBLE_ALWAYS : PRISM_REPRODUCIBLE_SAME_THREADS;
  answer->most_threads = threads_for(*device, *what);
  const estimate expected = estimated(*what, device->threads);
  answer->efficiency = expected.efficiency, answer->overhead_ns = expected.overhead_ns;
}

prism_status plan(prism_provider_state* state, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  try {
    if (const std::string reason = refusal(*state, *device, *what); !reason.empty())
      return say(why, reason), PRISM_UNSUPPORTED;
    const auto make = what->operation == PRISM_GEMM ? product_plan : convolution_plan;
    *out = make(*state, *what, threads_for(*device, *what)).release();
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
  char* first[3];
  for (int i = 0; i < 3; ++i) {
    if (!run->memory || !run->memory[i].pointer)
      return say(why, "an operand is not a host pointer"), PRISM_INVALID;
    first[i] = static_cast<char*>(run->memory[i].pointer) + run->memory[i].offset;
  }
  try {
    plan->run(*run, first);
    return PRISM_OK;
  } catch (const std::bad_alloc&) {
    return say(why, "no memory"), PRISM_OUT_OF_MEMORY;
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
