// Host code that says what it accesses (--check=access).
#pragma once

#include <atomic>
#include <cstdint>

namespace prism {

struct host_code_access {
  std::uint64_t begin = 0, end = 0;
  bool writes = false;
  const char* place = nullptr; // "app.cpp:12:5"; null: not known
};
namespace host_code {
inline constinit std::atomic<bool> speaks{false}; // it has once
// Around all memory of commands that nobody has waited for, while PRISM_CHECK=access knows them.
inline constinit std::atomic<std::uint64_t> watched_begin{~std::uint64_t{0}}, watched_end{0};
} // namespace host_code
void look_at_host_code(const host_code_access& what);
/// Before an access of host code. Two loads where no command that nobody has waited for is near.
inline void host_code_uses(const host_code_access& what) {
  using namespace host_code;
  if (!speaks.load(std::memory_order_relaxed)) speaks.store(true, std::memory_order_relaxed);
  if (what.begin < watched_end.load(std::memory_order_relaxed) &&
      watched_begin.load(std::memory_order_relaxed) < what.end)
    look_at_host_code(what);
}

} // namespace prism
