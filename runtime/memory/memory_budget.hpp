// How much memory of a device the runtime may use, how much it uses, and which buffers have some of it.
// Counts what memory_pool hands out: buffers' allocations and USM. Host memory that a device uses in place is
// not counted.
//
// Any thread. The locks are leaves; a submission that needs no new allocation takes none of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace prism::memory {

/// The memory that buffers and USM of a device may use: what was asked for, what its driver reports and, for
/// a device in the host's memory, what the process may use of that, whichever is least. 0: not known; then
/// without a limit.
constexpr std::uint64_t least_memory_limit(std::uint64_t asked, std::uint64_t driver, bool in_host_memory,
                                           std::uint64_t host) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const std::uint64_t limit : {asked, driver, in_host_memory ? host : 0})
    if (limit != 0) least = std::min(least, limit);
  return least == ~std::uint64_t{0} ? 0 : least;
}

/// An owner of memory that may be moved to the host.
class resident {
public:
  virtual ~resident() = default;
};

class memory_budget {
public:
  /// `limit`: in bytes; 0: as much as the driver gives.
  explicit memory_budget(std::uint64_t limit) : m_limit(limit == 0 ? ~std::uint64_t{0} : limit) {}
  memory_budget(const memory_budget&) = delete;

  std::uint64_t limit() const { return m_limit; }
  std::uint64_t in_use() const { return m_in_use.load(std::memory_order_relaxed); }
  std::uint64_t available() const { return m_limit - std::min(in_use(), m_limit); }
  /// Counts the bytes; false, without a change, if they exceed the limit.
  bool charge(std::uint64_t bytes);
  /// A driver gave more than it was asked for.
  void charge_excess(std::uint64_t bytes) {
    m_in_use.fetch_add(bytes, std::memory_order_relaxed);
    note_change();
  }
  void give_back(std::uint64_t bytes) {
    m_in_use.fetch_sub(bytes, std::memory_order_relaxed);
    note_change();
  }
  /// What of it buffers use: their allocations, also while one passes to another buffer or back to the pool.
  std::uint64_t of_buffers() const { return m_of_buffers.load(std::memory_order_acquire); }
  void charge_to_buffers(std::uint64_t bytes) { m_of_buffers.fetch_add(bytes, std::memory_order_acq_rel); }
  void take_from_buffers(std::uint64_t bytes) { m_of_buffers.fetch_sub(bytes, std::memory_order_acq_rel); }
  /// Increases whenever memory is charged or given back, or passes between a buffer and a thread.
  std::uint64_t changes() const { return m_changes.load(std::memory_order_acquire); }

  /// Whether so much is used that it will matter which memory was needed last.
  bool is_tight() const { return in_use() > m_limit / 2 || m_had_to_wait.load(std::memory_order_relaxed); }
  void mark_tight() { m_had_to_wait.store(true, std::memory_order_relaxed); }
  /// Increases with each call, from 1.
  std::uint64_t tick() { return m_ticks.fetch_add(1, std::memory_order_relaxed) + 1; }

  /// Registers an owner. Call before its memory is charged, with the owner locked: a thread that then looks
  /// for the memory of all owners finds it, or sees that changes() has increased.
  void add(std::weak_ptr<resident> owner);
  /// The owners that still exist, each at least once.
  std::vector<std::shared_ptr<resident>> residents();

  /// Memory passed between a buffer and a thread: what was counted before may be wrong.
  void note_change() { m_changes.fetch_add(1, std::memory_order_acq_rel); }

private:
  const std::uint64_t m_limit;
  std::atomic<std::uint64_t> m_in_use{0}, m_of_buffers{0}, m_ticks{0}, m_changes{0};
  std::atomic<bool> m_had_to_wait{false};
  std::mutex m_mutex;
  std::vector<std::weak_ptr<resident>> m_residents;
  std::size_t m_prune_at = 64;
};

} // namespace prism::memory
