// PRISM_VERIFY=reference: every kernel that runs on a device also runs on the host device, with the same
// inputs. The first element that differs is logged with kernel, memory, index and both values. Launches that
// could not be compared are counted by reason, and the counts are printed at the end of the process.
//
// PRISM_CHECK=order: after every kernel with work-groups, on any device, the host device runs it with the
// same inputs in several orders of its work-items, between barriers, and of its groups. A kernel whose
// barriers suffice gives the same results in all of them. The first element that differs is logged.
//
// Two host tasks surround a kernel's command: the first copies the kernel's inputs, the second runs the
// reference and compares. Both use the same buffers as the kernel, so everything stays asynchronous and the
// runtime orders it. USM is found through the pointers that the kernel captures. Since SYCL has no
// declarations of USM use, commands that name the same allocation run one after another while verification is
// on.
//
// Thread-safe. If the variable is not set, the cost is one load and a branch.
#pragma once

#include "runtime/api/buffer_impl.hpp"

namespace sycl {
inline namespace _V1 {
namespace detail {

bool verifies() noexcept;

/// Buffers that a command group uses, with the token of each accessor and its first byte in the root buffer.
struct verified_use {
  std::uint64_t token;
  std::shared_ptr<buffer_impl> buffer;
  std::uint64_t byte_offset;
  bool discards; // the previous contents are compared only where the reference writes too
};

/// As prism::submit, with verification. `end` becomes the command of the comparison, which is the end of the
/// group; it is unchanged if nothing is compared. Throws what prism::submit throws.
prism::command_ptr submit_verified(prism::queue_node& queue, prism::command_group&& group,
                                   const std::vector<verified_use>& uses, prism::command_ptr& end);

/// Waits for the comparison that reads the allocation. Called before it is freed, because the program may
/// free it when the kernel is done, without waiting for the event.
void wait_for_verification(const void* allocation);

}
}
} // namespace sycl::_V1::detail
