// USM of kinds host and shared for devices whose addresses differ from the host's pointers, as on discrete
// GPUs. The device imports one piece of host memory, the window, once, and generated code adds one number,
// `delta`, to every address inside it (image::push_constants). All such allocations are ranges of the window.
// If the addresses are equal there is no window, and specialisation constant 5 removes the addition. Any
// thread.
#pragma once

#include "devices/vulkan/memory.hpp"

namespace prism::devices::vulkan {

class usm_window {
public:
  /// split: imports a second mapping of the same memory, so that delta is not 0 even if the driver retains
  /// host addresses (tests). Throws device_error if the driver refuses or no address space is left.
  usm_window(device& owner, std::uint64_t bytes, bool split);
  ~usm_window();
  usm_window(const usm_window&) = delete;

  std::byte* base() const noexcept { return m_base; }
  std::uint64_t size() const noexcept { return m_size; }
  std::uint64_t delta() const noexcept {
    return m_block->address() - reinterpret_cast<std::uint64_t>(m_base);
  }

  /// Throws device_error{out_of_memory}.
  range allocate(std::uint64_t bytes, std::uint64_t alignment);
  void free(const range& what) noexcept;

private:
  std::byte* map(int file, std::uint64_t alignment);
  void unmap() noexcept;

  struct mapping {
    void* at;
    std::uint64_t bytes;
  };
  std::vector<mapping> m_mappings;
  std::byte* m_base = nullptr;
  std::uint64_t m_size;
  std::unique_ptr<block> m_block;
  std::mutex m_mutex;
  free_list m_gaps;
};

} // namespace prism::devices::vulkan
