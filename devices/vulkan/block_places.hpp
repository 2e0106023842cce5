// The blocks of a device by their addresses, to find the buffer behind a pointer. `around` costs the
// logarithm of the number of blocks and takes a lock that all queues share; `enter` is linear in it. A queue
// keeps what it found in a pointer_cache, so that launches with the same pointers take no shared lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace prism::devices::vulkan {

class block;

/// Any thread.
class block_places {
public:
  void enter(std::uint64_t begin, std::uint64_t bytes, const block* what) {
    std::lock_guard lock(m_mutex);
    place made{begin + bytes, what, false};
    for (auto& [at, other] : m_places)
      if (at < made.end && begin < other.end) made.overlaps = other.overlaps = true;
    m_places.emplace(begin, made);
    m_changes.fetch_add(1, std::memory_order_release);
  }

  void leave(std::uint64_t begin, const block* what) noexcept {
    std::lock_guard lock(m_mutex);
    m_changes.fetch_add(1, std::memory_order_release);
    const auto [first, last] = m_places.equal_range(begin);
    for (auto each = first; each != last; ++each)
      if (each->second.what == what) return void(m_places.erase(each));
  }

  /// Null if there is none, or if memory of one block has ever been part of another (what a program hands
  /// over twice): then nothing says which of them the pointer's accesses stay in.
  const block* around(std::uint64_t address) const {
    std::shared_lock lock(m_mutex);
    const auto after = m_places.upper_bound(address);
    if (after == m_places.begin()) return nullptr;
    const place& found = std::prev(after)->second;
    return address < found.end && !found.overlaps ? found.what : nullptr;
  }

  /// How often a block came or went.
  std::uint64_t changes() const noexcept { return m_changes.load(std::memory_order_acquire); }

private:
  struct place {
    std::uint64_t end;
    const block* what;
    bool overlaps;
  };
  mutable std::shared_mutex m_mutex;
  std::multimap<std::uint64_t, place> m_places;
  std::atomic<std::uint64_t> m_changes{0};
};

/// The blocks around the last pointers that a queue launched kernels with. One thread at a time.
class pointer_cache {
public:
  const block* around(std::uint64_t address, const block_places& places) {
    if (const std::uint64_t changes = places.changes(); changes != m_changes) {
      for (entry& each : m_entries) each = {};
      m_changes = changes;
    }
    entry& cached = m_entries[(address >> 6 ^ address >> 14) % entries];
    if (cached.address != address || address == 0) cached = {address, places.around(address)};
    return cached.what;
  }

private:
  struct entry {
    std::uint64_t address = 0;
    const block* what = nullptr;
  };
  static constexpr std::size_t entries = 64;
  std::uint64_t m_changes = 0;
  entry m_entries[entries];
};

} // namespace prism::devices::vulkan
