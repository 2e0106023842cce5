// Decides which device queue executes an explicit copy or fill of a SYCL queue: the queue of its kernels, or
// a second one for copies. A pure function.
//
// Ordering across device queues uses timeline points, which cost more than the order within one queue: tens
// of microseconds on the drivers measured. So a copy uses the second queue only in two cases: if it would
// wait for a kernel that it does not depend on; or if it is large and the device copies without its compute
// units, so that later kernels need not wait for it. (On a CPU, copies and kernels share the cores: a large
// copy delays a kernel as much when they overlap as when the copy runs first.)
#pragma once

#include "devices/api/types.hpp"

namespace prism::runtime {

struct copy_facts {
  bool in_order = false; // of the SYCL queue; a single device queue gives this order at no cost
  devices::copy_overlap device = devices::copy_overlap::none;
  bool shares_processor = true;  // the device computes and copies on the same cores
  bool uses_host_memory = false; // one side of the copy is ordinary memory
  std::uint64_t bytes = 0;
  bool kernel_is_in_the_way =
      false; // a kernel in the device queue is incomplete, and the copy does not depend on it
};

constexpr std::uint64_t large_copy =
    256 * 1024; // bytes; copying more takes longer than synchronizing two device queues over a bus

/// Whether the decision depends on the copy, not only on queue and device.
constexpr bool may_overlap_kernels(const copy_facts& f) {
  return !f.in_order && (f.device == devices::copy_overlap::all ||
                         (f.device == devices::copy_overlap::host_memory && f.uses_host_memory));
}
constexpr bool is_large(const copy_facts& f) { return !f.shares_processor && f.bytes >= large_copy; }
constexpr bool overlaps_kernels(const copy_facts& f) {
  return may_overlap_kernels(f) && (is_large(f) || f.kernel_is_in_the_way);
}

} // namespace prism::runtime
