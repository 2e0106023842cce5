// Counts of Vulkan driver calls in this process, by the layer in layer.cpp: the functions that submit work
// and allocate memory. A test may also lower what the driver says of the memory that is left
// (VK_EXT_memory_budget).
#pragma once

#include <atomic>
#include <cstdint>

namespace prism_test {

struct vulkan_calls {
  std::atomic<std::uint64_t> submits, submitted_buffers; // vkQueueSubmit, and the command buffers in it
  std::atomic<std::uint64_t> barriers, dispatches;       // recorded, not run
  std::atomic<std::uint64_t> begun_buffers;              // vkBeginCommandBuffer
  std::atomic<std::uint64_t> allocated_bytes;            // of device memory
  std::atomic<std::uint64_t> used_bytes,
      most_used_bytes; // not yet freed, which is the budget's usage; the largest such number
  std::atomic<std::uint64_t> budget_bytes; // of each heap; 0: its size
  std::atomic<std::uint64_t> new_buffers, freed_buffers, new_pools, new_timelines, new_semaphores, new_fences;
};

inline constexpr const char* vulkan_calls_library = "libprism_vulkan_calls.so";
inline constexpr const char* vulkan_calls_symbol = "prism_test_vulkan_calls"; // a vulkan_calls

} // namespace prism_test
