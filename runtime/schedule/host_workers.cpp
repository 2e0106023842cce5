#include "runtime/schedule/host_workers.hpp"

#include <thread>

namespace prism::schedule {

void host_workers::post(std::function<void()> job) {
  const std::lock_guard lock(m_mutex);
  m_jobs.push_back(std::move(job));
  if (m_idle < m_jobs.size() && m_threads < max_threads) {
    std::thread([this] { work(); }).detach(); // the context is never destroyed
    ++m_threads;
  }
  m_wake.notify_one();
}

void host_workers::work() {
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
  }
}

} // namespace prism::schedule
