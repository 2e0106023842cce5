// Unified shared memory: allocations of devices, found by address.
#pragma once

#include "runtime/engine/device.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace prism {

/// Returns null when out of memory. Throws error{feature_not_supported} when the device lacks the kind.
void* usm_allocate(device_node& device, std::uint64_t bytes, std::uint64_t alignment,
                   devices::memory_kind kind, const void* context, bool promoted = false);
void usm_free(void* pointer,
              const void* context); // throws error{invalid} for a pointer that is not a live allocation
struct usm_info {
  devices::memory_kind kind;
  device_node* device;
  void* base;
  std::uint64_t bytes;
  const void* context;
};
std::optional<usm_info> usm_find(const void* pointer); // also for a pointer into an allocation
/// devices::memory::native of the allocation that contains the pointer; null if there is none.
void* usm_native(const void* pointer, std::string_view what);
/// The address of byte `offset` of a VkBuffer, if a live allocation of the context contains it; else null.
void* usm_of_vulkan_buffer(const void* buffer, std::uint64_t offset, const void* context);
/// Whether the pointer lies in an allocation that was freed and not reused since. False when that is not
/// certain.
bool usm_was_freed(const void* pointer);

} // namespace prism
