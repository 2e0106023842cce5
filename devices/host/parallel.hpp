// Work spread over all cores; the one place that uses oneTBB's algorithms. Part of what it does is known to
// the thread sanitizer only by its own word (fiber_sanitizer.hpp), because oneTBB is not instrumented.
#pragma once

#include "devices/host/nodes.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace prism::devices::host {

/// So many of the machine's threads, for all who share it: what runs inside of it, parallel parts too, is
/// never on more at a time.
class thread_share {
public:
  explicit thread_share(unsigned threads);
  /// Those of one NUMA node (numa_nodes()), bound to it.
  explicit thread_share(const numa_node& node);
  ~thread_share();
  /// Returns when `work` has; what it throws is thrown here.
  void run(const std::function<void()>& work);

private:
  struct arena;
  std::unique_ptr<arena> m_arena;
};

using range_part = void (*)(const void* owner, std::uint64_t begin, std::uint64_t end);

/// Calls part(owner, begin, end) for ranges that together are [begin, end), on several threads; returns when
/// all have returned. An exception of a part cancels those that have not begun and is thrown here. On a
/// machine of several NUMA nodes each node has its own part of the range (nodes.hpp).
void run_parallel(std::uint64_t begin, std::uint64_t end, range_part part, const void* owner);

/// oneTBB opens a library (its allocator) when it is first used. Here it does so now, on this thread: a
/// kernel that came first to it would wait for the loader's lock, which a thread holds that unloads this very
/// kernel and waits for it.
void prepare_parallel();

/// run_parallel for a callable taking (begin, end).
template <typename Part>
void parallel_for(std::uint64_t begin, std::uint64_t end, const Part& part) {
  run_parallel(begin, end, [](const void* owner, std::uint64_t b, std::uint64_t e) {
    (*static_cast<const Part*>(owner))(b, e);
  }, &part);
}

} // namespace prism::devices::host
