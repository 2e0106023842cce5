#include "devices/host/placement.hpp"

#include <atomic>
#include <memory>
#include <new>

namespace prism::devices::host {
namespace {

// A woken thread begins within 60 us on a virtual machine, a packed one after one to four ms.
constexpr std::chrono::microseconds late{200};
constexpr int placed_sleeps = 64; // of all helpers, until one sleeps as Linux wants and shows what that does

constinit std::atomic<int> sleeps_to_place{0};

struct sleep_places {
  cpu_set_t usual, asleep;
  bool is_set = false;
};
/// Not the object itself: the static memory of threads is scarce, and libgomp could not be loaded later.
constinit thread_local std::unique_ptr<sleep_places> mine;

} // namespace

bool shows_packing(const launch_times& launch) {
  return launch.slept && launch.took > late && (!launch.came || *launch.came > late);
}

void record_wake(const launch_times& launch) noexcept {
  if (shows_packing(launch)) sleeps_to_place.store(placed_sleeps, std::memory_order_relaxed);
}

void prepare_sleep(int launching) noexcept {
  if (sleeps_to_place.load(std::memory_order_relaxed) <= 0 || (mine && mine->is_set)) return;
  if (launching < 0 || launching >= CPU_SETSIZE) return;
  sleeps_to_place.fetch_sub(1, std::memory_order_relaxed);
  if (!mine) mine.reset(new (std::nothrow) sleep_places);
  if (!mine) return;
  if (sched_getaffinity(0, sizeof mine->usual, &mine->usual) != 0) return;
  mine->asleep = mine->usual;
  CPU_CLR(launching, &mine->asleep);
  if (CPU_COUNT(&mine->asleep) == 0) return; // the user gave it this one only
  mine->is_set = sched_setaffinity(0, sizeof mine->asleep, &mine->asleep) == 0;
}

void finish_sleep() noexcept {
  if (!mine || !mine->is_set) return;
  mine->is_set = false;
  cpu_set_t now;
  // Where the user has set another affinity since then, it stays.
  if (sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &mine->asleep))
    sched_setaffinity(0, sizeof mine->usual, &mine->usual);
}

} // namespace prism::devices::host
