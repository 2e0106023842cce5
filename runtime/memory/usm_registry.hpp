// USM allocations of the process, found by any pointer into them. Readers run in parallel; a thread that asks
// for the same allocation again (the launch path does) gets it from a small cache of its own without a lock,
// validated by a counter that every insertion and removal raises.
#pragma once

#include "runtime/memory/memory_pool.hpp"

#include <atomic>
#include <map>
#include <shared_mutex>

namespace prism::memory {

struct usm_block {
  std::uint64_t base = 0, bytes = 0;
  devices::memory* object = nullptr;
  devices::memory_kind kind = devices::memory_kind::device;
  void* owner = nullptr;         // the device node
  const void* context = nullptr; // as given at allocation
  bool promoted = false;         // joined kernels of a graph need not leave their results in it
  friend bool operator==(const usm_block&, const usm_block&) = default;
};

class usm_registry {
public:
  /// The block's range overlaps no live block.
  void insert(const usm_block& block, memory_pool::pooled memory);
  /// The block that contains `address`; base 0 when there is none.
  usm_block find(std::uint64_t address) const;
  /// Takes out the block that starts at `address`; null when none starts there.
  memory_pool::pooled remove(std::uint64_t address);

  /// Rises with every insertion and removal.
  std::uint64_t generation() const noexcept { return m_generation.load(std::memory_order_acquire); }

private:
  struct entry {
    usm_block block;
    memory_pool::pooled memory;
  };
  mutable std::shared_mutex m_mutex;
  std::map<std::uint64_t, entry> m_blocks;
  std::atomic<std::uint64_t> m_generation{1};
};

} // namespace prism::memory
