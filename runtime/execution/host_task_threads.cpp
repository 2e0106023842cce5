#include "runtime/execution/host_task_threads.hpp"

#include "runtime/execution/start_thread.hpp"

namespace prism::runtime {

void host_task_threads::post(std::function<void()> job) {
  const std::lock_guard lock(m_mutex);
  if (m_idle <= m_jobs.size() && m_threads < max_threads) {
    try {
      start_thread("host tasks", [this] { work(); });
      ++m_threads;
    } catch (const error&) {
      if (m_threads == 0) throw; // else one of the others runs it
    }
  }
  m_jobs.push_back(std::move(job));
  ++m_posted;
  m_wake.notify_one();
}

void host_task_threads::work() {
  std::unique_lock lock(m_mutex);
  while (true) {
    ++m_idle;
    m_wake.wait(lock, [this] { return !m_jobs.empty(); });
    --m_idle;
    {
      std::function<void()> job = std::move(m_jobs.front());
      m_jobs.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
    ++m_done;
    m_one_done.notify_all();
  }
}

void host_task_threads::catch_up(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(m_mutex);
  m_one_done.wait_until(lock, deadline, [this, posted = m_posted] { return m_done >= posted; });
}

} // namespace prism::runtime
