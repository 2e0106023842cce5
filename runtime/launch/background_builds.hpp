// Builds kernels in the background, before they are launched, on a few threads with a common queue.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/support/work_queue.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace prism::runtime {

class device_state;

class background_builds {
public:
  background_builds();
  struct job {
    device_state* device;
    const image::kernel_record* record;
    std::function<void()> build{}; // called instead of building the kernel's program
  };
  std::shared_ptr<preparation_node> add(std::vector<job> jobs);
  /// Whether end() waits for all builds; otherwise it drops those that have not started.
  void complete_at_end(bool all) { m_completes = all; }
  bool completes_at_end() const { return m_completes; }
  /// Returns when no build is running. Drivers crash if their exit handlers run during a compilation.
  void end() noexcept;

private:
  class preparation;
  struct entry {
    job what;
    std::shared_ptr<preparation> of;
  };
  static void run(entry& next);

  std::mutex m_mutex; // guards m_ending and the order of add() and end()
  bool m_ending = false;
  std::atomic<bool> m_completes{false};
  support::work_queue<entry> m_queue;
};

} // namespace prism::runtime
