// Processors for the threads that help with a launch. Linux wakes a thread on the processor where it ran
// last, or on that of the thread that wakes it, and on an idle one if that is taken. Kernels that save power,
// and those of virtual machines that use few processors, do not take an idle one, or wake all threads on one
// processor. A helper then waits for milliseconds until the launching thread sleeps.
//
// So each helper records where it ran. A launch gives a helper that would share a processor another one: it
// may run only there until it arrives or the launch ends, then wherever it might before. A helper that had a
// processor of its own and yet did not come shows such a kernel; then some launches place all helpers. A
// launch that places none costs a lock, two clock readings and two loads for each helper. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <sched.h>
#include <span>

namespace prism::devices::host {

/// What is known of a helper: where it ran last, and whether it ran in the last launch that waited for it.
struct helper_record {
  int processor;
  bool came;
  bool moves = false; // set by taken_processors: it needs a processor
};

/// The processors of the launching thread and of the helpers that need none. These are the ones that came the
/// last time and have one that no other thread of the launch is on; none if they are not `trusted` to wake
/// there.
cpu_set_t taken_processors(std::span<helper_record> helpers, int launching, bool trusted);

/// Where a helper that needs a processor may wake: on one of `usual` that is not taken, if possible where it
/// ran last; it is taken then. Without any such on all but the launching thread's. Nothing if there is no
/// other.
std::optional<cpu_set_t> processor_for(const helper_record& which, const cpu_set_t& usual, cpu_set_t& taken,
                                       int launching);

/// A thread that runs a part of a launch calls this before the part.
void helper_arrives() noexcept;

/// Exists while a launch of some parts waits for helpers; the launching thread makes it. Parts that it runs
/// itself are not a helper's.
class helpers_wanted {
public:
  explicit helpers_wanted(std::uint64_t parts) noexcept;
  ~helpers_wanted();
  helpers_wanted(const helpers_wanted&) = delete;
  helpers_wanted& operator=(const helpers_wanted&) = delete;

private:
  const std::uint64_t m_parts;
  bool m_moved = false;
  std::chrono::steady_clock::time_point m_begin;
};

} // namespace prism::devices::host
