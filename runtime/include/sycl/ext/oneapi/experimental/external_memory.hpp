// The part of sycl_ext_oneapi_bindless_images that imports memory of other programs: an allocation of Vulkan,
// made in this process or another, becomes USM of kind device. <prism/export_memory.hpp> is the other
// direction. The device needs aspect::ext_oneapi_external_memory_import, otherwise import_external_memory
// throws errc::feature_not_supported with the names of the driver and of what it lacks. Any thread.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/queue.hpp>

#include <cstddef>
#include <cstdint>

namespace sycl {
inline namespace _V1 {
namespace ext {
namespace oneapi {
namespace experimental {

enum class external_mem_handle_type { opaque_fd = 0 };

struct resource_fd {
  int file_descriptor;
};

/// `size_in_bytes` is the size of the whole allocation, as the program that made it passed it to its driver.
template <typename Resource>
struct external_mem_descriptor {
  Resource external_resource;
  external_mem_handle_type handle_type;
  std::size_t size_in_bytes;
};

struct external_mem {
  using raw_handle_type = void*;
  raw_handle_type raw_handle = nullptr;
};

/// The descriptor must come from the driver of the device, and from the same device of it. PRISM closes it,
/// unless this throws: errc::invalid if the driver does not accept it.
external_mem import_external_memory(external_mem_descriptor<resource_fd> from, const device& on,
                                    const context& in);
/// USM of kind device, valid until release_external_memory. Throws errc::invalid for a part that is not in
/// the memory.
void* map_external_linear_memory(external_mem memory, std::uint64_t offset, std::uint64_t bytes,
                                 const device& on, const context& in);
/// Throws errc::invalid for a pointer that is not mapped. The memory stays imported.
void unmap_external_linear_memory(void* mapped, const device& on, const context& in);
/// Waits for the device's work first.
void release_external_memory(external_mem memory, const device& on, const context& in);

inline external_mem import_external_memory(external_mem_descriptor<resource_fd> from, const queue& on) {
  return import_external_memory(from, on.get_device(), on.get_context());
}
inline void* map_external_linear_memory(external_mem memory, std::uint64_t offset, std::uint64_t bytes,
                                        const queue& on) {
  return map_external_linear_memory(memory, offset, bytes, on.get_device(), on.get_context());
}
inline void unmap_external_linear_memory(void* mapped, const queue& on) {
  unmap_external_linear_memory(mapped, on.get_device(), on.get_context());
}
inline void release_external_memory(external_mem memory, const queue& on) {
  release_external_memory(memory, on.get_device(), on.get_context());
}

}
}
}
}
} // namespace sycl::_V1::ext::oneapi::experimental

#include <sycl/detail/user_macros_restore.hpp>
