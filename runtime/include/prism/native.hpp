// Native commands: the program enqueues work on a driver itself, as a command of a SYCL queue. Examples are a
// library's kernels on OpenCL or a library call on the host device. The command is ordered, profiled and
// waited for as any other command. No thread waits for it, and data moves as for a kernel.
//
//   queue.submit([&](sycl::handler& h) {
//     sycl::accessor x(in, h, sycl::read_only);
//     sycl::accessor y(out, h, sycl::write_only);
//     prism::native_command(h, [=](const prism::native_work& w) -> void* {
//       ... enqueue on w.queue ...;
//       return event;
//     }, x, y);
//   });
//
// The host device calls the function on a thread of the device, after the command's dependencies are
// complete; the function does the work and returns null. OpenCL calls the function when the command is
// submitted to the driver, usually immediately and on the thread that called submit. There the function
// enqueues on the cl_command_queue with `waits` as the wait list, and returns a cl_event that completes with
// its work, or null if it enqueued nothing. PRISM takes over one reference to that event. The function must
// not wait, and must not use SYCL objects. If the function throws on the host device, the exception is an
// asynchronous error. On OpenCL submit throws it, unless the command had to wait for another driver: then it
// is an asynchronous error too. The function is destroyed when the command is complete. Source:
// sycl_ext_codeplay_enqueue_native_command, extended by events in both directions.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/handler.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace prism {

/// The location of an argument. On the host device: `pointer`. On OpenCL: `object` is a cl_mem and `offset`
/// is in bytes; `pointer` is the address of the same data if the device has shared virtual memory, else null.
/// Null pointers stay null.
struct native_argument {
  void* pointer = nullptr;
  void* object = nullptr;
  std::uint64_t offset = 0;
};

struct native_work {
  void* queue = nullptr; // cl_command_queue; host device: null
  bool queue_is_in_order = true;
  const native_argument* arguments = nullptr;
  std::size_t argument_count = 0;
  void* const* waits = nullptr; // cl_event; the runtime owns them
  std::size_t wait_count = 0;
};

/// Makes `function` the command of the group. `arguments` are accessors of this group and USM pointers; the
/// function finds them in native_work::arguments in this order. Throws sycl::exception: feature_not_supported
/// if the device is neither the host device nor an OpenCL device, invalid if the group has a command already.
template <typename Function, typename... Arguments>
void native_command(sycl::handler& group, Function&& function, const Arguments&... arguments) {
  group.set_args(arguments...);
  group.prism_native(std::forward<Function>(function));
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
