// Unified shared memory by cl_intel_unified_shared_memory, for devices without fine-grained shared virtual
// memory. Host and shared allocations are then of this extension, and device allocations too if the device
// has no shared virtual memory at all.
#pragma once

#include "devices/opencl/loader.hpp"

namespace prism::devices::opencl {

/// What CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL and its like report for a kind of allocation.
inline constexpr cl_bitfield usm_access = 1, usm_concurrent_access = 4, usm_concurrent_atomics = 8;

/// The extension's functions; all null if a platform's devices do not need them or lack one.
struct usm_calls {
  clHostMemAllocINTEL_fn allocate_host = nullptr;
  clDeviceMemAllocINTEL_fn allocate_device = nullptr;
  clSharedMemAllocINTEL_fn allocate_shared = nullptr;
  clMemFreeINTEL_fn free = nullptr;
  clSetKernelArgMemPointerINTEL_fn set_argument = nullptr;
  clEnqueueMemFillINTEL_fn fill = nullptr;
  clEnqueueMemcpyINTEL_fn copy = nullptr;
  explicit operator bool() const noexcept { return free != nullptr; }
};
usm_calls find_usm_calls(const entry_points& api, cl_platform_id platform);

} // namespace prism::devices::opencl
