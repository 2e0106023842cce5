// Flushes queues that have unfinished work and no waiting thread. Devices may delay submitted work until a
// flush: OpenCL drivers do, and the host device does so that a thread that waits soon can execute the work
// without waking another. SYCL has no flush, and a program may poll memory that a kernel writes, or compute
// in the meantime. So a device queue is flushed if its work is one tick old and incomplete.
//
// One thread, started at the first submission; it sleeps while nothing is submitted. Its wake-ups interrupt
// the program, on virtual machines for tens of microseconds. So if threads have waited for all recent work of
// the queues, the timer checks less often, until it finds work that had to be flushed. Any thread may call
// watch(), which takes no lock, since all queues call it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <semaphore.h>
#include <vector>

namespace prism::runtime {

class driver_queue;
using driver_queue_ref = std::shared_ptr<driver_queue>;

class flush_timer {
public:
  static constexpr std::chrono::microseconds tick{500}, long_tick{4000};

  flush_timer();
  /// Records that work up to `point` was submitted to this queue.
  void watch(driver_queue_ref where, std::uint64_t point) noexcept;
  /// After this call the timer does not access any queue.
  void end() noexcept;

private:
  struct recorded_work {
    driver_queue_ref where;
    std::uint64_t point;
  };
  struct link {
    recorded_work what;
    link* next; // recorded earlier
  };
  void start();
  void wake();
  void run();
  bool sleep(const std::vector<recorded_work>& due);
  bool all_are_patient(const std::vector<recorded_work>& due) const;
  void take_recorded(std::vector<recorded_work>& into);
  void look(std::vector<recorded_work>& due) noexcept;

  std::atomic<link*> m_newest{nullptr}; // any thread adds; the timer's thread takes
  std::atomic<bool> m_started{false}, m_ended{false};
  // watch() first adds a link, then checks whether the thread sleeps. The thread first declares that it
  // sleeps, then checks for links. All four operations are sequentially consistent, so at least one side sees
  // the other.
  enum class rest : unsigned char { none, idle, long_tick };
  std::atomic<rest> m_rest{rest::none}; // the thread that changes it to none posts m_wake
  sem_t m_wake;                         // may be posted after the thread has woken up
  std::mutex m_starting, m_looking;     // m_starting: creation of the thread; m_looking: access to queues
};

} // namespace prism::runtime
