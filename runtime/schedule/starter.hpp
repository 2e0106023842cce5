// Work starts though nobody waits for it. Devices may hold back what was submitted until a flush (the host does: a thread that
// waits soon runs it without waking another; OpenCL drivers do), and SYCL programs cannot flush: they may poll memory that a
// kernel writes, or compute meanwhile. So a lane whose work is a tick old and not complete is flushed.
//
// One thread, made at the first submission; it sleeps while nothing is submitted. Any thread notes. Its wake-ups interrupt the
// work, on virtual machines for tens of microseconds: where all that was submitted to a lane has been waited for, again and again,
// it looks less often, until something there had to be started.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace prism::schedule {

class lane;
using lane_ref = std::shared_ptr<lane>;

class starter {
public:
  static constexpr std::chrono::microseconds tick{500}, long_tick{4000};

  /// The lane's queue got work, the last of it `point`.
  void note(lane_ref where, std::uint64_t point) noexcept;
  /// Touches no lane from now on.
  void end() noexcept;

private:
  struct noted {
    lane_ref where;
    std::uint64_t point;
  };
  void run();
  bool sleep(const std::vector<noted>& due);
  void look(std::vector<noted>& due) noexcept;

  std::mutex m_mutex; // guards all below
  std::condition_variable m_wake;
  std::vector<noted> m_noted;
  bool m_started = false, m_sleeps = false, m_ended = false;
  bool m_sleeps_long = false; // reset by who wants it to look sooner
  std::mutex m_looking; // held while lanes are touched
};

} // namespace prism::schedule
