// CLBlast on OpenCL (Nugteren 2018, "CLBlast: A Tuned OpenCL BLAS Library"): gemm and axpy of float and
// double. A barrier in the queue makes its kernels wait for the events, so the queue must be in order.
#define CL_TARGET_OPENCL_VERSION 120
#include "kernels/provider/operation.hpp"
#include "providers/answers.hpp"

#include <clblast_c.h>

#include <new>
#include <string>

struct prism_provider_state {};

struct prism_provider_plan {
  prism_provider_operation what;
  CLBlastLayout layout = CLBlastLayoutColMajor;
  CLBlastTranspose a = CLBlastTransposeNo, b = CLBlastTransposeNo;
  std::size_t lda = 1, ldb = 1, ldc = 1;
};

namespace {

using operand = prism_provider_operand;
using prism_providers::say, prism_providers::supports;

/// Leading dimension in a layout; 0 if the strides do not fit the layout.
std::size_t leading(const operand& a, CLBlastLayout layout) {
  const int inner = layout == CLBlastLayoutRowMajor ? 1 : 0, outer = 1 - inner;
  if (a.extent[inner] > 1 && a.stride[inner] != 1) return 0;
  const std::int64_t least = a.extent[inner] > 1 ? a.extent[inner] : 1,
                     ld = a.extent[outer] > 1 ? a.stride[outer] : least;
  return ld >= least ? std::size_t(ld) : 0;
}
CLBlastLayout other(CLBlastLayout layout) {
  return layout == CLBlastLayoutRowMajor ? CLBlastLayoutColMajor : CLBlastLayoutRowMajor;
}

bool is_complex(const operand& a) { return (a.type & 0xff) == 3; }
bool conjugated(const operand& a) { return is_complex(a) && (a.flags & PRISM_CONJUGATED) != 0; }

bool factor(const operand& a, CLBlastLayout layout, CLBlastTranspose& trans, std::size_t& ld) {
  const std::size_t straight = leading(a, layout), turned = leading(a, other(layout));
  if (conjugated(a)) trans = CLBlastTransposeConjugate, ld = turned;
  else if (straight) trans = CLBlastTransposeNo, ld = straight;
  else trans = CLBlastTransposeYes, ld = turned;
  return ld != 0;
}

bool set_gemm(prism_provider_plan& out) {
  const operand* const o = out.what.operand;
  for (const CLBlastLayout layout : {CLBlastLayoutColMajor, CLBlastLayoutRowMajor}) {
    out.layout = layout, out.ldc = leading(o[2], layout);
    if (out.ldc && factor(o[0], layout, out.a, out.lda) && factor(o[1], layout, out.b, out.ldb)) return true;
  }
  return false;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    prism_provider_plan& out, std::string& text) {
  if (device.native != PRISM_NATIVE_OPENCL) return "it supports only OpenCL";
  text = prism::provider::contradiction_in(what);
  if (!text.empty()) return text.c_str();
  if (what.reproducible > PRISM_REPRODUCIBLE_SAME_THREADS)
    return "it guarantees equal results only on the same device";
  const operand* const o = what.operand;
  if (what.operation != PRISM_GEMM && what.operation != PRISM_AXPY) return "it supports only gemm and axpy";
  const std::int32_t type = o[0].type;
  if (type != PRISM_F32 && type != PRISM_F64) return "float and double";
  if (what.compute != 0 && what.compute != type) return "products are added in the operands' own type only";
  for (int i = 0; i < what.operand_count; ++i) {
    if (o[i].type != type) return "operands of different types";
    if (o[i].rank != (what.operation == PRISM_GEMM ? 2 : 1)) return "a batch";
    if (o[i].storage != PRISM_STORED_FULL) return "a matrix that is not stored in full";
    for (int d = 0; d < o[i].rank; ++d)
      if (o[i].extent[d] == 0) return "no elements";
  }
  out.what = what;
  if (what.operation == PRISM_AXPY) {
    for (int i = 0; i < 2; ++i)
      if (o[i].extent[0] > 1 && o[i].stride[0] < 1) return "a vector read backwards";
    return nullptr;
  }
  return set_gemm(out) ? nullptr : "the matrices are not contiguous in a common layout";
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  *state = new (std::nothrow) prism_provider_state;
  *version = "1.5";
  return *state ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  prism_provider_plan made{};
  std::string text;
  if (!supports(answer, refusal(*device, *what, made, text))) return;
  answer->reproducible = PRISM_REPRODUCIBLE_SAME_THREADS;
  answer->efficiency = what->operation == PRISM_GEMM ? 0.4 : 0.1;
  answer->overhead_ns = 30'000;
}

prism_status plan(prism_provider_state*, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  prism_provider_plan made{};
  std::string text;
  if (const char* const reason = refusal(*device, *what, made, text))
    return say(why, reason), PRISM_UNSUPPORTED;
  *out = new (std::nothrow) prism_provider_plan(made);
  return *out ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

/// Offsets of the first elements, in elements of the memory objects.
struct places {
  cl_mem object[3];
  std::size_t first[3];
};

template <typename T, auto Gemm, auto Axpy>
CLBlastStatusCode call(const prism_provider_plan& p, const places& at, const prism_provider_run& run,
                       cl_command_queue queue, cl_event* done) {
  const operand* const o = p.what.operand;
  const auto n = [&](int i, int d) { return std::size_t(o[i].extent[d]); };
  const auto step = [&](int i) { return o[i].extent[0] > 1 ? std::size_t(o[i].stride[0]) : std::size_t(1); };
  if (p.what.operation == PRISM_AXPY)
    return Axpy(n(0, 0), T(run.alpha[0]), at.object[0], at.first[0], step(0), at.object[1], at.first[1],
                step(1), &queue, done);
  return Gemm(p.layout, p.a, p.b, n(2, 0), n(2, 1), n(0, 1), T(run.alpha[0]), at.object[0], at.first[0],
              p.lda, at.object[1], at.first[1], p.ldb, T(run.beta[0]), at.object[2], at.first[2], p.ldc,
              &queue, done);
}

const char* wrong_run(const prism_provider_plan& plan, const prism_provider_run& run, places& out) {
  if (run.struct_size < sizeof run || run.native != PRISM_NATIVE_OPENCL) return "the plan is for OpenCL";
  if (!run.queue || !run.memory) return "there is no queue, or no operands";
  if (!run.queue_is_in_order) return "the queue is not in order";
  const std::size_t bytes = prism::provider::bytes_of_type(plan.what.operand[0].type);
  for (int i = 0; i < plan.what.operand_count; ++i) {
    if (!run.memory[i].object) return "an operand is not a cl_mem";
    if (run.memory[i].offset % bytes != 0)
      return "an operand's offset is not a multiple of its element's size";
    out.object[i] = static_cast<cl_mem>(run.memory[i].object),
    out.first[i] = std::size_t(run.memory[i].offset / bytes);
  }
  return nullptr;
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  places at{};
  if (const char* const wrong = wrong_run(*plan, *run, at)) return say(why, wrong), PRISM_INVALID;
  auto* const queue = static_cast<cl_command_queue>(run->queue);
  if (run->wait_count != 0) {
    const cl_int code = clEnqueueBarrierWithWaitList(queue, run->wait_count,
                                                     reinterpret_cast<const cl_event*>(run->waits), nullptr);
    if (code != CL_SUCCESS) return say(why, "clEnqueueBarrierWithWaitList failed"), PRISM_FAILED;
  }
  cl_event done = nullptr;
  const bool is_float = plan->what.operand[0].type == PRISM_F32;
  const CLBlastStatusCode code =
      is_float ? call<float, CLBlastSgemm, CLBlastSaxpy>(*plan, at, *run, queue, &done)
               : call<double, CLBlastDgemm, CLBlastDaxpy>(*plan, at, *run, queue, &done);
  if (code != CLBlastSuccess)
    return say(why, ("CLBlast returned status " + std::to_string(int(code))).c_str()), PRISM_FAILED;
  if (run->done) *run->done = done;
  else clReleaseEvent(done);
  return PRISM_OK;
}

void drop(prism_provider_plan* plan) { delete plan; }
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_OPENCL,
                                    "clblast",
                                    "1",
                                    "CLBlast",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
