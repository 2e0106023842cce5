// Work that a program gives to a driver itself, as a command of a SYCL queue: a library's kernels on OpenCL,
// a library's call on the host device. It is ordered, profiled and waited for as any command, no thread waits
// for it, and data moves as for a kernel.
//
//   queue.submit([&](sycl::handler& h) {
//     sycl::accessor x(in, h, sycl::read_only);
//     sycl::accessor y(out, h, sycl::write_only);
//     prism::native_command(h, [=](const prism::native_work& w) -> void* { ... enqueue on w.queue ...; return
//     event; }, x, y);
//   });
//
// Where the function runs: on the host device, on a thread of the device, when everything before it is
// complete; it does the work and returns null. On OpenCL, when the command is given to the driver, which is
// usually at once on the caller's thread: it enqueues on the cl_command_queue, after the cl_events of
// `waits`, and returns a cl_event with one reference for PRISM that means the end of its work, or null when
// it enqueued nothing. It must not wait, nor use SYCL objects. What it throws is an asynchronous error on the
// host device; on OpenCL submit throws it, or, of a command that had to wait for another driver, it is an
// asynchronous error. The function is destroyed when the command is complete. Source:
// sycl_ext_codeplay_enqueue_native_command, with events in and out.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/handler.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace prism {

/// Where an argument is. Host device: `pointer`. OpenCL: `object` is a cl_mem and `offset` counts bytes in
/// it; `pointer` is the same place where the device has shared virtual memory, else null. Null pointers stay
/// null.
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
  void* const* waits = nullptr; // cl_event, the caller's
  std::size_t wait_count = 0;
};

/// The group's command. `arguments`: accessors of this group and USM pointers, in the order in which the
/// function finds them. Throws sycl::exception: feature_not_supported on a device that is neither the host
/// nor OpenCL's, invalid for a second command.
template <typename Function, typename... Arguments>
void native_command(sycl::handler& group, Function&& function, const Arguments&... arguments) {
  group.set_args(arguments...);
  group.prism_native(std::forward<Function>(function));
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
