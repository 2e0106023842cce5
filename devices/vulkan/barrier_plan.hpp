// Decides which commands of a queue need a barrier before them: a command gets one only if it may conflict
// with a memory use since the last barrier. Only the caller knows which memory other submissions use, so it
// states the point of the queue that a submission must follow (queue::submit_after). Within a submission this
// compares the ranges that copies and fills use; a kernel may use everything. Pure: it records no commands.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace prism::devices::vulkan {

struct memory_use {
  const void* buffer = nullptr; // different buffers share no bytes
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
};

class barrier_plan {
public:
  /// Begins a submission that must follow the queue's points up to `after`; `last` is the queue's last point.
  void begin(std::uint64_t after, std::uint64_t last) noexcept {
    m_last = last;
    m_pending = m_covered;
    m_needed = std::min(after, last) > m_covered;
    m_in_chain = after >= last && !m_needed;
    m_count = 0;
    m_everything = false;
  }
  /// The next command must follow work that no barrier of this queue covers.
  void require() noexcept { m_needed = true; }

  /// Adds the next command, with its memory uses (empty: it may use everything). Returns whether it needs a
  /// barrier before it.
  bool add(std::span<const memory_use> uses) noexcept {
    const bool fits = uses.size() <= m_uses.size() - m_count;
    const bool before = m_needed || m_everything || !fits || (uses.empty() ? m_count > 0 : conflicts(uses));
    if (before) { // the barrier orders all commands before against all that follow
      m_needed = m_everything = false;
      m_count = 0;
      m_pending = m_last;
    }
    if (uses.empty() || uses.size() > m_uses.size()) m_everything = true;
    else
      m_count = static_cast<std::size_t>(std::copy(uses.begin(), uses.end(), m_uses.begin() + m_count) -
                                         m_uses.begin());
    return before;
  }
  /// Whether the submission should end with a barrier for the next one: true if it must follow the point
  /// before it, and that one ended with a barrier. In such a chain each submission needs one barrier in
  /// either case, and this way submission_batches has none to add.
  bool wants_closing() const noexcept { return m_in_chain; }
  /// The submission is now the queue's point `point`; `closed`: it ends with a barrier.
  void end(std::uint64_t point, bool closed) noexcept { m_covered = closed ? point : m_pending; }

private:
  bool conflicts(std::span<const memory_use> uses) const noexcept {
    for (const memory_use& a : uses)
      for (const memory_use& b : std::span(m_uses).first(m_count))
        if ((a.writes || b.writes) && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end) return true;
    return false;
  }

  std::uint64_t m_covered = 0; // points that a barrier covers
  std::uint64_t m_pending = 0; // the same once the submission is complete
  std::uint64_t m_last = 0;
  bool m_needed = false, m_everything = false, m_in_chain = false;
  std::array<memory_use, 32> m_uses; // since the last barrier of this submission
  std::size_t m_count = 0;
};

} // namespace prism::devices::vulkan
