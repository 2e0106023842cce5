// The OpenCL library, opened at run time, so that PRISM starts on machines without it.
//
// `load` opens libOpenCL.so.1 once in a process and fills a table with the functions that the backend calls.
// The table is constant afterwards and lives until the process ends (drivers run threads, so the library is
// never closed). Functions of OpenCL 2.0 are null if the library predates them; capabilities decide whether
// they may be used.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // for clCreateCommandQueue, which drivers of every version have
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>
#include <utility>

namespace prism::devices::opencl {

// clang-format off
#define PRISM_OPENCL_REQUIRED(X) \
  X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) \
  X(clGetDeviceInfo) X(clCreateSubDevices) X(clReleaseDevice) \
  X(clCreateContext) X(clReleaseContext) \
  X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clFlush) X(clFinish) \
  X(clCreateBuffer) X(clReleaseMemObject) \
  X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clBuildProgram) \
  X(clReleaseProgram) X(clCompileProgram) X(clLinkProgram) \
  X(clGetProgramInfo) X(clGetProgramBuildInfo) \
  X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg) \
  X(clGetKernelInfo) X(clGetKernelArgInfo) X(clGetKernelWorkGroupInfo) \
  X(clEnqueueNDRangeKernel) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList) \
  X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer) \
  X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect) \
  X(clWaitForEvents) X(clGetEventInfo) X(clGetEventProfilingInfo) X(clSetEventCallback) \
  X(clRetainEvent) X(clReleaseEvent) X(clCreateUserEvent) X(clSetUserEventStatus) \
  X(clGetContextInfo) X(clGetCommandQueueInfo) X(clGetMemObjectInfo) \
  X(clRetainContext) X(clRetainCommandQueue) \
  X(clRetainMemObject) X(clRetainProgram) X(clRetainKernel)
#define PRISM_OPENCL_OPTIONAL(X) \
  X(clSVMAlloc) X(clSVMFree) X(clEnqueueSVMMemcpy) X(clEnqueueSVMMemFill) \
  X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo) \
  X(clGetExtensionFunctionAddressForPlatform) X(clCreateProgramWithIL) \
  X(clCreateBufferWithProperties)
// clang-format on

struct entry_points {
#define PRISM_OPENCL_MEMBER(name) decltype(&::name) name = nullptr;
  PRISM_OPENCL_REQUIRED(PRISM_OPENCL_MEMBER)
  PRISM_OPENCL_OPTIONAL(PRISM_OPENCL_MEMBER)
#undef PRISM_OPENCL_MEMBER
  bool has_svm_calls() const noexcept {
    return clSVMAlloc && clSVMFree && clEnqueueSVMMemcpy && clEnqueueSVMMemFill && clSetKernelArgSVMPointer &&
           clSetKernelExecInfo;
  }
};

struct load_result {
  const entry_points* api = nullptr; // null: see `reason`
  std::string reason;
};
const load_result& load();

/// Owns one reference to an OpenCL object.
template <typename Object, cl_int (*entry_points::*Release)(Object)>
class unique_handle {
public:
  unique_handle() = default;
  unique_handle(const entry_points& api, Object object) noexcept : m_api(&api), m_object(object) {}
  unique_handle(unique_handle&& other) noexcept : m_api(other.m_api), m_object(other.release()) {}
  unique_handle& operator=(unique_handle&& other) noexcept {
    if (this != &other) {
      reset();
      m_api = other.m_api;
      m_object = other.release();
    }
    return *this;
  }
  ~unique_handle() { reset(); }
  Object get() const noexcept { return m_object; }
  explicit operator bool() const noexcept { return m_object != nullptr; }
  Object release() noexcept { return std::exchange(m_object, nullptr); }
  void reset() noexcept {
    if (m_object) (m_api->*Release)(release());
  }

private:
  const entry_points* m_api = nullptr;
  Object m_object = nullptr;
};

using device_handle = unique_handle<cl_device_id, &entry_points::clReleaseDevice>;
using context_handle = unique_handle<cl_context, &entry_points::clReleaseContext>;
using queue_handle = unique_handle<cl_command_queue, &entry_points::clReleaseCommandQueue>;
using memory_handle = unique_handle<cl_mem, &entry_points::clReleaseMemObject>;
using program_handle = unique_handle<cl_program, &entry_points::clReleaseProgram>;
using kernel_handle = unique_handle<cl_kernel, &entry_points::clReleaseKernel>;
using event_handle = unique_handle<cl_event, &entry_points::clReleaseEvent>;

} // namespace prism::devices::opencl
