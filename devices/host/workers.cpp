#include "devices/host/workers.hpp"

#include "devices/host/spin.hpp"

#include <system_error>

namespace prism::devices::host {

workers::~workers() {
  {
    std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  for (auto& thread : m_threads) thread.join();
}

void workers::post(std::shared_ptr<runnable> work) {
  bool wake = false;
  {
    std::lock_guard lock(m_mutex);
    m_posted.push_back(std::move(work));
    m_posted_count.store(m_posted.size(), std::memory_order_release);
    if (m_posted.size() > m_spinning + m_sleeping && m_threads.size() < m_limit) add_thread();
    wake = m_sleeping > 0 && m_posted.size() > m_spinning;
  }
  if (wake) m_changed.notify_one();
}

void workers::add_thread() {
  try {
    m_threads.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    if (m_threads.empty()) // one thread is enough, only slower
      throw;
  }
}

void workers::spin_for_work() const {
  spin_until([this] { return m_posted_count.load(std::memory_order_acquire) != 0; });
}

void workers::serve() {
  std::unique_lock lock(m_mutex);
  for (;;) {
    if (m_posted.empty() && !m_stopping) {
      ++m_spinning;
      lock.unlock();
      spin_for_work();
      lock.lock();
      --m_spinning;
    }
    if (m_posted.empty()) {
      if (m_stopping) return;
      ++m_sleeping;
      m_changed.wait(lock, [this] { return m_stopping || !m_posted.empty(); });
      --m_sleeping;
      continue;
    }
    auto work = std::move(m_posted.front());
    m_posted.pop_front();
    m_posted_count.store(m_posted.size(), std::memory_order_release);
    lock.unlock();
    work->run();
    work.reset(); // the destructor of the last reference must not run under the lock
    lock.lock();
  }
}

} // namespace prism::devices::host
