// Instrumented host code reports its memory accesses (--check=access).
#pragma once

#include <atomic>
#include <cstdint>

namespace prism {

struct host_code_access {
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
  const char* location = nullptr; // "app.cpp:12:5"; null: not known
};
namespace host_code {
inline constinit std::atomic<bool> speaks{false}; // true after the first report
// An address range that contains all memory of commands that no thread has waited for, maintained while
// PRISM_CHECK=access is active.
inline constinit std::atomic<std::uint64_t> watched_begin{~std::uint64_t{0}}, watched_end{0};
} // namespace host_code
void look_at_host_code(const host_code_access& what);
/// Called before an access of host code. Costs two loads unless the address is in the range of unwaited
/// commands.
inline void host_code_uses(const host_code_access& what) {
  using namespace host_code;
  if (!speaks.load(std::memory_order_relaxed)) speaks.store(true, std::memory_order_relaxed);
  if (what.begin < watched_end.load(std::memory_order_relaxed) &&
      watched_begin.load(std::memory_order_relaxed) < what.end)
    look_at_host_code(what);
}

} // namespace prism
