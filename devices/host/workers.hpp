// The threads that run queues without a waiting thread. A queue is not a thread: a thousand queues share
// these. Threads start when there is work for them and sleep when there is none, after a short spin that
// saves a wake-up if more work follows at once.
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

/// Work that a worker runs once; must not block.
class runnable {
public:
  virtual ~runnable() = default;
  virtual void run() noexcept = 0;
};

class workers {
public:
  explicit workers(std::size_t limit) : m_limit(limit) {}
  ~workers(); // runs what was posted before, then joins the threads
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  void post(std::shared_ptr<runnable> work);

private:
  void serve();
  void add_thread(); // call with the lock held
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
