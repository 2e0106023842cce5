// Threads that run host tasks. They grow with demand, up to 64, since a host task may block on anything, and never end.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

namespace prism::schedule {

class host_workers {
public:
  /// `job` must not throw.
  void post(std::function<void()> job);

private:
  void work();
  static constexpr std::size_t max_threads = 64;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::deque<std::function<void()>> m_jobs;
  std::size_t m_threads = 0, m_idle = 0;
};

} // namespace prism::schedule
