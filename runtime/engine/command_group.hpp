// Command groups, the commands made from them, and the queues they are submitted to.
#pragma once

#include "runtime/engine/buffer.hpp"
#include "runtime/engine/usm.hpp"
#include "runtime/support/small_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace prism {

/// A submitted command; what sycl::event holds.
class command_node {
public:
  virtual ~command_node() = default;
  enum class status { submitted, running, complete };
  virtual status query() const = 0;
  virtual void wait() = 0;              // never throws the command's own failure
  virtual devices::profile times() = 0; // waits; throws error{invalid} without profiling
  virtual std::vector<std::shared_ptr<command_node>> dependencies() const = 0; // direct ones
  virtual std::exception_ptr failure() const = 0; // stored, prism::error or a host task's own exception
};
using command_ptr = std::shared_ptr<command_node>;

struct queue_settings {
  bool in_order = false;
  bool profiling = false;
};

class queue_node {
public:
  virtual ~queue_node() = default; // does not wait
  virtual device_node& device() const = 0;
  virtual void wait() = 0; // all commands submitted before
  /// Removes and returns the failures of this queue's commands, oldest first.
  virtual std::vector<std::exception_ptr> take_failures() = 0;
  virtual bool empty() const = 0;
  /// Lets the device start all commands submitted before; does not wait.
  virtual void flush() = 0;
  /// Identifies this queue among all queues; only for comparison.
  virtual const void* identity() const = 0;
  /// The driver's object for interop, by its type's name ("cl_command_queue", "VkQueue"); null for an unknown
  /// name.
  virtual void* native(std::string_view what) const = 0;
};
using queue_ptr = std::shared_ptr<queue_node>;
queue_ptr create_queue(device_node& device, const queue_settings& settings);

/// A buffer that this command uses. `token` is the accessor's word in the captured block (0: not captured).
struct requirement {
  buffer_ptr buffer;
  access_mode mode;
  box region; // what is accessed, in elements of the buffer
  // The accessor's own range, where `region` is the whole buffer because pointers could reach the rest: what
  // is accessed on a device that cannot hold the whole buffer.
  std::optional<box> stated{};
  std::uint64_t token = 0;
  std::uint64_t byte_offset =
      0;                // added to the address that replaces the token; excludes the offset of a sub-buffer
  bool on_host = false; // host_task accessor
  void** host_pointer =
      nullptr; // host_task: where to store the address of the buffer's first byte before it runs
  // sycl::stream and the like: not part of a kernel's results, so comparisons of results skip it
  bool is_output = false;
  // host_task, not on_host (interop): where to store the memory object of the queue's device that holds the
  // bytes when the task runs
  devices::memory** device_memory = nullptr;
};

struct local_memory {
  std::uint64_t token;
  std::uint64_t bytes, alignment;
};

/// One of the kernels of a fused launch. Each work-item runs them one after another
/// (runtime/exec_graph/fuse_commands.hpp).
struct fused_kernel {
  const image::kernel_slot* slot = nullptr;
  const char* name = "";
  devices::host_body body;
  std::uint32_t offset = 0, bytes = 0; // its captured bytes within the command's block
};
/// A pointer in the block to memory that is only used within the fused launch. Each work-item gets `stride`
/// bytes of its own; pointers with the same `memory` share them.
struct private_pointer {
  std::uint32_t offset = 0, memory = 0, stride = 0;
};
struct fused_kernel_list {
  std::vector<fused_kernel> kernels;
  std::vector<private_pointer> pointers;
  std::uint64_t item_bytes = 0; // approximate bytes that the kernels access for each work-item
  std::shared_ptr<const void> keep_alive;
};
/// The launch is a part of the command's range: `groups` groups of `local` work-items, from `first` in one
/// dimension, and all in the others. Only in kernels that ask for no group counts.
struct kernel_part {
  devices::extent3 local{1, 1, 1};
  unsigned dimension = 0;
  std::uint64_t first = 0, groups = 0;
};
struct kernel_command {
  const image::kernel_slot* slot = nullptr; // layout-compatible with sycl::detail::kernel_slot
  const char* name = "";                    // for messages and traces
  // the name of the functor's type, from which the location of a lambda can be read; null: not known
  const char* functor = nullptr;
  devices::host_body body;
  pool::vector<std::byte> captured;
  // parallel_for(range) or single_task: the engine chooses the local size and the kernel checks its range
  bool is_range = true;
  devices::extent3 global{1, 1, 1}; // items, x fastest. nd_range: a multiple of local
  devices::extent3 local{0, 0, 0};  // nd_range only
  // the group size may be reduced below `local`; the number of groups stays (hierarchical kernels)
  bool fits_group = false;
  bool is_hierarchical = false;
  bool fixes_order = false; // its sums have the order that does not depend on the device
  std::vector<local_memory> locals;
  std::vector<image::hidden_argument>
      hidden; // host device, kernels without an image: contents of `captured` after the closure
  devices::item_order order = devices::item_order::any; // host device
  std::shared_ptr<const fused_kernel_list> fused;       // host device: instead of `slot` and `body`
  std::optional<kernel_part> part;                      // is_range
};
/// One side of an explicit copy: a buffer region or a raw pointer (host or USM).
struct copy_side {
  buffer_ptr buffer;
  box region;              // with buffer
  void* pointer = nullptr; // without buffer
  std::shared_ptr<void> keep_alive;
};
/// Between pointers: `rows` rows of `bytes` bytes. The pitch is the distance between starts of rows (at least
/// `bytes`).
struct copy_request {
  copy_side from, to;
  std::uint64_t bytes = 0, rows = 1, from_pitch = 0, to_pitch = 0;
};
struct fill_request {
  copy_side to;
  std::uint64_t bytes = 0;
  std::vector<std::byte> pattern;
  std::uint64_t rows = 1, pitch = 0;
};
/// A kernel that PRISM did not compile, with all its arguments.
struct native_kernel_argument {
  enum class kind { value, pointer, accessor, local };
  kind what = kind::value;
  std::uint32_t index = 0;
  std::vector<std::byte> value;  // value
  const void* pointer = nullptr; // pointer: USM or null
  std::uint64_t token = 0;       // accessor: a requirement of the group
  std::uint64_t bytes = 0;       // local: of the work-group's memory
};
struct native_kernel_request {
  std::shared_ptr<devices::kernel> kernel; // of devices::interop
  devices::extent3 global{1, 1, 1}, local{0, 0, 0},
      offset{0, 0, 0}; // items, x fastest; if local is zero, the driver chooses it
  std::vector<native_kernel_argument> arguments;
};
struct update_host_request {
  buffer_ptr buffer;
  box region;
};
struct host_task_request {
  std::function<void()> body;
};
struct empty_request {}; // barrier / command group without a command

using request = std::variant<empty_request, kernel_command, copy_request, fill_request, update_host_request,
                             host_task_request, native_kernel_request>;

struct command_group {
  request what;
  source_line line; // of the call; for a kernel the line of its functor may be used instead
  small_vector<requirement, 4> requirements;
  std::vector<command_ptr> dependencies; // depends_on
  // waits for all commands submitted to the queue earlier, and later command groups wait for it
  bool barrier = false;
  bool holds_later = false;    // later command groups wait for it, but it does not wait for earlier ones
  bool claims_regions = false; // waits for users of the requirements' regions, not of their whole buffers
  std::vector<std::shared_ptr<void>> keep_alive; // released once the command is complete
};

/// "app.cpp:12"; empty when it is not known. The line of the call, otherwise the line of the kernel's lambda.
std::string line_of(const command_group& group);

/// Checks the group, plans copies, then submits the command or defers its submission. Throws prism::error for
/// errors found before submission (kernel_not_supported, nd_range, invalid, ...); then nothing was submitted.
command_ptr submit(queue_node& queue, command_group&& group);

/// A fresh accessor token: non-canonical, unique in the process. Bits 63..47 of a canonical address are all
/// equal; in a token they are not.
std::uint64_t new_token();
inline constexpr std::uint64_t token_mark = 0x5a1dull << 48;
/// Whether the word can be a token.
constexpr bool is_token(std::uint64_t word) { return (word >> 48) == (token_mark >> 48); }
/// Whether new_token returned this word.
bool token_was_given(std::uint64_t word);

} // namespace prism
