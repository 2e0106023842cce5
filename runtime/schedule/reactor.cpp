#include "runtime/schedule/reactor.hpp"

#include "runtime/schedule/command.hpp"

#include <thread>

namespace prism::schedule {

void reactor::post(command_ref held) { push({std::move(held), false}); }
void reactor::post_completed(command_ref done) { push({std::move(done), true}); }

void reactor::push(item i) {
  const std::lock_guard lock(m_mutex);
  m_items.push_back(std::move(i));
  if (!m_started) {
    std::thread([this] { run(); }).detach(); // the context is never destroyed
    m_started = true;
  }
  m_wake.notify_one();
}

void reactor::run() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_wake.wait(lock, [this] { return !m_items.empty(); });
    {
      const item next = std::move(m_items.front());
      m_items.pop_front();
      lock.unlock();
      if (next.completed) next.what->wait();
      else next.what->advance();
    } // destroyed without the lock
    lock.lock();
  }
}

} // namespace prism::schedule
