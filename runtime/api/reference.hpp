// PRISM_VERIFY=reference: every kernel that a device runs is run on the host device too, from the same
// inputs, and the first element that differs is reported in the log with kernel, memory, index and both
// values. What could not be compared is counted by reason and told at the end of the process.
//
// Around a kernel's command stand two host tasks: one keeps what it reads, one runs the reference and
// compares. Both use the same buffers, so everything stays asynchronous and ordered by the engine. USM is
// found through the pointers that the kernel captures; since nobody declares who uses it, commands that name
// one allocation run one after another while this is on.
//
// Any thread. When the variable is unset everything here is one load and a branch.
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
  bool discards; // what was there counts only where the reference writes too
};

/// prism::submit for a group that is ready for the engine; `end` becomes the comparison's command, the end of
/// the group, and stays as it is where nothing is compared. Throws what prism::submit throws.
prism::command_ptr submit_verified(prism::queue_node& queue, prism::command_group&& group,
                                   const std::vector<verified_use>& uses, prism::command_ptr& end);

/// Before an allocation is freed: waits for the comparison that reads it. The program may know that the
/// kernel is done otherwise than by its event.
void wait_for_verification(const void* allocation);

}
}
} // namespace sycl::_V1::detail
