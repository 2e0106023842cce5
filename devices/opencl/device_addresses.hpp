// Addresses of memory objects by cl_ext_buffer_device_address (1.0), for devices that have neither shared
// virtual memory nor unified shared memory. Kernels get and follow such addresses; copies and fills use the
// memory object. The host cannot access the memory.
#pragma once

#include "devices/opencl/loader.hpp"

#include <cstdint>
#include <vector>

namespace prism::devices::opencl {

// The extension's values, which Khronos' headers before 2025 lack.
inline constexpr cl_ulong mem_device_private_address = 0x5000; // a property of a new memory object: CL_TRUE
inline constexpr cl_mem_info mem_device_address = 0x5001;      // the address for each device of the context
inline constexpr cl_kernel_exec_info exec_info_device_pointers = 0x5002;

/// clSetKernelArgDevicePointerEXT; null if a platform's devices do not need it or lack a part of the
/// extension.
using set_device_pointer = cl_int(CL_API_CALL*)(cl_kernel kernel, cl_uint index, cl_ulong address);
set_device_pointer find_device_addresses(const entry_points& api, cl_platform_id platform,
                                         cl_device_id device);

struct addressed_buffer {
  memory_handle object;
  cl_ulong address = 0;
};
/// `devices`: all of the context, in its order. If the driver refuses, `code` is not CL_SUCCESS and the
/// result is empty.
addressed_buffer create_addressed_buffer(const entry_points& api, cl_context context,
                                         const std::vector<cl_device_id>& devices, cl_device_id device,
                                         std::uint64_t bytes, cl_int& code);

} // namespace prism::devices::opencl
