// Kernels built in the background, before they are launched: a few threads and a list of what to build.
#pragma once

#include "runtime/engine/engine.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace prism::runtime {

class device_state;

class background_builds {
public:
  struct job {
    device_state* device;
    const image::kernel_record* record;
    std::function<void()> build{}; // instead of the kernel's program
  };
  std::shared_ptr<preparation_node> add(std::vector<job> jobs);
  /// Whether end() waits for all builds; else those that have not begun are left.
  void complete_at_end(bool all) { m_completes = all; }
  bool completes_at_end() const { return m_completes; }
  /// Returns when nothing is built any more: drivers do not survive their exit handlers while they compile.
  void end() noexcept;

private:
  class preparation;
  struct entry {
    job what;
    std::shared_ptr<preparation> of;
  };
  void work();

  std::mutex m_mutex;
  std::condition_variable m_wake, m_quiet;
  std::deque<entry> m_waiting;
  std::size_t m_threads = 0, m_idle = 0;
  bool m_ending = false;
  std::atomic<bool> m_completes{false};
};

} // namespace prism::runtime
