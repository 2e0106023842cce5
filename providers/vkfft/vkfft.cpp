// VkFFT on OpenCL: transforms of float and double of any size, 1 to 3 dimensions, batches, in which a line's
// elements are contiguous. VkFFT writes its kernels for one shape and one context; a plan makes them at the
// first run that needs them, which takes as long as the driver's compiler does. So no time is predicted: it
// is used where it is pinned.
//
// VkFFT's passes wait for each other by the order of their queue, and share a plan's memory for
// intermediate values. So each plan has an in-order queue of its own, which waits for the run's events. VkFFT
// scales by 1 or by 1 / N; a kernel of this module multiplies by other scales.
#define CL_TARGET_OPENCL_VERSION 120
#define VKFFT_BACKEND 3
#include "providers/answers.hpp"
#include "providers/opencl_transforms.hpp"

#include <vkFFT.h>

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

/// Multiplies the reals of the result; the extents and strides are those of lines, planes and batches.
constexpr const char* scaling = R"(
kernel void scale(global REAL* a, ulong first, ulong lines, ulong planes, ulong line, ulong plane,
                  ulong batch, REAL by) {
  const ulong row = get_global_id(1);
  const ulong at = row % lines * line + row / lines % planes * plane + row / (lines * planes) * batch;
  a[first + at + get_global_id(0)] *= by;
}
)";

/// The dimensions of more than one point, in VkFFT's order: the contiguous one first. VkFFT has none of one
/// point.
struct dimensions {
  int rank = 0;
  int of[3]; // in the operands

  explicit dimensions(const prism_provider_operation& what) {
    const operand &in = what.operand[0], &out = what.operand[1];
    for (int d = in.rank - 2; d >= 0; --d)
      if (std::max(in.extent[d], out.extent[d]) > 1) of[rank++] = d;
  }
};

/// The shape of one operand in them. What is not there has one point, and a stride that is never used.
struct layout {
  std::uint64_t extent[3] = {1, 1, 1}, stride[3]; // of lines, planes and batches
  std::uint64_t batches;

  layout(const operand& a, const dimensions& all) : batches(std::uint64_t(a.extent[a.rank - 1])) {
    for (int d = 0; d < all.rank; ++d) extent[d] = std::uint64_t(a.extent[all.of[d]]);
    const std::uint64_t between = batches > 1 ? std::uint64_t(a.stride[a.rank - 1]) : 0;
    for (int d = 0; d < 3; ++d) {
      stride[d] = d + 1 < all.rank && extent[d + 1] > 1 ? std::uint64_t(a.stride[all.of[d + 1]]) : between;
      if (stride[d] == 0) stride[d] = d == 0 ? extent[0] : stride[d - 1] * extent[d];
    }
  }
};

/// Kernels for one context.
struct application {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_command_queue queue = nullptr;
  bool normalises = false;
  VkFFTApplication vkfft{};
  std::size_t scratch = 0; // bytes that the passes of a run share; 0 if there is one
  cl_program program = nullptr;
  cl_kernel scale = nullptr;

  application() = default;
  application(const application&) = delete;
  ~application() {
    if (scale) clReleaseKernel(scale);
    if (program) clReleaseProgram(program);
    if (queue) {
      clFinish(queue); // VkFFT frees the memory that its passes use
      deleteVkFFT(&vkfft);
      clReleaseCommandQueue(queue);
    }
    if (context) clReleaseContext(context);
  }
};

} // namespace

struct prism_provider_plan {
  prism_provider_operation what{};
  mutable std::vector<std::unique_ptr<application>> ready; // under all_calls
};

namespace {

const char* wrong_shape(const prism_provider_operation& what) {
  const operand &in = what.operand[0], &out = what.operand[1];
  const int last = in.rank - 2;
  if (const char* const wrong = wrong_strides(what)) return wrong;
  const dimensions all(what);
  const bool is_real = is_complex(in) != is_complex(out);
  if (all.rank == 0 || (is_real && all.of[0] != last)) return "a single point, or lines of reals of one";
  for (const operand* each : {&in, &out})
    if (each->extent[all.of[0]] > 1 && each->stride[all.of[0]] != 1)
      return "a last dimension whose elements are not contiguous";
  const std::int64_t line = std::max(in.extent[last], out.extent[last]);
  if (is_real && line % 2 != 0 && line > 1024) return "a transform of reals of an odd size above 1024";
  return nullptr;
}

const char* refusal(const prism_provider_device& device, const prism_provider_operation& what,
                    std::string& text) {
  if (const char* const why = transform_refusal(device, what, text)) return why;
  return wrong_shape(what);
}

prism_status open(prism_provider_state** state, const char** version, prism_message* why) {
  static const std::string number = [] {
    const int v = VkFFTGetVersion(); // 10226 is 1.2.26
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
  }();
  *version = number.c_str();
  *state = new (std::nothrow) prism_provider_state;
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
  auto made = std::unique_ptr<prism_provider_plan>(new (std::nothrow) prism_provider_plan);
  if (!made) return say(why, "no memory"), PRISM_OUT_OF_MEMORY;
  made->what = *what;
  *out = made.release();
  return PRISM_OK;
}

VkFFTConfiguration configured(const prism_provider_operation& what, application& made) {
  const operand &in = what.operand[0], &out = what.operand[1];
  const dimensions all(what);
  const layout from(in, all), to(out, all);
  VkFFTConfiguration c{};
  c.FFTdim = std::uint64_t(all.rank);
  for (int d = 0; d < 3; ++d) c.size[d] = std::max(from.extent[d], to.extent[d]);
  c.device = &made.device, c.context = &made.context;
  c.numberBatches = from.batches;
  c.doublePrecision = is_double(in);
  c.performR2C = is_complex(in) != is_complex(out);
  c.normalize = made.normalises;
  c.useLUT = 1; // sines of the device may be less exact
  (what.operation == PRISM_FFT ? c.makeForwardPlanOnly : c.makeInversePlanOnly) = 1;
  c.isInputFormatted = c.isOutputFormatted = c.specifyOffsetsAtLaunch = 1;
  std::uint64_t packed = c.performR2C ? c.size[0] / 2 + 1 : c.size[0];
  for (int d = 0; d < 3; ++d) {
    c.inputBufferStride[d] = from.stride[d], c.outputBufferStride[d] = to.stride[d];
    c.bufferStride[d] = packed;
    if (d < 2) packed *= c.size[d + 1];
  }
  const std::uint64_t most =
      std::max({packed * c.numberBatches, from.stride[2] * from.batches, to.stride[2] * to.batches});
  c.useUint64 = most > (std::uint64_t(1) << 30);
  return c;
}

/// Null, and why.
std::unique_ptr<application> make(const prism_provider_operation& what, cl_command_queue queue,
                                  bool normalises, std::string& wrong) {
  auto made = std::make_unique<application>();
  made->normalises = normalises;
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &made->context, nullptr);
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &made->device, nullptr);
  clRetainContext(made->context);
  const VkFFTConfiguration c = configured(what, *made);
  if (const VkFFTResult code = initializeVkFFT(&made->vkfft, c); code != VKFFT_SUCCESS) {
    wrong = "VkFFT made no plan: result " + std::to_string(int(code));
    return nullptr;
  }
  cl_int code = CL_SUCCESS;
  made->queue = clCreateCommandQueue(made->context, made->device, 0, &code);
  if (!made->queue) {
    deleteVkFFT(&made->vkfft);
    wrong = "clCreateCommandQueue returned " + std::to_string(code);
    return nullptr;
  }
  const VkFFTPlan* const passes =
      what.operation == PRISM_FFT ? made->vkfft.localFFTPlan : made->vkfft.localFFTPlan_inverse;
  if (c.FFTdim > 1 || passes->numAxisUploads[0] > 1 || passes->multiUploadR2C ||
      made->vkfft.useBluesteinFFT[0])
    made->scratch = std::size_t(c.bufferStride[2] * c.numberBatches) * (c.doublePrecision ? 16 : 8);
  return made;
}

application* application_for(const prism_provider_plan& plan, cl_command_queue queue, bool normalises,
                             std::string& wrong) {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, nullptr);
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, nullptr);
  for (const auto& each : plan.ready)
    if (each->context == context && each->device == device && each->normalises == normalises)
      return each.get();
  auto made = make(plan.what, queue, normalises, wrong);
  if (!made) return nullptr;
  plan.ready.push_back(std::move(made));
  return plan.ready.back().get();
}

/// Multiplies the result on the application's queue. Returns what failed, or null.
const char* submit_scale(application& with, const prism_provider_operation& what,
                         const prism_provider_memory& memory, double by) {
  const operand& result = what.operand[1];
  const bool in_double = is_double(result);
  if (!with.scale) {
    const char* text = scaling;
    with.program = clCreateProgramWithSource(with.context, 1, &text, nullptr, nullptr);
    if (!with.program) return "clCreateProgramWithSource failed";
    if (clBuildProgram(with.program, 1, &with.device, in_double ? "-DREAL=double" : "-DREAL=float", nullptr,
                       nullptr) != CL_SUCCESS)
      return "the driver does not build the kernel that scales";
    with.scale = clCreateKernel(with.program, "scale", nullptr);
    if (!with.scale) return "clCreateKernel failed";
  }
  const layout of(result, dimensions(what));
  const cl_ulong reals = is_complex(result) ? 2 : 1, bytes = in_double ? 8 : 4;
  const cl_ulong numbers[] = {cl_ulong(memory.offset) / bytes,
                              of.extent[1],
                              of.extent[2],
                              of.stride[0] * reals,
                              of.stride[1] * reals,
                              of.stride[2] * reals};
  auto* object = static_cast<cl_mem>(memory.object);
  const auto narrow = float(by);
  cl_int code = clSetKernelArg(with.scale, 0, sizeof object, &object);
  for (cl_uint i = 0; i < 6; ++i) code |= clSetKernelArg(with.scale, 1 + i, sizeof numbers[i], &numbers[i]);
  code |= in_double ? clSetKernelArg(with.scale, 7, sizeof by, &by)
                    : clSetKernelArg(with.scale, 7, sizeof narrow, &narrow);
  const std::size_t items[] = {std::size_t(of.extent[0] * reals),
                               std::size_t(of.extent[1] * of.extent[2] * of.batches)};
  if (code != CL_SUCCESS || clEnqueueNDRangeKernel(with.queue, with.scale, 2, nullptr, items, nullptr, 0,
                                                   nullptr, nullptr) != CL_SUCCESS)
    return "the kernel that scales was not launched";
  return nullptr;
}

/// All commands of a run, on the application's queue. Returns what failed; empty if nothing did.
std::string submit(application& with, const prism_provider_operation& what, const prism_provider_run& run,
                   cl_mem scratch, double scale) {
  cl_mem side[2] = {static_cast<cl_mem>(run.memory[0].object), static_cast<cl_mem>(run.memory[1].object)};
  cl_mem between = scratch ? scratch : side[1];
  VkFFTLaunchParams launch{};
  launch.commandQueue = &with.queue;
  launch.inputBuffer = &side[0], launch.outputBuffer = &side[1], launch.buffer = &between;
  launch.inputBufferOffset = std::uint64_t(run.memory[0].offset);
  launch.outputBufferOffset = std::uint64_t(run.memory[1].offset);
  launch.bufferOffset = scratch ? 0 : launch.outputBufferOffset;
  const int direction = what.operation == PRISM_FFT ? -1 : 1;
  if (const VkFFTResult code = VkFFTAppend(&with.vkfft, direction, &launch); code != VKFFT_SUCCESS)
    return "VkFFTAppend returned " + std::to_string(int(code));
  if (scale == 1) return {};
  const char* const wrong = submit_scale(with, what, run.memory[1], scale);
  return wrong ? wrong : "";
}

prism_status run(const prism_provider_plan* plan, const prism_provider_run* run, prism_message* why) {
  const prism_provider_operation& what = plan->what;
  if (const char* const wrong = wrong_transform_run(what, *run)) return say(why, wrong), PRISM_INVALID;
  auto* queue = static_cast<cl_command_queue>(run->queue);
  double points = 1;
  for (int d = 0; d + 1 < what.operand[0].rank; ++d)
    points *= double(std::max(what.operand[0].extent[d], what.operand[1].extent[d]));
  const bool normalises = what.operation == PRISM_IFFT && run->alpha[0] == 1 / points && points > 1;
  const std::lock_guard lock(all_calls());
  std::string wrong;
  application* const with = application_for(*plan, queue, normalises, wrong);
  if (!with) return say(why, wrong), PRISM_FAILED;
  run_objects keep;
  cl_mem scratch = nullptr;
  if (with->scratch != 0) {
    scratch = keep.keep(clCreateBuffer(with->context, CL_MEM_READ_WRITE, with->scratch, nullptr, nullptr));
    if (!scratch) return say(why, "no temporary memory"), PRISM_OUT_OF_MEMORY;
  }
  // The plan's queue begins after the run's events, and after what came before on an in-order queue.
  std::vector<cl_event> waits;
  for (std::uint32_t i = 0; i < run->wait_count; ++i) waits.push_back(static_cast<cl_event>(run->waits[i]));
  const auto then = [&](cl_command_queue on, std::size_t count, const cl_event* events) {
    cl_event made = nullptr;
    if (clEnqueueBarrierWithWaitList(on, cl_uint(count), events, &made) != CL_SUCCESS) return cl_event();
    keep.events.push_back(made);
    return made;
  };
  const cl_event begun = then(queue, waits.size(), waits.empty() ? nullptr : waits.data());
  if (!begun || clFlush(queue) != CL_SUCCESS || !then(with->queue, 1, &begun))
    return say(why, "clEnqueueBarrierWithWaitList failed"), PRISM_FAILED;
  wrong = submit(*with, what, *run, scratch, normalises ? 1 : run->alpha[0]);
  const cl_event ended = then(with->queue, 0, nullptr);
  if (!ended || clFlush(with->queue) != CL_SUCCESS) wrong = "clEnqueueBarrierWithWaitList failed";
  if (!wrong.empty()) return say(why, wrong), PRISM_FAILED;
  const cl_event done = then(queue, 1, &ended);
  if (!done) return say(why, "clEnqueueBarrierWithWaitList failed"), PRISM_FAILED;
  if (run->done) {
    clRetainEvent(done);
    *run->done = done;
  }
  return PRISM_OK;
}

void drop(prism_provider_plan* plan) {
  const std::lock_guard lock(all_calls());
  delete plan;
}
void close(prism_provider_state* state) { delete state; }

} // namespace

extern "C" __attribute__((visibility("default"))) const prism_provider* prism_provider_entry() {
  static const prism_provider table{sizeof(prism_provider),
                                    PRISM_PROVIDER_ABI,
                                    1u << PRISM_NATIVE_OPENCL,
                                    "vkfft",
                                    "1",
                                    "VkFFT",
                                    open,
                                    query,
                                    plan,
                                    run,
                                    drop,
                                    close};
  return &table;
}
