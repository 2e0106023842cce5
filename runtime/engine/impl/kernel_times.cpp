// Execution times of kernels. Completed commands are retired first, so that their times are included.
#include "runtime/observe/kernel_times.hpp"

#include "runtime/engine/impl/enter.hpp"
#include "runtime/execution/device_queue_set.hpp"

namespace prism {

std::vector<kernel_time> kernel_times() {
  enter().devices().for_each([](runtime::device_state& device) {
    for (const runtime::device_queue_ref& device_queue : device.device_queues().all())
      device_queue->retire_completed();
  });
  return runtime::summed_times();
}

} // namespace prism
