#include "runtime/execution/wait_watch.hpp"

#include "runtime/execution/scheduled_command.hpp"
#include "runtime/support/log.hpp"
#include "runtime/support/settings.hpp"

#include <cerrno>
#include <thread>

namespace prism::runtime {

wait_watch::wait_watch()
    : m_period(support::seconds_of(support::variables::wait_warning)), m_sleeps(m_period.count() != 0) {
  ::sem_init(&m_wake, 0, 0);
}

void wait_watch::end() noexcept {
  m_ended.store(true);
  const std::lock_guard looking(m_looking);
}

void wait_watch::wake() noexcept try {
  if (m_ended.load(std::memory_order_relaxed) || !m_sleeps.exchange(false)) return;
  const std::lock_guard lock(m_starting);
  if (m_started) {
    ::sem_post(&m_wake);
    return;
  }
  std::thread([this] { run(); }).detach(); // the process runtime is never destroyed
  m_started = true;
} catch (...) { // no memory or no thread: long waits are not reported
}

void wait_watch::run() {
  constexpr int looks = 4; // in each period
  known_waits known;
  while (!m_ended.load()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(m_period) / looks);
    look(known);
    if (!known.empty()) continue;
    m_sleeps.store(true);
    look(known); // a wait that began before this looked at the lists did not wake it
    if (known.empty())
      while (::sem_wait(&m_wake) != 0 && errno == EINTR) {}
    // One that began meanwhile may have posted the semaphore, which then costs one more look.
    else m_sleeps.store(false);
  }
}

void wait_watch::look(known_waits& known) noexcept {
  const std::lock_guard looking(m_looking);
  try {
    known = m_ended.load() ? known_waits() : seen_now(known);
  } catch (...) { // no memory, or a lost device: its failure ends the waits
    known.clear();
  }
}

/// A wait is long if the same command has held it up for a period, and that command's queue has completed
/// nothing meanwhile.
wait_watch::known_waits wait_watch::seen_now(const known_waits& before) const {
  commands waiting;
  m_collect(waiting);
  known_waits out;
  const auto now = std::chrono::steady_clock::now();
  for (auto& command : waiting) {
    const auto known = before.find(command);
    watched seen{command->held_up_by(), 0, now};
    if (!seen.cause->is_host_access()) seen.completed = seen.cause->where().points().completed();
    if (known != before.end()) {
      seen.reported = known->second.reported;
      if (known->second.cause == seen.cause && known->second.completed == seen.completed)
        seen.since = known->second.since;
    }
    if (!seen.reported && now - seen.since >= m_period) {
      report(*command);
      seen.reported = true;
    }
    out.emplace(std::move(command), std::move(seen));
  }
  return out;
}

void wait_watch::report(const scheduled_command& waited_for) const {
  support::log(
      support::level::warn,
      "a thread has waited " + std::to_string(m_period.count()) +
          " seconds, in which nothing completed, for " + waited_for.description() + ", which is " +
          waited_for.wait_state() +
          " (PRISM_TIMEOUT=seconds ends such waits with an exception, PRISM_WAIT_WARNING=0 this message)");
}

} // namespace prism::runtime
