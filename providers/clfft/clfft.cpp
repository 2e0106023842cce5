// clFFT on OpenCL: transforms of float and double whose sizes have no prime factor above 13, 1 to 3
// dimensions, positive strides, batches. clFFT writes its kernels for one scale, one context and one
// placement; a plan makes them at the first run that needs them, which takes as long as the driver's compiler
// does (0.1 to 1 s on POCL). So no time is predicted: it is used where it is pinned. clFFT's scale is a
// float; of double, a scale that is none is refused when it runs.
//
// clFFT's calls are serialised: its tables of kernels are shared. An operand that begins inside of a cl_mem
// is a sub-buffer where the device's alignment allows it, else a copy on the device.
#define CL_TARGET_OPENCL_VERSION 120
#include "providers/answers.hpp"
#include "providers/opencl_transforms.hpp"

#include <clFFT.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

struct prism_provider_state {};

namespace {

using operand = prism_provider_operand;
using namespace prism_providers;

std::mutex& all_calls() {
  static std::mutex mutex;
  return mutex;
}

struct baked {
  cl_context context;
  double scale;
  bool in_place;
  clfftPlanHandle handle;
  std::size_t temporary;
};

} // namespace

struct prism_provider_plan {
  prism_provider_operation what{};
  mutable std::vector<baked> ready; // under all_calls
};

namespace {

std::size_t bytes_of(const operand& a) { return prism::provider::bytes_of_type(a.type); }
/// Bytes from the first element to the end of the last; strides are positive.
std::size_t span_of(const operand& a) {
  std::int64_t last = 0;
  for (int d = 0; d < a.rank; ++d) last += (a.extent[d] - 1) * a.stride[d];
  return std::size_t(last + 1) * bytes_of(a);
}
const char* wrong_shape(const prism_provider_operation& what) {
  const operand &in = what.operand[0], &out = what.operand[1];
  const bool to_reals = is_complex(in) && !is_complex(out);
  if (const char* const wrong = wrong_strides(what)) return wrong;
  for (int d = 0; d + 1 < in.rank; ++d) {
    std::int64_t rest = to_reals ? out.extent[d] : in.extent[d];
    for (const std::int64_t prime : {2, 3, 5, 7, 11, 13})
      while (rest % prime == 0) rest /= prime;
    if (rest != 1) return "a size with a prime factor above 13";
  }
  return nullptr;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    std::string& text) {
  if (const char* const why = transform_refusal(device, what, text)) return why;
  return wrong_shape(what);
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  const std::lock_guard lock(all_calls());
  static const clfftStatus once = [] {
    clfftSetupData data;
    const clfftStatus begun = clfftInitSetupData(&data);
    return begun == CLFFT_SUCCESS ? clfftSetup(&data) : begun;
  }();
  if (once != CLFFT_SUCCESS) return say(why, "clfftSetup failed"), PRISM_UNAVAILABLE;
  *state = new (std::nothrow) prism_provider_state;
  *version = "2.12";
  return *state ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

void query(prism_provider_state*, const prism_provider_device* device, const prism_provider_operation* what,
           prism_provider_support* answer) {
  std::string text;
  if (!supports(answer, refusal(*device, *what, text))) return;
  answer->reproducible = PRISM_REPRODUCIBLE_SAME_THREADS;
}

prism_status plan(prism_provider_state*, const prism_provider_device* device,
                  const prism_provider_operation* what, prism_provider_plan** out, prism_message* why) {
  std::string text;
  if (const char* const reason = refusal(*device, *what, text)) return say(why, reason), PRISM_UNSUPPORTED;
  *out = new (std::nothrow) prism_provider_plan{*what, {}};
  return *out ? PRISM_OK : (say(why, "no memory"), PRISM_OUT_OF_MEMORY);
}

/// The first failure of several calls.
struct calls {
  clfftStatus code = CLFFT_SUCCESS;
  template <typename Code>
  calls& operator<<(Code next) {
    if (code == CLFFT_SUCCESS) code = clfftStatus(next);
    return *this;
  }
};

/// Of a dimension of one, which may have any: 1.
std::size_t stride_of(const operand& a, int d) { return a.extent[d] > 1 ? std::size_t(a.stride[d]) : 1; }

clfftStatus bake(const prism_provider_operation& what, cl_command_queue queue, baked& out) {
  const operand &in = what.operand[0], &to = what.operand[1];
  const int rank = in.rank - 1;
  std::size_t length[3], from_stride[3], to_stride[3];
  for (int d = 0; d < rank; ++d) { // the dimension that is halved first
    const int of = rank - 1 - d;
    length[d] = std::size_t(std::max(in.extent[of], to.extent[of]));
    from_stride[d] = stride_of(in, of), to_stride[d] = stride_of(to, of);
  }
  const clfftDim dims = rank == 1 ? CLFFT_1D : rank == 2 ? CLFFT_2D : CLFFT_3D;
  const auto layout = [&](const operand& a) {
    return !is_complex(a)                     ? CLFFT_REAL
           : is_complex(in) && is_complex(to) ? CLFFT_COMPLEX_INTERLEAVED
                                              : CLFFT_HERMITIAN_INTERLEAVED;
  };
  calls all;
  all << clfftCreateDefaultPlan(&out.handle, out.context, dims, length);
  if (all.code != CLFFT_SUCCESS) return all.code;
  all << clfftSetPlanPrecision(out.handle, is_double(in) ? CLFFT_DOUBLE : CLFFT_SINGLE)
      << clfftSetLayout(out.handle, layout(in), layout(to))
      << clfftSetResultLocation(out.handle, out.in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE)
      << clfftSetPlanInStride(out.handle, dims, from_stride)
      << clfftSetPlanOutStride(out.handle, dims, to_stride)
      << clfftSetPlanDistance(out.handle, stride_of(in, rank), stride_of(to, rank))
      << clfftSetPlanBatchSize(out.handle, std::size_t(in.extent[rank]));
  for (const clfftDirection way : {CLFFT_FORWARD, CLFFT_BACKWARD})
    all << clfftSetPlanScale(out.handle, way, float(out.scale));
  all << clfftBakePlan(out.handle, 1, &queue, nullptr, nullptr);
  if (all.code == CLFFT_SUCCESS) all << clfftGetTmpBufSize(out.handle, &out.temporary);
  if (all.code != CLFFT_SUCCESS) clfftDestroyPlan(&out.handle);
  return all.code;
}

const baked* baked_for(const prism_provider_plan& plan, cl_command_queue queue, double scale, bool in_place,
                       std::string& wrong) {
  cl_context context = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr);
  for (const baked& each : plan.ready)
    if (each.context == context && each.scale == scale && each.in_place == in_place) return &each;
  baked made{context, scale, in_place, 0, 0};
  if (const clfftStatus code = bake(plan.what, queue, made); code != CLFFT_SUCCESS) {
    wrong = "clFFT made no plan: status " + std::to_string(int(code));
    return nullptr;
  }
  plan.ready.push_back(made);
  return &plan.ready.back();
}

/// An operand as an object of its own: itself, a sub-buffer, or a copy that `is_copy` says must be made.
struct placed {
  cl_mem source = nullptr, object = nullptr;
  std::size_t offset = 0, bytes = 0;
  bool is_copy = false;
};

placed place(const prism_provider_memory& m, std::size_t bytes, cl_command_queue queue, cl_context context,
             run_objects& keep) {
  placed out;
  out.source = static_cast<cl_mem>(m.object), out.offset = std::size_t(m.offset), out.bytes = bytes;
  if (out.offset == 0) return out.object = out.source, out;
  cl_mem parent = nullptr;
  std::size_t inside = 0;
  clGetMemObjectInfo(out.source, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &parent, nullptr);
  if (parent) clGetMemObjectInfo(out.source, CL_MEM_OFFSET, sizeof inside, &inside, nullptr);
  cl_device_id device = nullptr;
  cl_uint bits = 0;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, nullptr);
  clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, nullptr);
  const std::size_t alignment = std::max<std::size_t>(1, bits / 8);
  if ((out.offset + inside) % alignment == 0) {
    const cl_buffer_region region{out.offset + inside, out.bytes};
    out.object = keep.keep(
        clCreateSubBuffer(parent ? parent : out.source, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, nullptr));
    if (out.object) return out;
  }
  out.is_copy = true;
  out.object = keep.keep(clCreateBuffer(context, CL_MEM_READ_WRITE, out.bytes, nullptr, nullptr));
  return out;
}

const char* wrong_run(const prism_provider_plan& plan, const prism_provider_run& run) {
  if (const char* const wrong = wrong_transform_run(plan.what, run)) return wrong;
  if (double(float(run.alpha[0])) != run.alpha[0] && is_double(plan.what.operand[0]))
    return "clFFT's scales are floats, and this one is none";
  return nullptr;
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  if (const char* const wrong = wrong_run(*plan, *run)) return say(why, wrong), PRISM_INVALID;
  auto* queue = static_cast<cl_command_queue>(run->queue);
  const bool same = is_in_place(*run);
  const std::lock_guard lock(all_calls());
  std::string wrong;
  const baked* const ready = baked_for(*plan, queue, run->alpha[0], same, wrong);
  if (!ready) return say(why, wrong), PRISM_FAILED;
  run_objects keep;
  placed side[2];
  for (int i = 0; i < (same ? 1 : 2); ++i) {
    const std::size_t bytes = same ? std::max(span_of(plan->what.operand[0]), span_of(plan->what.operand[1]))
                                   : span_of(plan->what.operand[i]);
    side[i] = place(run->memory[i], bytes, queue, ready->context, keep);
    if (!side[i].object) return say(why, "no memory for a copy of an operand"), PRISM_OUT_OF_MEMORY;
  }
  cl_mem temporary = nullptr;
  if (ready->temporary != 0) {
    temporary =
        keep.keep(clCreateBuffer(ready->context, CL_MEM_READ_WRITE, ready->temporary, nullptr, nullptr));
    if (!temporary) return say(why, "no temporary memory"), PRISM_OUT_OF_MEMORY;
  }
  std::vector<cl_event> waits;
  for (std::uint32_t i = 0; i < run->wait_count; ++i) waits.push_back(static_cast<cl_event>(run->waits[i]));
  const auto list = [&] { return waits.empty() ? nullptr : waits.data(); };
  const auto then = [&](cl_event done) { keep.events.push_back(done), waits.assign(1, done); };
  for (const placed& each : side) {
    if (!each.is_copy) continue; // of the result too: it may have gaps, which keep their bytes
    cl_event done = nullptr;
    if (clEnqueueCopyBuffer(queue, each.source, each.object, each.offset, 0, each.bytes,
                            cl_uint(waits.size()), list(), &done) != CL_SUCCESS)
      return say(why, "clEnqueueCopyBuffer failed"), PRISM_FAILED;
    then(done);
  }
  cl_event done = nullptr;
  const clfftStatus code = clfftEnqueueTransform(
      ready->handle, plan->what.operation == PRISM_FFT ? CLFFT_FORWARD : CLFFT_BACKWARD, 1, &queue,
      cl_uint(waits.size()), list(), &done, &side[0].object, same ? nullptr : &side[1].object, temporary);
  if (code != CLFFT_SUCCESS)
    return say(why, "clfftEnqueueTransform returned status " + std::to_string(int(code))), PRISM_FAILED;
  const placed& result = side[same ? 0 : 1];
  if (result.is_copy) {
    then(done);
    if (clEnqueueCopyBuffer(queue, result.object, result.source, 0, result.offset, result.bytes, 1, list(),
                            &done) != CL_SUCCESS)
      return say(why, "clEnqueueCopyBuffer failed"), PRISM_FAILED;
  }
  if (run->done) *run->done = done;
  else clReleaseEvent(done);
  return PRISM_OK;
}

void drop(prism_provider_plan* plan) {
  {
    const std::lock_guard lock(all_calls());
    for (baked& each : plan->ready) clfftDestroyPlan(&each.handle);
  }
  delete plan;
}
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_OPENCL,
                                    "clfft",
                                    "1",
                                    "clFFT",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
