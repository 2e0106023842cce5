// The threads that run queues nobody waits for. A queue is not a thread: a thousand queues share these.
// Threads start when work first needs them and sleep when there is none, after a short spin that spares
// back-to-back work a wake-up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace prism::devices::host {

/// Something to run once; must not block.
class runnable {
public:
  virtual ~runnable() = default;
  virtual void run() noexcept = 0;
};

class workers {
public:
  explicit workers(std::size_t limit) : m_limit(limit) {}
  ~workers(); // joins; what was posted before runs first
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  void post(std::shared_ptr<runnable> work);

private:
  void serve();
  void add_thread(); // under the lock
  void spin_for_work() const;

  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::deque<std::shared_ptr<runnable>> m_posted;
  std::atomic<std::size_t> m_posted_count{0};
  std::vector<std::thread> m_threads;
  std::size_t m_limit, m_sleeping = 0, m_spinning = 0;
  bool m_stopping = false;
};

} // namespace prism::devices::host
