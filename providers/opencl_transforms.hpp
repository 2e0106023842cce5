// What the providers of Fourier transforms on OpenCL share: the types of operands, what a device lacks, and
// whether a run is in place.
#pragma once

#include "kernels/provider/operation.hpp"

#include <CL/cl.h>

#include <cstdint>
#include <vector>

namespace prism_providers {

inline bool is_complex(const prism_provider_operand& a) { return (a.type & 0xff) == (PRISM_C32 & 0xff); }
inline bool is_double(const prism_provider_operand& a) { return (a.type & 0xff00) == (PRISM_F64 & 0xff00); }

inline bool has_double(const prism_provider_device& device) {
  cl_device_fp_config config = 0;
  return !device.device ||
         (clGetDeviceInfo(static_cast<cl_device_id>(device.device), CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config,
                          &config, nullptr) == CL_SUCCESS &&
          config != 0);
}

/// Why no such provider supports the operation; null if a provider may. `text` holds a reason that is made.
inline const char* transform_refusal(const prism_provider_device& device,
                                     const prism_provider_operation& what, std::string& text) {
  if (device.native != PRISM_NATIVE_OPENCL) return "it supports only OpenCL";
  text = prism::provider::contradiction_in(what);
  if (!text.empty()) return text.c_str();
  if (what.operation != PRISM_FFT && what.operation != PRISM_IFFT) return "it supports only fft and ifft";
  const prism_provider_operand& in = what.operand[0];
  if (!is_double(in) && (in.type & 0xff00) != (PRISM_F32 & 0xff00)) return "float and double";
  if (is_double(in) && !has_double(device)) return "the device has no double precision";
  if (what.compute != 0 && (what.compute & 0xff00) != (in.type & 0xff00))
    return "it computes in the operands' own type only";
  if (what.reproducible > PRISM_REPRODUCIBLE_SAME_THREADS)
    return "it guarantees equal results only on the same device";
  return nullptr;
}

/// Why elements or strides are not those of VkFFT and clFFT, or null. A dimension of one has no stride.
inline const char* wrong_strides(const prism_provider_operation& what) {
  for (int i = 0; i < 2; ++i)
    for (int d = 0; d < what.operand[i].rank; ++d) {
      if (what.operand[i].extent[d] == 0) return "no elements";
      if (what.operand[i].extent[d] > 1 && what.operand[i].stride[d] < 1)
        return "a stride that is not positive";
    }
  return nullptr;
}

/// Both operands may begin at the same element.
inline bool may_be_in_place(const prism_provider_operation& what) {
  const prism_provider_operand &in = what.operand[0], &out = what.operand[1];
  const std::int64_t from = is_complex(in) ? 2 : 1, to = is_complex(out) ? 2 : 1;
  for (int d = 0; d < in.rank; ++d) {
    const bool halved = d == in.rank - 2 && from != to;
    if (halved ? in.stride[d] != 1 || out.stride[d] != 1
               : in.extent[d] > 1 && in.stride[d] * from != out.stride[d] * to)
      return false;
  }
  return true;
}

inline bool is_in_place(const prism_provider_run& run) {
  return run.memory[0].object == run.memory[1].object && run.memory[0].offset == run.memory[1].offset;
}

/// Why a run is wrong, or null.
inline const char* wrong_transform_run(const prism_provider_operation& what, const prism_provider_run& run) {
  if (run.struct_size < sizeof run || run.native != PRISM_NATIVE_OPENCL) return "the plan is for OpenCL";
  if (!run.queue || !run.memory) return "there is no queue, or no operands";
  for (int i = 0; i < 2; ++i) {
    if (!run.memory[i].object) return "an operand is not a cl_mem";
    if (run.memory[i].offset % prism::provider::bytes_of_type(what.operand[i].type) != 0)
      return "an operand's offset is not a multiple of its element's size";
  }
  if (is_in_place(run) && !may_be_in_place(what))
    return "both operands begin at the same element with other strides";
  return nullptr;
}

/// Memory objects and events of one run; the driver keeps them until its commands are complete.
struct run_objects {
  std::vector<cl_mem> all;
  std::vector<cl_event> events;
  run_objects() = default;
  run_objects(const run_objects&) = delete;
  ~run_objects() {
    for (cl_mem each : all) clReleaseMemObject(each);
    for (cl_event each : events) clReleaseEvent(each);
  }
  cl_mem keep(cl_mem made) {
    if (made) all.push_back(made);
    return made;
  }
};

} // namespace prism_providers
