// The machine's NUMA nodes and the division of work among them. oneTBB finds the nodes and binds threads to
// them through hwloc, and so obeys hwloc's environment (HWLOC_SYNTHETIC and HWLOC_THISSYSTEM describe another
// machine to it).
//
// Memory belongs to the node whose thread first writes it. Every launch and every large copy therefore gives
// the same part of its range to the same node: what one wrote, the next finds near. Only who has done its own
// part helps with another's.
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
/// Those that this process may run on; one where the machine has one. Thread safe, the first call looks.
const std::vector<numa_node>& numa_nodes();

struct index_range {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const index_range&, const index_range&) = default;
};

/// [begin, end) in neighbouring parts, one a node in their order, each as large as the node's threads.
std::vector<index_range> shares_of(std::uint64_t begin, std::uint64_t end,
                                   const std::vector<numa_node>& nodes);

/// Hands out a range to the threads of all nodes, each index once. Thread safe, without locks.
class shared_range {
public:
  shared_range(std::uint64_t begin, std::uint64_t end, const std::vector<numa_node>& nodes);
  /// The next part for a thread of `node`: of its node's share while there is any, then of the share with
  /// most left. False: nothing is left.
  bool take(std::size_t node, index_range& part) noexcept;
  /// Nothing is handed out any more.
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
