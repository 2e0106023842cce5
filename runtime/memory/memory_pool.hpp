// Caches freed device memory for later allocations of similar size. A driver's allocation takes microseconds
// to milliseconds, one from the cache only a lookup. Backends already sub-allocate small allocations from
// larger blocks; this class caches whole memory objects. It is bounded in bytes and number of objects; the
// objects freed longest ago are destroyed first. If the device is out of memory, all are destroyed. What is
// in use and what is cached stay together within the device's budget.
//
// A pointer into cached memory is a dangling pointer; was_freed() detects it reliably. Any thread; calls no
// driver while it holds its lock.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/memory/memory_budget.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <vector>

namespace prism::memory {

class memory_pool {
public:
  /// Caches at most `max_bytes`; 0 disables the cache. `limit`: of the budget; 0: none.
  memory_pool(devices::device& device, std::uint64_t max_bytes, std::uint64_t limit = 0)
      : m_device(device), m_max_bytes(max_bytes), m_budget(limit) {}
  memory_pool(const memory_pool&) = delete;

  devices::device& device() const { return m_device; }
  memory_budget& budget() { return m_budget; }

  /// Deleter that returns memory to its pool.
  struct recycle {
    memory_pool* pool = nullptr; // null: destroys it
    void operator()(devices::memory* m) const noexcept;
  };
  using pooled = std::unique_ptr<devices::memory, recycle>;
  /// Whether an object of `bytes` serves an allocation of `wanted`: as large, and not much larger.
  static bool serves(std::uint64_t bytes, std::uint64_t wanted) {
    return bytes >= wanted && bytes <= largest_for(wanted);
  }

  /// Returns memory of at least `bytes` bytes with undefined contents. Throws device_error{out_of_memory},
  /// also if the bytes exceed the budget.
  pooled take(std::uint64_t bytes, devices::memory_kind kind, std::uint64_t alignment);
  /// Destroys all cached memory.
  void trim();
  /// From now on nothing is given again, or freed before the pool is: commands of a lost device may use it.
  void retain_all();
  bool was_freed(std::uint64_t address) const;
  std::uint64_t cached_bytes() const;

private:
  static constexpr std::size_t max_objects = 4096;
  struct cached {
    std::unique_ptr<devices::memory> object;
    std::uint64_t bytes, address;
  };
  using order = std::list<cached>; // freed longest ago first
  static std::uint64_t largest_for(std::uint64_t bytes) {
    return bytes + std::max<std::uint64_t>(64, bytes / 8);
  }
  using by_size = std::multimap<std::uint64_t, order::iterator>;

  std::unique_ptr<devices::memory> find(std::uint64_t bytes, devices::memory_kind kind,
                                        std::uint64_t alignment);
  pooled create(std::uint64_t bytes, devices::memory_kind kind, std::uint64_t alignment);
  void cache(std::unique_ptr<devices::memory> object);
  /// Destroys the objects freed longest ago until at most `bytes` are cached.
  void trim_to(std::uint64_t bytes);
  std::unique_ptr<devices::memory> unlink(order::iterator at);
  by_size& index_of(devices::memory_kind kind) { return m_by_size[static_cast<std::size_t>(kind)]; }

  devices::device& m_device;
  const std::uint64_t m_max_bytes;
  memory_budget m_budget;
  mutable std::mutex m_mutex;
  order m_order, m_retained;                       // m_retained: by retain_all, until the pool is destroyed
  by_size m_by_size[4];                            // by kind
  std::map<std::uint64_t, std::uint64_t> m_ranges; // address -> bytes, for memory with an address
  std::uint64_t m_bytes = 0;
  std::atomic<std::size_t> m_with_address{0};
  std::atomic<bool> m_retains_all{false};
};

} // namespace prism::memory
