// Work starts though nobody waits for it. Devices may hold back what was submitted until a flush (the host
// does: a thread that waits soon runs it without waking another; OpenCL drivers do), and SYCL programs cannot
// flush: they may poll memory that a kernel writes, or compute meanwhile. So a device queue whose work is a
// tick old and not complete is flushed.
//
// One thread, made at the first submission; it sleeps while nothing is submitted. Any thread notes. Its
// wake-ups interrupt the work, on virtual machines for tens of microseconds: where all that was submitted to
// a device queue has been waited for, again and again, it looks less often, until something there had to be
// started. Who notes takes no lock, since all queues note here.
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
  /// The device queue's queue got work, the last of it `point`.
  void watch(driver_queue_ref where, std::uint64_t point) noexcept;
  /// Touches no device queue from now on.
  void end() noexcept;

private:
  struct noted {
    driver_queue_ref where;
    std::uint64_t point;
  };
  struct link {
    noted what;
    link* next; // noted before
  };
  void start();
  void wake();
  void run();
  bool sleep(const std::vector<noted>& due);
  bool all_are_patient(const std::vector<noted>& due) const;
  void take_recorded(std::vector<noted>& into);
  void look(std::vector<noted>& due) noexcept;

  std::atomic<link*> m_newest{nullptr}; // any thread adds, the flush_timer's takes
  std::atomic<bool> m_started{false}, m_ended{false};
  // Who notes adds first and then looks whether the thread sleeps; the thread says that it sleeps first and
  // then looks whether something was added: with one order of all four, one of them sees the other.
  enum class rest : unsigned char { none, idle, long_tick };
  std::atomic<rest> m_rest{rest::none}; // who takes it from another value to none posts m_wake
  sem_t m_wake;                         // may be posted though nobody sleeps any more
  std::mutex m_starting, m_looking;     // the thread is made; device queues are touched
};

} // namespace prism::runtime
