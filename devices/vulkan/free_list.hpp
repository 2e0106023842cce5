// The free ranges of a block of memory: first fit, adjacent ranges are merged. The caller locks.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace prism::devices::vulkan {

class free_list {
public:
  /// Takes `bytes`; returns their offset. base + offset is a multiple of `alignment`, a power of two.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t base) {
    for (auto gap = m_gaps.begin(); gap != m_gaps.end(); ++gap) {
      const std::uint64_t begin = (base + gap->first + alignment - 1) / alignment * alignment - base;
      const std::uint64_t gap_begin = gap->first, end = gap->first + gap->second;
      if (begin > end || end - begin < bytes) continue;
      m_gaps.erase(gap);
      if (begin > gap_begin) m_gaps.emplace(gap_begin, begin - gap_begin);
      if (end > begin + bytes) m_gaps.emplace(begin + bytes, end - begin - bytes);
      return begin;
    }
    return std::nullopt;
  }

  void give(std::uint64_t offset, std::uint64_t bytes) {
    auto at = m_gaps.emplace(offset, bytes).first;
    if (const auto next = std::next(at); next != m_gaps.end() && at->first + at->second == next->first) {
      at->second += next->second;
      m_gaps.erase(next);
    }
    if (at == m_gaps.begin()) return;
    if (const auto before = std::prev(at); before->first + before->second == at->first) {
      before->second += at->second;
      m_gaps.erase(at);
    }
  }

  bool is_one_of(std::uint64_t bytes) const { return m_gaps.size() == 1 && m_gaps.begin()->second == bytes; }

private:
  std::map<std::uint64_t, std::uint64_t> m_gaps; // offset -> bytes
};

} // namespace prism::devices::vulkan
