// The USM allocations of the process, found by any pointer into them. Readers run in parallel. Each thread
// caches its most recent results, because launches look up the same allocations again; a cache hit takes no
// lock and is validated by a counter that every insertion and removal increments.
#pragma once

#include "runtime/memory/memory_pool.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <shared_mutex>

namespace prism::memory {

struct usm_block {
  std::uint64_t base = 0, bytes = 0;
  devices::memory* object = nullptr;
  devices::memory_kind kind = devices::memory_kind::device;
  void* owner = nullptr;         // the device node
  const void* context = nullptr; // as passed at allocation
  bool promoted = false;         // fused kernels of a graph need not write their results to it
  friend bool operator==(const usm_block&, const usm_block&) = default;
};

class usm_registry {
public:
  /// The block must not overlap a live block.
  void insert(const usm_block& block, memory_pool::pooled memory);
  /// The block that contains `address`; its base is 0 if there is none.
  usm_block find(std::uint64_t address) const;
  /// A block for which `is_it` is true; its base is 0 if there is none. Takes time with the number of blocks.
  usm_block find_if(const std::function<bool(const usm_block&)>& is_it) const;
  /// Removes and returns the block that starts at `address`; null if there is none.
  memory_pool::pooled remove(std::uint64_t address);

  /// Incremented by every insertion and removal.
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
