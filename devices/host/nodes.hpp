// The machine's NUMA nodes and the division of work among them. oneTBB finds the nodes and binds threads to
// them through hwloc, so hwloc's environment variables apply (HWLOC_SYNTHETIC and HWLOC_THISSYSTEM describe
// another machine to it).
//
// Memory belongs to the node whose thread first writes it. So every launch and every large copy gives the
// same part of its range to the same node: a launch finds near what the launch before it wrote. A node helps
// with another node's part only after its own part is done.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace prism::devices::host {

struct numa_node {
  int id;           // oneTBB's
  unsigned threads; // of this process
};
/// The nodes that this process may run on; one if the machine has one. Thread safe; the first call finds
/// them.
const std::vector<numa_node>& numa_nodes();

struct index_range {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const index_range&, const index_range&) = default;
};

/// Divides [begin, end) into contiguous parts, one for each node in order, in proportion to the node's
/// threads.
std::vector<index_range> shares_of(std::uint64_t begin, std::uint64_t end,
                                   const std::vector<numa_node>& nodes);

/// Hands out a range to the threads of all nodes, each index once. Thread safe, lock-free.
class shared_range {
public:
  shared_range(std::uint64_t begin, std::uint64_t end, const std::vector<numa_node>& nodes);
  /// Gets the next part for a thread of `node`: from its node's share while there is any, then from the share
  /// with most left. False: nothing is left.
  bool take(std::size_t node, index_range& part) noexcept;
  /// From now on take() returns false.
  void stop() noexcept;

private:
  struct alignas(64) share {
    std::atomic<std::uint64_t> next;
    std::uint64_t end;
    unsigned threads;
  };
  static bool take_of(share& from, index_range& part) noexcept;

  std::size_t m_count;
  std::unique_ptr<share[]> m_shares;
};

} // namespace prism::devices::host
