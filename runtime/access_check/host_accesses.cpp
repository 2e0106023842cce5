// Checks accesses of host code to memory of commands that no thread has waited for (PRISM_CHECK=access).
//
// The bytes of copies and fills are known, and for kernels the first byte of each pointer; these are checked
// by order alone. How far a kernel accesses memory from a pointer is not known. So the rest is checked when
// the kernel is complete: if the host read bytes that the kernel changed, that is an error, whichever came
// first.
#include "runtime/access_check/access_check.hpp"

#include <algorithm>
#include <cstring>

namespace prism::runtime {

namespace {

constexpr std::size_t most_touched = 1024; // first accesses recorded for a command
constexpr std::uint64_t most_snapshot_bytes = std::uint64_t{256} << 20; // total bytes of all snapshots

bool overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t other_begin, std::uint64_t other_end) {
  return begin < other_end && other_begin < end;
}

bool writes_there(const access_check::uses& used, const access_check::snapshot& of) {
  return used.unknown ||
         std::any_of(used.memory.begin(), used.memory.end(), [&](const access_check::memory_use& u) {
    return u.writes && overlap(u.open && u.base != 0 ? u.base : u.begin, u.end, of.begin, of.end());
  });
}

bool has_snapshot(const access_check::uses& used, const access_check::host_access& what) {
  return std::any_of(used.snapshots.begin(), used.snapshots.end(), [&](const access_check::snapshot& k) {
    return overlap(what.begin, what.end, k.begin, k.end());
  });
}

} // namespace

void access_check::look_at_host_code(const host_access& what) {
  const std::lock_guard lock(m_mutex);
  for (node& n : m_nodes) compare(n, what);
}

void access_check::compare(node& pending, const host_access& what) {
  for (const memory_use& use : pending.used.memory) {
    if ((!use.writes && !what.writes) || !overlap(what.begin, what.end, use.begin, use.end)) continue;
    if (!use.open || what.begin <= use.begin) return report(pending, use, what);
    if (!has_snapshot(pending.used, what)) continue;
    std::vector<host_access>& all = pending.touched;
    if (!all.empty() && all.back().location == what.location && all.back().writes == what.writes &&
        all.back().begin <= what.begin && what.begin <= all.back().end)
      all.back().end = std::max(all.back().end, what.end); // extends the previous access: a loop
    else if (all.size() < most_touched) all.push_back(what);
    else if (what.writes)
      pending.used.snapshots.clear(); // it is no longer known which side wrote which bytes
    return;
  }
}

void access_check::report(const node& pending, const memory_use& use, const host_access& what) {
  const std::string location = what.location != nullptr ? std::string(what.location) + ": " : std::string();
  report(location + "the host " + (what.writes ? "writes " : "reads ") +
         (use.base != 0 ? "USM" : "host memory") + " that " + pending.used.name +
         (use.writes ? " writes" : " reads") +
         ", before it knew that the command was complete: wait for the command first" +
         (pending.used.line.empty() ? std::string()
                                    : " (" + pending.used.name + ": " + pending.used.line + ")"));
}

/// Ensures that differences from a snapshot are writes of its own kernel: removes snapshots of memory that
/// other commands may write before or at the same time. If a later command that is ordered after the kernel
/// may write the memory too, the kernel's snapshot stays: a thread that waits for the later command waits for
/// both.
void access_check::prune_snapshots(node& fresh) {
  std::uint64_t bytes = 0;
  for (node& n : m_nodes) {
    std::erase_if(fresh.used.snapshots, [&](const snapshot& k) { return writes_there(n.used, k); });
    if (std::any_of(n.used.snapshots.begin(), n.used.snapshots.end(),
                    [&](const snapshot& k) { return writes_there(fresh.used, k); })) {
      if (!std::binary_search(fresh.before.begin(), fresh.before.end(), n.number)) n.used.snapshots.clear();
      n.touched.clear();
    }
    for (const snapshot& k : n.used.snapshots) bytes += k.bytes.size();
  }
  for (const snapshot& k : fresh.used.snapshots) bytes += k.bytes.size();
  if (fresh.used.unknown || bytes > most_snapshot_bytes) fresh.used.snapshots.clear();
}

void access_check::look_at_touched(const node& over) {
  std::vector<std::byte> now;
  for (const host_access& what : over.touched) {
    const auto is_same_memory = [&](const host_access& other) {
      return other.writes && overlap(what.begin, what.end, other.begin, other.end);
    };
    if (what.writes || std::any_of(over.touched.begin(), over.touched.end(), is_same_memory))
      continue; // the host itself may have changed it
    for (const snapshot& k : over.used.snapshots) {
      const std::uint64_t begin = std::max(what.begin, k.begin), end = std::min(what.end, k.end());
      if (begin >= end) continue;
      now.resize(end - begin);
      if (!read_memory(begin, now) ||
          std::memcmp(now.data(), k.bytes.data() + (begin - k.begin), now.size()) == 0)
        continue;
      const auto use = std::find_if(over.used.memory.begin(), over.used.memory.end(),
                                    [&](const memory_use& u) { return u.writes && u.begin == k.begin; });
      if (use != over.used.memory.end()) report(over, *use, what);
    }
  }
}

void access_check::record_used_range() {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  for (const node& n : m_nodes)
    for (const memory_use& u : n.used.memory) {
      begin = std::min(begin, u.begin);
      end = std::max(end, u.end);
    }
  host_code::watched_begin.store(begin, std::memory_order_relaxed);
  host_code::watched_end.store(end, std::memory_order_relaxed);
}

} // namespace prism::runtime
