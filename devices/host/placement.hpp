// Where the threads that help with a launch wake. Linux wakes a thread on the processor where it ran last,
// and on an idle one if that is taken. A kernel that packs the threads of a virtual machine on few processors
// (sched_vcpu_pack) wakes it on the processor of the launching thread, where it waits for milliseconds.
//
// Launches show whether the kernel does so: a helper that slept came late, or not at all. Then the next
// sleeps of each helper are on all processors but the one of its last launch: the helper sets its own
// affinity before it sleeps, and sets it back when it has work. No thread touches another one, and launches
// share no lock; where helpers come in time, no system call is made. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <sched.h>

namespace prism::devices::host {

/// A launch, for its helpers.
struct launch_times {
  bool slept;                                   // all helpers, when it began
  std::chrono::nanoseconds took;                // the work of all
  std::optional<std::chrono::nanoseconds> came; // when the first helper began
};

/// Whether a launch shows that helpers wake where they have to wait.
bool shows_packing(const launch_times& launch);

/// Records what a launch shows, for the next 64 sleeps.
void record_wake(const launch_times& launch) noexcept;

/// For a helper that is about to sleep. `launching`: the processor of the thread that launches.
void prepare_sleep(int launching) noexcept;

/// For a helper that has work: it may run where it might before prepare_sleep().
void finish_sleep() noexcept;

} // namespace prism::devices::host
