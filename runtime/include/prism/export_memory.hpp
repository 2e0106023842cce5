// Device memory that other programs may use: a Vulkan renderer, another process. It is USM of kind device in
// every other respect.
//
//   auto* field = static_cast<float*>(prism::malloc_exportable(bytes, queue));
//   const prism::exported_memory shared = prism::export_memory(field, queue);
//   ... vkAllocateMemory with VkImportMemoryFdInfoKHR{shared.descriptor}, shared.bytes, shared.memory_type
//   ... sycl::free(field, queue);
//
// The device needs aspect::ext_oneapi_exportable_device_mem, otherwise both functions throw
// errc::feature_not_supported with the names of the driver and of what it lacks. PRISM orders nothing between
// the programs: wait for the queue before the other program uses the memory. Any thread. An import:
// <sycl/ext/oneapi/experimental/external_memory.hpp>.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/oneapi/experimental/external_semaphore.hpp>
#include <sycl/queue.hpp>

#include <cstddef>
#include <cstdint>

namespace prism {

struct exported_memory {
  int descriptor = -1;           // close it, unless an import took it over
  std::size_t bytes = 0;         // of the whole allocation: the import states this size
  std::uint32_t memory_type = 0; // its index: an import by Vulkan states it
};

/// Null when out of memory. Freed by sycl::free; imports by others stay valid.
void* malloc_exportable(std::size_t bytes, const sycl::queue& on);
/// A new descriptor for the allocation. Throws sycl::exception with errc::invalid for another pointer.
exported_memory export_memory(const void* allocation, const sycl::queue& on);

/// A semaphore that other programs may import, for the same commands as an imported one; release it in the
/// same way. Throws errc::feature_not_supported as import_external_semaphore.
sycl::ext::oneapi::experimental::external_semaphore
make_exportable_semaphore(sycl::ext::oneapi::experimental::external_semaphore_handle_type type,
                          const sycl::queue& on);
/// A new descriptor; close it, unless an import took it over. Throws errc::invalid for an imported semaphore.
int export_semaphore(sycl::ext::oneapi::experimental::external_semaphore what, const sycl::queue& on);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
