// Freed device memory kept for the next allocation of its size: a driver's allocation costs microseconds to
// milliseconds, taking a cached one a lookup. Small allocations are pieces of larger blocks already (in the
// backends); this keeps whole memory objects. Bounded by bytes and by number, the longest unused go first;
// all go when the device is out of memory.
//
// What is cached is nobody's: a pointer into it is a freed pointer, which was_freed() tells for certain. Any
// thread; no driver call under the lock.
#pragma once

#include "devices/api/device.hpp"

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <vector>

namespace prism::memory {

class memory_pool {
public:
  /// Keeps at most `max_bytes` in total; 0 keeps nothing.
  memory_pool(devices::device& device, std::uint64_t max_bytes) : m_device(device), m_max_bytes(max_bytes) {}
  memory_pool(const memory_pool&) = delete;

  devices::device& device() const { return m_device; }

  /// Gives memory back to its pool.
  struct recycle {
    memory_pool* pool = nullptr; // null: destroys it
    void operator()(devices::memory* m) const noexcept;
  };
  using pooled = std::unique_ptr<devices::memory, recycle>;

  /// At least `bytes`, its contents are undefined. Throws device_error{out_of_memory}.
  pooled take(std::uint64_t bytes, devices::memory_kind kind, std::uint64_t alignment);
  /// Destroys all that is cached.
  void trim();
  bool was_freed(std::uint64_t address) const;
  std::uint64_t cached_bytes() const;

private:
  static constexpr std::size_t max_objects = 4096;
  struct cached {
    std::unique_ptr<devices::memory> object;
    std::uint64_t bytes, address;
  };
  using order = std::list<cached>; // the longest unused first
  using by_size = std::multimap<std::uint64_t, order::iterator>;

  std::unique_ptr<devices::memory> find(std::uint64_t bytes, devices::memory_kind kind,
                                        std::uint64_t alignment);
  void park(std::unique_ptr<devices::memory> object);
  std::unique_ptr<devices::memory> unlink(order::iterator at);
  by_size& index_of(devices::memory_kind kind) { return m_by_size[static_cast<std::size_t>(kind)]; }

  devices::device& m_device;
  const std::uint64_t m_max_bytes;
  mutable std::mutex m_mutex;
  order m_order;
  by_size m_by_size[4];                            // by kind
  std::map<std::uint64_t, std::uint64_t> m_ranges; // address -> bytes of what has an address
  std::uint64_t m_bytes = 0;
  std::atomic<std::size_t> m_with_address{0};
};

} // namespace prism::memory
