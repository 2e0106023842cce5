// The memory objects of OpenCL and Vulkan over USM, for programs that call these drivers themselves.
//
//   const prism::native_memory x = prism::native_memory_of(field, queue);
//   clSetKernelArg(kernel, 0, sizeof(cl_mem), &x.object); // the field begins x.offset bytes into it
//
// The object lives as long as the allocation; a cl_mem can be retained to have it longer. A VkBuffer may have
// other allocations around this one. PRISM orders nothing between its commands and the program's own: wait
// for the queue, or use sycl::get_native of an event. Any thread.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

#include <cstdint>

namespace prism {

struct native_memory {
  void* object = nullptr;   // cl_mem, or VkBuffer of the device that sycl::get_native gives
  std::uint64_t offset = 0; // in bytes
};

/// The memory object over the allocation that contains `usm`, and the place of `usm` in it. Throws
/// sycl::exception: errc::invalid if no live allocation of the queue's context contains it,
/// errc::feature_not_supported, with the device's name, if the device's USM has no memory object.
native_memory native_memory_of(const void* usm, const sycl::queue& on);

/// The USM whose bytes the cl_mem has: its first byte. Null if its bytes are no live USM of the
/// queue's context. Throws errc::invalid for null and for an object of another OpenCL context,
/// errc::backend_mismatch for a queue of another backend.
void* usm_of_native_memory(void* object, const sycl::queue& on);

/// The inverse of native_memory_of(): the USM that has byte `what.offset` of the object, or null if that is
/// no live USM of the queue's context. Throws as the function above; for queues of OpenCL and Vulkan.
void* usm_of_native_memory(const native_memory& what, const sycl::queue& on);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
