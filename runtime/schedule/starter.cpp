#include "runtime/schedule/starter.hpp"

#include "runtime/schedule/lane.hpp"

#include <iterator>
#include <thread>

namespace prism::schedule {

void starter::note(lane_ref where, std::uint64_t point) noexcept try {
  const std::lock_guard lock(m_mutex);
  if (m_ended) return;
  m_noted.push_back({std::move(where), point});
  if (!m_started) {
    std::thread([this] { run(); }).detach(); // the context is never destroyed
    m_started = true;
  } else if (m_sleeps) {
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

/// What was noted during a tick is looked at when the next one ends.
void starter::run() {
  std::vector<noted> due;
  while (true) {
    {
      std::unique_lock lock(m_mutex);
      if (due.empty() && m_noted.empty()) {
        m_sleeps = true;
        m_wake.wait(lock, [this] { return !m_noted.empty(); });
        m_sleeps = false;
      }
    }
    std::this_thread::sleep_for(tick);
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
