#include "runtime/execution/deferred_submitter.hpp"

#include "runtime/execution/scheduled_command.hpp"
#include "runtime/execution/start_thread.hpp"

#include <thread>

namespace prism::runtime {

void deferred_submitter::post(command_ref queued) { push({std::move(queued), false}); }
void deferred_submitter::post_completed(command_ref done) { push({std::move(done), true}); }

void deferred_submitter::push(item i) {
  const std::lock_guard lock(m_mutex);
  if (!m_started) {
    start_thread("commands that wait for others", [this] { run(); });
    m_started = true;
  }
  m_items.push_back(std::move(i));
  ++m_posted;
  m_wake.notify_one();
}

void deferred_submitter::run() {
  std::unique_lock lock(m_mutex);
  m_thread = std::this_thread::get_id();
  while (true) {
    m_wake.wait(lock, [this] { return !m_items.empty(); });
    {
      const item next = std::move(m_items.front());
      m_items.pop_front();
      lock.unlock();
      if (next.completed) next.what->wait();
      else next.what->advance();
    } // `next` is destroyed without the lock
    lock.lock();
    ++m_done;
    m_one_done.notify_all();
  }
}

void deferred_submitter::catch_up(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(m_mutex);
  if (m_thread == std::this_thread::get_id()) return;
  m_one_done.wait_until(lock, deadline, [this, posted = m_posted] { return m_done >= posted; });
}

} // namespace prism::runtime
