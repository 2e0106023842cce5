// How long kernels took, once what is complete has been looked at.
#include "runtime/observe/kernel_times.hpp"

#include "runtime/engine/impl/enter.hpp"
#include "runtime/execution/lane_set.hpp"

namespace prism {

std::vector<kernel_time> kernel_times() {
  enter().devices().for_each([](schedule::device_entry& device) {
    for (const schedule::lane_ref& lane : device.lanes().all()) lane->reap();
  });
  return schedule::summed_times();
}

} // namespace prism
