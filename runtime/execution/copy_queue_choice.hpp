// Which device queue an explicit copy or fill of a SYCL queue runs in: that of the queue's kernels, or the
// one beside it. A pure function.
//
// What crosses device queues is ordered by points of timelines, which costs more than the order of one queue:
// tens of microseconds on the drivers at hand. So a copy leaves the kernels' device queue when a kernel that
// it does not come after by itself is in its way; and where the device copies without its compute units, when
// it is large, so that no later kernel waits for it. (On a processor the two share the cores: such a copy
// delays the kernel as much beside it as before it.)
#pragma once

#include "devices/api/types.hpp"

namespace prism::runtime {

struct copy_facts {
  bool in_order = false; // the SYCL queue: one device queue keeps its order for nothing
  devices::copy_overlap device = devices::copy_overlap::none;
  bool shares_processor = true;  // the device computes and copies on the same cores
  bool uses_host_memory = false; // ordinary memory on one side
  std::uint64_t bytes = 0;
  bool kernel_is_in_the_way =
      false; // in the queue's device queue, complete neither it nor what the copy follows
};

constexpr std::uint64_t large_copy =
    256 * 1024; // bytes; takes longer than the hand-over between two device queues, on a bus

/// Whether it depends on the copy, and not on queue and device alone.
constexpr bool may_run_beside_kernels(const copy_facts& f) {
  return !f.in_order && (f.device == devices::copy_overlap::all ||
                         (f.device == devices::copy_overlap::host_memory && f.uses_host_memory));
}
constexpr bool is_large(const copy_facts& f) { return !f.shares_processor && f.bytes >= large_copy; }
constexpr bool runs_beside_kernels(const copy_facts& f) {
  return may_run_beside_kernels(f) && (is_large(f) || f.kernel_is_in_the_way);
}

} // namespace prism::runtime
