// Programs of unloaded modules and discarded builds. Each lives until no command that may use it is in
// flight.
#pragma once

#include "runtime/execution/device_queue_set.hpp"
#include "runtime/images/program_cache.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace prism::runtime {

class retired_programs {
public:
  /// May be called while a lock is held that is never held during a driver call.
  void add(std::vector<std::shared_ptr<void>> programs);
  bool empty() const { return m_count.load(std::memory_order_relaxed) == 0; }
  void sweep(device_queue_set& device_queues);

private:
  struct retired {
    std::vector<std::shared_ptr<void>> programs;
    std::vector<std::weak_ptr<scheduled_command>> users;
    bool users_recorded = false; // `users` was recorded
  };
  std::mutex m_mutex;
  std::vector<retired> m_retired;
  std::atomic<std::size_t> m_count{0};
};

/// Returns the kernel, built at first use. Also destroys retired programs, on this thread and without a lock.
const images::built_kernel& program_of(device_state& device, const image::kernel_record& record);

} // namespace prism::runtime
