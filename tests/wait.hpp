// Waiting in tests, for C++17 and later. A test polls for what must happen, with a deadline, and sleeps only
// to make work last or to show that something does not happen.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace prism_test {

/// Polls until `holds()` is true. False: it was not within the limit, which only a failing test reaches.
template <typename Condition>
bool eventually(Condition&& holds, std::chrono::microseconds limit = std::chrono::seconds(20),
                std::chrono::microseconds interval = std::chrono::milliseconds(1)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return holds();
    std::this_thread::sleep_for(interval);
  }
  return true;
}

/// Shows that something does not happen: no event reports that, so `happens()` is polled for this time.
template <typename Condition>
bool never_within(std::chrono::microseconds time, Condition&& happens) {
  return !eventually(happens, time);
}

/// Makes the work of a thread last this long without using the processor.
inline void spend(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

/// Threads wait at a gate until another thread opens it.
class gate {
public:
  void wait() {
    std::unique_lock lock(m_mutex);
    m_opened.wait(lock, [&] { return m_is_open; });
  }
  void open() {
    const std::lock_guard lock(m_mutex);
    m_is_open = true;
    m_opened.notify_all();
  }

private:
  std::mutex m_mutex;
  std::condition_variable m_opened;
  bool m_is_open = false;
};

} // namespace prism_test
