// Threads that execute host tasks. Their number grows with demand, up to 64, because a host task may block on
// anything. They never end.
#pragma once

#include "runtime/execution/post_to.hpp"

#include <functional>

namespace prism::runtime {

class host_task_threads {
public:
  /// `job` must not throw. Throws prism::error if there is no thread, and none can be started.
  void post(std::function<void()> job) { post_to(m_queue, "host tasks", std::move(job)); }
  /// Returns when as many jobs are done as had been posted before the call, or at the deadline.
  void catch_up(std::chrono::steady_clock::time_point deadline) { m_queue.catch_up(deadline); }

private:
  support::work_queue<std::function<void()>> m_queue{64, [](std::function<void()>& job) { job(); }};
};

} // namespace prism::runtime
