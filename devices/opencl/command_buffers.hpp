// cl_khr_command_buffer of one device, in versions 0.9.0 to 0.9.4: from 0.9.5 on the functions that record
// copies and fills have one more parameter. Declared here, because any version of the headers declares only
// the functions of that version. Constant once found.
#pragma once

#include "devices/opencl/loader.hpp"

namespace prism::devices::opencl {

struct cl_command_buffer;

struct command_buffer_calls {
  using sync_point = cl_uint;
  cl_command_buffer*(CL_API_CALL* create)(cl_uint, const cl_command_queue*, const std::uint64_t* properties,
                                          cl_int* code) = nullptr;
  cl_int(CL_API_CALL* finalize)(cl_command_buffer*) = nullptr;
  cl_int(CL_API_CALL* release)(cl_command_buffer*) = nullptr;
  cl_int(CL_API_CALL* enqueue)(cl_uint, cl_command_queue*, cl_command_buffer*, cl_uint, const cl_event*,
                               cl_event*) = nullptr;
  cl_int(CL_API_CALL* launch)(cl_command_buffer*, cl_command_queue, const std::uint64_t* properties,
                              cl_kernel, cl_uint dimensions, const std::size_t* offset,
                              const std::size_t* global, const std::size_t* local, cl_uint, const sync_point*,
                              sync_point*, void** mutable_handle) = nullptr;
  cl_int(CL_API_CALL* copy)(cl_command_buffer*, cl_command_queue, cl_mem from, cl_mem to,
                            std::size_t from_offset, std::size_t to_offset, std::size_t bytes, cl_uint,
                            const sync_point*, sync_point*, void** mutable_handle) = nullptr;
  cl_int(CL_API_CALL* copy_box)(cl_command_buffer*, cl_command_queue, cl_mem from, cl_mem to,
                                const std::size_t* from_origin, const std::size_t* to_origin,
                                const std::size_t* region, std::size_t from_row, std::size_t from_slice,
                                std::size_t to_row, std::size_t to_slice, cl_uint, const sync_point*,
                                sync_point*, void** mutable_handle) = nullptr;
  cl_int(CL_API_CALL* fill)(cl_command_buffer*, cl_command_queue, cl_mem, const void* pattern,
                            std::size_t width, std::size_t offset, std::size_t bytes, cl_uint,
                            const sync_point*, sync_point*, void** mutable_handle) = nullptr;

  std::string refusal; // why they cannot be used; the pointers are then null
};

/// Usable if a buffer may be enqueued again before its last execution has completed, on in-order queues
/// without further properties.
command_buffer_calls find_command_buffers(const entry_points& api, cl_platform_id platform,
                                          cl_device_id device);

} // namespace prism::devices::opencl
