// Before which commands of a queue a barrier must be: where one uses memory that the commands since the last
// barrier may have used otherwise, and nowhere else. What other submissions do to memory only the caller
// knows: it says up to which point of the queue a submission follows (queue::submit_after). Within one the
// ranges that copies and fills use are compared; a kernel may use everything. Pure: it records nothing
// itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace prism::devices::vulkan {

struct memory_use {
  const void* buffer = nullptr; // whose bytes are no other buffer's
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
};

class barrier_plan {
public:
  /// A submission begins that follows the queue's points up to `after`, of which `last` is the last.
  void begin(std::uint64_t after, std::uint64_t last) noexcept {
    m_last = last;
    m_pending = m_covered;
    m_needed = std::min(after, last) > m_covered;
    m_in_chain = after >= last && !m_needed;
    m_count = 0;
    m_everything = false;
  }
  /// The next command is behind something that no barrier of this queue was recorded for.
  void require() noexcept { m_needed = true; }

  /// Whether a barrier must be before the next command, which uses that, or everything when nothing is
  /// listed.
  bool add(std::span<const memory_use> uses) noexcept {
    const bool fits = uses.size() <= m_uses.size() - m_count;
    const bool before = m_needed || m_everything || !fits || (uses.empty() ? m_count > 0 : conflicts(uses));
    if (before) { // between all before and all that follows
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
  /// Whether it should end with a barrier, for the next one: it follows the one before, which did. In a chain
  /// that is one barrier for each either way, and this way the submission_batches has none to add.
  bool wants_closing() const noexcept { return m_in_chain; }
  /// The submission is the queue's point now; `closed`: it ends with a barrier.
  void end(std::uint64_t point, bool closed) noexcept { m_covered = closed ? point : m_pending; }

private:
  bool conflicts(std::span<const memory_use> uses) const noexcept {
    for (const memory_use& a : uses)
      for (const memory_use& b : std::span(m_uses).first(m_count))
        if ((a.writes || b.writes) && a.buffer == b.buffer && a.begin < b.end && b.begin < a.end) return true;
    return false;
  }

  std::uint64_t m_covered = 0; // points that lie before a barrier
  std::uint64_t m_pending = 0; // the same once the submission is made
  std::uint64_t m_last = 0;
  bool m_needed = false, m_everything = false, m_in_chain = false;
  std::array<memory_use, 32> m_uses; // since the last barrier of this submission
  std::size_t m_count = 0;
};

} // namespace prism::devices::vulkan
