// Threads that execute host tasks. Their number grows with demand, up to 64, because a host task may block on
// anything. They never end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace prism::runtime {

class host_task_threads {
public:
  /// `job` must not throw. Throws prism::error if there is no thread, and none can be started.
  void post(std::function<void()> job);
  /// Returns when as many jobs are done as had been posted before the call, or at the deadline.
  void catch_up(std::chrono::steady_clock::time_point deadline);

private:
  void work();
  static constexpr std::size_t max_threads = 64;
  std::mutex m_mutex;
  std::condition_variable m_wake, m_one_done;
  std::deque<std::function<void()>> m_jobs;
  std::size_t m_threads = 0, m_idle = 0;
  std::uint64_t m_posted = 0, m_done = 0;
};

} // namespace prism::runtime
