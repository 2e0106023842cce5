// Waits that last long. After PRISM_WAIT_WARNING seconds in which nothing completed, a warning says once what
// a wait is for and what holds it up; after PRISM_TIMEOUT seconds a wait ends with an error that says the
// same (wait_limit.hpp). A thread that waits only enters itself in its queue's list; one thread looks at the
// lists, a few times in each period while any thread waits, and sleeps otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore.h>
#include <vector>

namespace prism::runtime {

class scheduled_command;

/// The thread that looks. Belongs to the process runtime and is never destroyed.
class wait_watch {
public:
  /// Appends the commands that threads wait for.
  using commands = std::vector<std::shared_ptr<const scheduled_command>>;
  using collect = std::function<void(commands&)>;

  wait_watch();
  wait_watch(const wait_watch&) = delete;
  /// Before the first wait.
  void watch(collect all) { m_collect = std::move(all); }
  /// A thread begins to wait. Starts or wakes the watching thread if it is not looking.
  void begin_wait() noexcept {
    if (m_sleeps.load(std::memory_order_relaxed)) wake();
  }
  /// After this call the thread does not access any command.
  void end() noexcept;

private:
  struct watched {
    std::shared_ptr<const scheduled_command> cause; // what holds the command up
    std::uint64_t completed = 0;                    // the cause's queue had completed this point
    std::chrono::steady_clock::time_point since;
    bool reported = false;
  };
  using known_waits = std::map<std::shared_ptr<const scheduled_command>, watched>;
  void wake() noexcept;
  void run();
  void look(known_waits& known) noexcept;
  known_waits seen_now(const known_waits& before) const;
  void report(const scheduled_command& waited_for) const;

  const std::chrono::seconds m_period;
  collect m_collect;
  std::atomic<bool> m_sleeps; // initially true, although there is no thread yet
  std::atomic<bool> m_ended{false};
  bool m_started = false; // guarded by m_starting
  sem_t m_wake;
  std::mutex m_starting, m_looking;
};

} // namespace prism::runtime
