#include "devices/vulkan/staging_ring.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/timeline.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

namespace {
// Programs may have thousands of queues, most of which run little.
constexpr std::uint64_t first_capacity = 8u << 10;
}

staging_ring::~staging_ring() {
  while (!m_retired.empty()) m_device.memories().free(m_retired.pop().chunk);
  if (m_chunk.owner) m_device.memories().free(m_chunk);
}

bool staging_ring::fits(std::uint64_t bytes, std::uint64_t& begin) const noexcept {
  if (!m_capacity) return false;
  begin = m_head;
  if (begin % m_capacity + bytes > m_capacity)
    begin = round_up(begin, m_capacity); // a piece must not wrap around
  return begin + bytes - m_tail <= m_capacity;
}

void staging_ring::reclaim() {
  const auto completed = m_points.completed();
  while (!m_marks.empty() && m_marks.front().point <= completed) m_tail = m_marks.pop().head;
  while (!m_retired.empty() && m_retired.front().point <= completed)
    m_device.memories().free(m_retired.pop().chunk);
}

void staging_ring::grow(std::uint64_t bytes, std::uint64_t point) {
  std::uint64_t capacity = std::max(first_capacity, 2 * m_capacity);
  while (capacity < bytes) capacity *= 2;
  const auto bigger = m_device.memories().allocate(capacity, placement::host_coherent, 64);
  if (m_chunk.owner) m_retired.push({point, m_chunk});
  while (!m_marks.empty()) m_marks.pop();
  m_chunk = bigger;
  m_capacity = capacity;
  m_head = m_tail = 0;
}

staging_ring::piece staging_ring::take(std::uint64_t bytes, std::uint64_t point) {
  bytes = round_up(std::max<std::uint64_t>(bytes, 1), 16);
  std::uint64_t begin = 0;
  if (!fits(bytes, begin)) {
    reclaim();
    if (!fits(bytes, begin)) {
      grow(bytes, point);
      begin = 0;
    }
  }
  m_head = begin + bytes;
  if (!m_marks.empty() && m_marks.back().point == point) m_marks.back().head = m_head;
  else m_marks.push({point, m_head});
  const std::uint64_t at = begin % m_capacity;
  return {m_chunk.mapped() + at, m_chunk.buffer(), m_chunk.offset + at, m_chunk.address() + at};
}

} // namespace prism::devices::vulkan
