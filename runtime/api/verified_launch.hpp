// PRISM_VERIFY: one kernel launch that is repeated on the host device, and the memory that both use.
// reference.hpp describes the method; its functions are the only callers. A launch belongs to the tasks
// before and after its kernel.
#pragma once

#include "runtime/api/buffer_impl.hpp"
#include "runtime/memory/difference.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

struct verified_use;

namespace verification {

/// Memory that the kernel uses: a root buffer or a USM allocation.
struct area {
  prism::buffer_ptr buffer; // null: USM
  prism::box region;        // the whole buffer
  void* usm = nullptr;
  prism::device_node* owner = nullptr;
  bool is_compared = true;
  prism::memory::comparison how;
  std::string name;
  std::uint64_t bytes = 0;
  void* sources[2] = {};         // the address of a buffer in the task before and in the task after
  std::vector<std::byte> before; // contents before the kernel
  std::uint64_t skew =
      0; // offset of the first byte in its page, so that the reference has the same alignment
};

class guarded_memory;

/// A word of the captured block that points into an area.
struct pointer {
  std::uint64_t at;
  std::size_t area;
  std::uint64_t offset;
};

/// One launch: the memory that it uses, and the tasks before and after it.
struct verified_launch {
  prism::kernel_command kernel;
  std::string name, where; // names of the kernel and of the device
  std::vector<area> areas;
  std::vector<pointer> pointers;
  std::shared_ptr<void> module; // keeps the kernel's code loaded; owned by the last command, not by its body
  std::string obstacle;         // why it cannot be compared
  bool sub_groups_differ =
      false; // the device's sub-group size differs, so results that depend on it may differ

  void save_inputs();
  void compare();
  void compare_all();
  void run_reference(const std::vector<guarded_memory>& memory) const;
  prism::command_ptr submit_task(prism::queue_node& queue, std::vector<prism::command_ptr> after, int which,
                                 std::function<void()> body);
};

/// Returns the launch to verify; null if the command is not a kernel on a device, or cannot be compared.
std::shared_ptr<verified_launch> launch_of(const prism::device_node& device,
                                           const prism::command_group& group,
                                           const std::vector<verified_use>& uses);

}
}
}
} // namespace sycl::_V1::detail::verification
