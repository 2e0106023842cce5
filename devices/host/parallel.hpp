// Distributes work over all cores; the only file that uses oneTBB's algorithms. oneTBB is not instrumented,
// so fiber_sanitizer.hpp reports its synchronisation to the thread sanitizer.
#pragma once

#include "devices/host/nodes.hpp"

#include <cstdint>
#include <functional>
#include <memory>

namespace prism::devices::host {

/// A limited number of the machine's threads, shared by several callers: work that runs inside, including its
/// parallel parts, never uses more threads at a time.
class thread_share {
public:
  explicit thread_share(unsigned threads);
  /// The threads of one NUMA node (numa_nodes()), bound to it.
  explicit thread_share(const numa_node& node);
  ~thread_share();
  /// Returns when `work` has returned; rethrows its exception.
  void run(const std::function<void()>& work);

private:
  struct arena;
  std::unique_ptr<arena> m_arena;
};

using range_part = void (*)(const void* owner, std::uint64_t begin, std::uint64_t end);

/// Calls part(owner, begin, end) for ranges that together cover [begin, end), on several threads; returns
/// when all have returned. An exception of a part cancels the parts that have not begun, and is thrown here.
/// On a machine with several NUMA nodes each node has its own part of the range (nodes.hpp).
void run_parallel(std::uint64_t begin, std::uint64_t end, range_part part, const void* owner);

/// Ends the moment for which the threads of the last run_parallel wait awake for the next one. For the begin
/// of work that has threads of its own.
void release_threads() noexcept;

/// Makes oneTBB load its allocator library now, on this thread; it would otherwise do so at first use. A
/// kernel that first used it would wait for the loader's lock; a thread inside dlclose that waits for that
/// very kernel may hold that lock.
void prepare_parallel();

/// run_parallel for a callable that takes (begin, end).
template <typename Part>
void parallel_for(std::uint64_t begin, std::uint64_t end, const Part& part) {
  run_parallel(begin, end, [](const void* owner, std::uint64_t b, std::uint64_t e) {
    (*static_cast<const Part*>(owner))(b, e);
  }, &part);
}

} // namespace prism::devices::host
