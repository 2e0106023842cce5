#include "runtime/execution/flush_timer.hpp"

#include "devices/api/pool.hpp"
#include "runtime/execution/driver_queue.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <thread>
#include <utility>

namespace prism::runtime {

flush_timer::flush_timer() { ::sem_init(&m_wake, 0, 0); }

void flush_timer::watch(driver_queue_ref where, std::uint64_t point) noexcept try {
  if (m_ended.load(std::memory_order_relaxed)) return;
  if (!m_started.load(std::memory_order_acquire)) start();
  const bool patient = where->is_waited_for();
  pool::allocator<link> links;
  link* const added =
      new (links.allocate(1)) link{{std::move(where), point}, m_newest.load(std::memory_order_relaxed)};
  while (!m_newest.compare_exchange_weak(added->next, added)) {}
  const rest now = m_rest.load();
  if (now == rest::idle || (now == rest::long_tick && !patient)) wake();
} catch (...) { // no memory or no thread: the work starts when a thread waits for it
}

void flush_timer::start() {
  const std::lock_guard lock(m_starting);
  if (m_started.load(std::memory_order_relaxed)) return;
  std::thread([this] { run(); }).detach(); // the process runtime is never destroyed
  m_started.store(true, std::memory_order_release);
}

void flush_timer::wake() {
  if (m_rest.exchange(rest::none) != rest::none) ::sem_post(&m_wake);
}

void flush_timer::end() noexcept {
  m_ended.store(true);
  const std::lock_guard touching(m_looking);
}

bool flush_timer::all_are_patient(const std::vector<recorded_work>& due) const {
  if (!std::all_of(due.begin(), due.end(),
                   [](const recorded_work& each) { return each.where->is_waited_for(); }))
    return false;
  for (const link* each = m_newest.load(); each != nullptr; each = each->next)
    if (!each->what.where->is_waited_for()) return false;
  return true;
}

/// Sleeps for one tick; returns false when a long tick was interrupted.
bool flush_timer::sleep(const std::vector<recorded_work>& due) {
  if (due.empty()) {
    m_rest.store(rest::idle);
    while (m_newest.load() == nullptr) {
      ::sem_wait(&m_wake);
      m_rest.store(rest::idle); // the semaphore may have been posted for an earlier wake-up
    }
  }
  m_rest.store(rest::long_tick);
  if (all_are_patient(due)) {
    timespec until{};
    ::clock_gettime(CLOCK_MONOTONIC, &until);
    constexpr long second = 1'000'000'000;
    until.tv_nsec += std::chrono::nanoseconds(long_tick).count();
    until.tv_sec += until.tv_nsec / second;
    until.tv_nsec %= second;
    while (m_rest.load() == rest::long_tick &&
           (::sem_clockwait(&m_wake, CLOCK_MONOTONIC, &until) == 0 || errno == EINTR)) {}
    return m_rest.exchange(rest::none) == rest::long_tick;
  }
  m_rest.store(rest::none);
  std::this_thread::sleep_for(tick);
  return true;
}

void flush_timer::take_recorded(std::vector<recorded_work>& into) {
  pool::allocator<link> links;
  for (link* each = m_newest.exchange(nullptr); each != nullptr;) {
    link* const taken = std::exchange(each, each->next);
    into.push_back(std::move(taken->what));
    taken->~link();
    links.deallocate(taken, 1);
  }
}

/// Work recorded during one tick is checked at the end of the next.
void flush_timer::run() {
  std::vector<recorded_work> due;
  while (true) {
    if (!sleep(due)) continue;
    look(due);
    take_recorded(due);
  }
}

void flush_timer::look(std::vector<recorded_work>& due) noexcept {
  const std::lock_guard touching(m_looking);
  if (m_ended.load()) due.clear();
  std::erase_if(due, [](recorded_work& each) { return !each.where->start_recorded(each.point); });
}

} // namespace prism::runtime
