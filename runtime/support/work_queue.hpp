// A queue of work and the threads that serve it: deferred submission, host tasks and background builds each
// have one. The queues are separate, because the work of each may block on something else.
//
// A thread is created when an item is posted and no thread is idle, up to the limit. Threads never end: the
// owner is part of the process runtime, which is never destroyed. Any thread may call any function. One lock
// for each call; nothing is allocated but for a longer queue.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace prism::support {

/// The work_queue whose thread this is; null: none.
inline thread_local const void* served_queue = nullptr;

template <typename Item>
class work_queue {
public:
  /// `run` is called without the lock, and must not throw. The item is destroyed after it, also without the
  /// lock.
  work_queue(std::size_t most_threads, void (*run)(Item&)) : m_most_threads(most_threads), m_run(run) {}

  /// Throws std::system_error if the queue has no thread and none can be created; the item is not posted
  /// then.
  void post(Item item) {
    const std::lock_guard lock(m_mutex);
    if (m_idle <= m_items.size() && m_threads < m_most_threads) {
      try {
        std::thread([this] { serve(); }).detach();
        ++m_threads;
      } catch (const std::system_error&) {
        if (m_threads == 0) throw; // otherwise one of the other threads runs it
      }
    }
    m_items.push_back(std::move(item));
    ++m_posted;
    m_wake.notify_one();
  }

  /// Returns when as many items were run and destroyed as had been posted before the call; or at the
  /// deadline; or at once on a thread of this queue.
  void catch_up(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(m_mutex);
    if (served_queue == this) return;
    m_one_done.wait_until(lock, deadline, [this, posted = m_posted] { return m_done >= posted; });
  }

  /// Returns when no item waits and none is running.
  void wait_until_idle() {
    std::unique_lock lock(m_mutex);
    m_one_done.wait(lock, [this] { return m_done == m_posted; });
  }

  /// Whether no item waits and none is running.
  bool is_idle() {
    const std::lock_guard lock(m_mutex);
    return m_done == m_posted;
  }

  /// Removes the items that no thread has started.
  std::deque<Item> take_waiting() {
    const std::lock_guard lock(m_mutex);
    m_done += m_items.size();
    m_one_done.notify_all();
    return std::exchange(m_items, {});
  }

private:
  void serve() {
    served_queue = this;
    std::unique_lock lock(m_mutex);
    while (true) {
      ++m_idle;
      m_wake.wait(lock, [this] { return !m_items.empty(); });
      --m_idle;
      {
        Item next = std::move(m_items.front());
        m_items.pop_front();
        lock.unlock();
        m_run(next);
      }
      lock.lock();
      ++m_done;
      m_one_done.notify_all();
    }
  }

  const std::size_t m_most_threads;
  void (*const m_run)(Item&);
  std::mutex m_mutex;
  std::condition_variable m_wake, m_one_done;
  std::deque<Item> m_items;
  std::size_t m_threads = 0, m_idle = 0;
  std::uint64_t m_posted = 0, m_done = 0;
};

} // namespace prism::support
