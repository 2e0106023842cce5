// How much of a memory heap an allocation may still take. A pure function.
//
// With VK_EXT_memory_budget the driver says how much of the heap this process should use at most, which other
// programs lower, and how much it uses. Beyond that an allocation may succeed, but then it slows all programs
// down or is taken away. Without the extension only the heap's size is known.
#pragma once

#include <algorithm>
#include <cstdint>

namespace prism::devices::vulkan {

struct heap_use {
  std::uint64_t size = 0;    // of the heap
  std::uint64_t charged = 0; // by PRISM's device, whether or not the driver has counted it
  // VK_EXT_memory_budget, of this process; 0: not known
  std::uint64_t budget = 0, usage = 0;
};

constexpr std::uint64_t room_in(const heap_use& heap) noexcept {
  const std::uint64_t own = heap.size - std::min(heap.size, heap.charged);
  if (heap.budget == 0) return own;
  return std::min(own, heap.budget - std::min(heap.budget, heap.usage));
}

} // namespace prism::devices::vulkan
