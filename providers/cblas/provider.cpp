#include "providers/cblas/provider.hpp"

#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"
#include "providers/cblas/call.hpp"
#include "providers/cblas/estimate.hpp"
#include "providers/cblas/threads.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

struct prism_provider_state {
  prism_cblas::library library;
  std::optional<prism_cblas::thread_number> threads;
  bool has_narrow_tiles = false; // for a processor with vectors of 64 bytes
  bool has_small_kernels = false;
};

struct prism_provider_plan {
  prism_provider_state* of;
  prism_cblas::call what;
  int operands;
};

namespace prism_cblas {
namespace {

using prism_providers::has_wide_vectors, prism_providers::say, prism_providers::supports;

const vendor* the_vendor = nullptr; // table_of sets it before any other call

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  auto made = std::unique_ptr<prism_provider_state>(new (std::nothrow) prism_provider_state);
  if (!made) return say(why, "no memory"), PRISM_OUT_OF_MEMORY;
  std::string reason;
  if (!made->library.open(the_vendor->files, reason)) return say(why, reason.c_str()), PRISM_UNAVAILABLE;
  made->library.has_conjugate_no_transpose = the_vendor->has_conjugate_no_transpose;
  const auto set = reinterpret_cast<void (*)(int)>(made->library.symbol(the_vendor->set_threads));
  const auto get = reinterpret_cast<int (*)()>(made->library.symbol(the_vendor->get_threads));
  if (!set || !get) {
    reason = std::string("the library lacks ") + (set ? the_vendor->get_threads : the_vendor->set_threads) +
             ", so its threads cannot be granted";
    return say(why, reason.c_str()), PRISM_UNAVAILABLE;
  }
  made->threads.emplace(set, get);
  made->has_narrow_tiles = has_wide_vectors() && !the_vendor->uses_wide_vectors(made->library);
  made->has_small_kernels = the_vendor->has_small_kernels && has_wide_vectors() && !made->has_narrow_tiles;
  const auto ask = reinterpret_cast<const char* (*)()>(made->library.symbol(the_vendor->version_function));
  *version = ask ? ask() : nullptr;
  *state = made.release();
  return PRISM_OK;
}

/// Returns null, or the reason for a refusal; fills `out`.
const char* refusal_of(prism_provider_state* state, const prism_provider_device* device,
                       const prism_provider_operation* what, call& out, std::string& text) {
  if (device->native != PRISM_NATIVE_HOST) return "it supports only the host";
  text = prism::provider::contradiction_in(*what);
  if (!text.empty()) return text.c_str();
  if (what->reproducible == PRISM_REPRODUCIBLE_ALWAYS) return "results may depend on the number of threads";
  const char* why = nullptr;
  return make_call(state->library, *what, out, why) ? nullptr : why;
}

/// With fewer multiplications a thread costs more than it saves. Vectors, and a matrix and vectors, take the
/// time of reading the elements, which two threads do twice as fast. OpenBLAS's threads wait for each other:
/// on a Xeon with 2 cores two take 40 us for a product of 128 x 128 floats, one 34; two as long as one for an
/// LU of 340 x 340 and a Cholesky of 512 x 512.
double work_for_thread(std::int32_t operation) {
  switch (operation) {
    case PRISM_GETRF: return 15'000'000;
    case PRISM_POTRF: return 30'000'000;
    case PRISM_GEMM: return 2'000'000;
    default: return operation >> 8 < 3 ? 100'000 : 50'000;
  }
}

void query(prism_provider_state* state, const prism_provider_device* device,
           const prism_provider_operation* what, prism_provider_support* answer) {
  call made;
  std::string text;
  if (!supports(answer, refusal_of(state, device, what, made, text))) return;
  answer->reproducible = PRISM_REPRODUCIBLE_SAME_THREADS;
  answer->workspace_bytes = 0;
  answer->most_threads = std::uint32_t(std::clamp(made.work / work_for_thread(what->operation), 1.0, 4096.0));
  const estimate expected = estimated(
      *what, made.work, made.batch,
      {the_vendor->efficiency, the_vendor->overhead_ns, state->has_narrow_tiles, state->has_small_kernels});
  answer->efficiency = expected.efficiency, answer->overhead_ns = expected.overhead_ns;
}

prism_status plan(prism_provider_state* state, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  auto made = std::unique_ptr<prism_provider_plan>(new (std::nothrow)
                                                       prism_provider_plan{state, {}, what->operand_count});
  if (!made) return say(why, "no memory"), PRISM_OUT_OF_MEMORY;
  std::string text;
  if (const char* const reason = refusal_of(state, device, what, made->what, text))
    return say(why, reason), PRISM_UNSUPPORTED;
  *out = made.release();
  return PRISM_OK;
}

const char* wrong_run(const prism_provider_run* run) {
  if (run->struct_size < offsetof(prism_provider_run, workspace)) return "the run's description is too short";
  if (run->native != PRISM_NATIVE_HOST) return "the plan is for the host";
  if (run->threads < 1) return "no thread is granted";
  return run->memory ? nullptr : "there are no operands";
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  if (const char* const wrong = wrong_run(run)) return say(why, wrong), PRISM_INVALID;
  const call& c = plan->what;
  if (c.nothing || c.batch == 0) return PRISM_OK;
  std::byte* first[PRISM_MAX_OPERANDS] = {};
  for (int i = 0; i < plan->operands; ++i) {
    const prism_provider_memory& m = run->memory[i];
    if (m.object || m.address) return say(why, "an operand is not a host pointer"), PRISM_INVALID;
    if (m.pointer) first[i] = static_cast<std::byte*>(m.pointer) + m.offset + c.shift[i];
  }
  const thread_number::use granted(*plan->of->threads, int(std::min(run->threads, 4096u)));
  for (std::int64_t b = 0; b < c.batch; ++b) {
    try {
      c.run(c, plan->of->library, first, run->alpha, run->beta);
    } catch (const std::bad_alloc&) {
      return say(why, "no memory for the intermediate results"), PRISM_OUT_OF_MEMORY;
    }
    for (int i = 0; i < plan->operands; ++i)
      if (first[i]) first[i] += c.step[i];
  }
  return PRISM_OK;
}

void drop(prism_provider_plan* plan) { delete plan; }
void close(prism_provider_state* state) { delete state; }

} // namespace

const prism_provider* table_of(const vendor& which) {
  the_vendor = &which;
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_HOST,
                                    which.name,
                                    "1",
                                    which.library,
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}

} // namespace prism_cblas
