#include "devices/host/nodes.hpp"

#include "devices/host_limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

namespace prism::devices::host {
namespace {

/// oneTBB's query loads hwloc, which takes milliseconds; a machine with one node does not need it.
bool may_have_several() {
  for (const char* name : {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT"})
    if (std::getenv(name) != nullptr) return true;
  return first_line("/sys/devices/system/node/online").find_first_of(",-") != std::string::npos;
}

std::vector<numa_node> find_nodes() {
  std::vector<numa_node> found;
  if (may_have_several())
    for (const tbb::numa_node_id id : tbb::info::numa_nodes())
      if (const int threads = tbb::info::default_concurrency(id); threads > 0)
        found.push_back({id, unsigned(threads)});
  if (found.size() < 2) return {{tbb::task_arena::automatic, unsigned(tbb::info::default_concurrency())}};
  return found;
}

std::uint64_t left(std::uint64_t next, std::uint64_t end) { return next < end ? end - next : 0; }

} // namespace

const std::vector<numa_node>& numa_nodes() {
  static const std::vector<numa_node> nodes = find_nodes();
  return nodes;
}

std::vector<index_range> shares_of(std::uint64_t begin, std::uint64_t end,
                                   const std::vector<numa_node>& nodes) {
  unsigned threads_left = 0;
  for (const numa_node& each : nodes) threads_left += each.threads;
  std::vector<index_range> shares;
  for (const numa_node& each : nodes) {
    const std::uint64_t count = end - begin, part = count / threads_left * each.threads +
                                                    count % threads_left * each.threads / threads_left;
    shares.push_back({begin, begin + part});
    begin += part;
    threads_left -= each.threads;
  }
  return shares;
}

shared_range::shared_range(std::uint64_t begin, std::uint64_t end, const std::vector<numa_node>& nodes)
    : m_count(nodes.size()), m_shares(std::make_unique<share[]>(nodes.size())) {
  const std::vector<index_range> shares = shares_of(begin, end, nodes);
  for (std::size_t i = 0; i < m_count; ++i) {
    m_shares[i].next = shares[i].begin;
    m_shares[i].end = shares[i].end;
    m_shares[i].threads = nodes[i].threads;
  }
}

/// Takes a quarter of the share that each thread of the node still has, so that parts shrink and the last
/// ones end at the same time.
bool shared_range::take_of(share& from, index_range& part) noexcept {
  std::uint64_t next = from.next.load(std::memory_order_relaxed);
  while (const std::uint64_t rest = left(next, from.end)) {
    const std::uint64_t count = std::max<std::uint64_t>(1, rest / (4ull * from.threads));
    if (!from.next.compare_exchange_weak(next, next + count, std::memory_order_relaxed)) continue;
    part = {next, next + count};
    return true;
  }
  return false;
}

bool shared_range::take(std::size_t node, index_range& part) noexcept {
  if (take_of(m_shares[node], part)) return true;
  for (;;) {
    share* fullest = nullptr;
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < m_count; ++i)
      if (const auto rest = left(m_shares[i].next.load(std::memory_order_relaxed), m_shares[i].end);
          rest > most) {
        most = rest;
        fullest = &m_shares[i];
      }
    if (fullest == nullptr) return false;
    if (take_of(*fullest, part)) return true;
  }
}

void shared_range::stop() noexcept {
  for (std::size_t i = 0; i < m_count; ++i)
    m_shares[i].next.store(m_shares[i].end, std::memory_order_relaxed);
}

} // namespace prism::devices::host
