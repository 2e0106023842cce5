// Host-visible memory of one queue for captured blocks, fill patterns and staged copies. Memory taken for a
// point is free again when the point has completed; launches in flight never share bytes. Grows by doubling,
// never shrinks. One thread at a time.
#pragma once

#include "devices/vulkan/fifo.hpp"
#include "devices/vulkan/memory.hpp"

namespace prism::devices::vulkan {

class timeline;

class staging_ring {
public:
  struct piece {
    std::byte* host = nullptr;
    VkBuffer buffer = VK_NULL_HANDLE;
    std::uint64_t offset = 0, address = 0;
  };

  staging_ring(device& owner, const timeline& points) : m_device(owner), m_points(points) {}
  ~staging_ring();

  /// Takes 16-byte aligned memory for the submission that will be `point`. Throws
  /// device_error{out_of_memory}.
  piece take(std::uint64_t bytes, std::uint64_t point);

private:
  struct mark {
    std::uint64_t point = 0, head = 0;
  };
  struct retired {
    std::uint64_t point = 0;
    range chunk;
  };
  bool fits(std::uint64_t bytes, std::uint64_t& begin) const noexcept;
  void reclaim();
  void grow(std::uint64_t bytes, std::uint64_t point);

  device& m_device;
  const timeline& m_points;
  range m_chunk;
  std::uint64_t m_capacity = 0;
  std::uint64_t m_head = 0, m_tail = 0; // always rising; modulo the capacity they are offsets
  fifo<mark> m_marks;
  fifo<retired> m_retired;
};

} // namespace prism::devices::vulkan
