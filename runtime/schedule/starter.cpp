#include "runtime/schedule/starter.hpp"

#include "runtime/schedule/lane.hpp"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

namespace prism::schedule {

void starter::note(lane_ref where, std::uint64_t point) noexcept try {
  const std::lock_guard lock(m_mutex);
  if (m_ended) return;
  const bool patient = where->is_waited_for();
  m_noted.push_back({std::move(where), point});
  if (!m_started) {
    std::thread([this] { run(); }).detach(); // the context is never destroyed
    m_started = true;
  } else if (m_sleeps) {
    m_wake.notify_one();
  } else if (m_sleeps_long && !patient) {
    m_sleeps_long = false;
    m_wake.notify_one();
  }
} catch (...) { // no memory or no thread: work starts when somebody waits
}

void starter::end() noexcept {
  {
    const std::lock_guard lock(m_mutex);
    m_ended = true;
    m_noted.clear();
  }
  const std::lock_guard touching(m_looking);
}

/// One tick; false when a long one was cut short.
bool starter::sleep(const std::vector<noted>& due) {
  std::unique_lock lock(m_mutex);
  if (due.empty() && m_noted.empty()) {
    m_sleeps = true;
    m_wake.wait(lock, [this] { return !m_noted.empty(); });
    m_sleeps = false;
  }
  const auto patient = [](const noted& each) { return each.where->is_waited_for(); };
  m_sleeps_long = std::all_of(due.begin(), due.end(), patient) && std::all_of(m_noted.begin(), m_noted.end(), patient);
  if (m_sleeps_long) {
    m_wake.wait_for(lock, long_tick, [this] { return !m_sleeps_long; });
    return std::exchange(m_sleeps_long, false);
  }
  lock.unlock();
  std::this_thread::sleep_for(tick);
  return true;
}

/// What was noted during a tick is looked at when the next one ends.
void starter::run() {
  std::vector<noted> due;
  while (true) {
    if (!sleep(due)) continue;
    look(due);
    const std::lock_guard lock(m_mutex);
    due.insert(due.end(), std::make_move_iterator(m_noted.begin()), std::make_move_iterator(m_noted.end()));
    m_noted.clear();
  }
}

void starter::look(std::vector<noted>& due) noexcept {
  const std::lock_guard touching(m_looking);
  {
    const std::lock_guard lock(m_mutex);
    if (m_ended) due.clear();
  }
  std::erase_if(due, [](noted& each) { return !each.where->start_noted(each.point); });
}

} // namespace prism::schedule
