// Turns a command group into a scheduled command. Each kind of request, in a file of its own, declares its
// uses of buffers; with the buffers locked and their memories chosen it then creates the device work. Lock
// order: buffers, device queue, driver.
#pragma once

#include "runtime/coherence/make_room.hpp"
#include "runtime/submission/queue.hpp"
#include "runtime/submission/transfer.hpp"

#include <cstdint>
#include <initializer_list>

namespace prism::runtime {

/// Throws prism::error and device_error; then nothing was submitted. The caller must have a deferred_release.
command_ref submit_group(queue_state& queue, command_group&& group);

class submission {
public:
  submission(queue_state& queue, command_group& group);
  /// For profiling: the command's execution starts with that of `first`.
  void begin_with(command_ref first) { m_command->begin_with(std::move(first)); }
  command_ref run();

private:
  label_ref label() const;
  command_ref run_and_observe();
  command_ref run_observed(std::uint64_t arrow);
  void submit(empty_request&);
  void submit(kernel_command& kernel);
  void submit(copy_request& copy);
  void submit(fill_request& fill);
  void submit(update_host_request& update);
  void submit(host_task_request& task);
  void submit(native_kernel_request& kernel);

  /// Uses for the requirements, without those of buffers in `except`, for which the request adds its own.
  use_list requirement_uses(std::initializer_list<const buffer_node*> except = {}) const;
  void enqueue();
  /// For an explicit copy or fill, which may run in the queue's second device queue. All its dependencies
  /// must have been added.
  void enqueue_copy(std::uint64_t bytes, bool uses_host_memory);
  /// A command without work, for ordering only.
  static work nothing() { return device_work{{devices::barrier_command{}}}; }
  /// The plan's own copies followed by `commands`.
  static work on_device(const buffer_plan* plan, devices::command_list commands);
  void finish_plan(buffer_plan& plan);

  queue_state& m_queue;
  command_group& m_group;
  device_state& m_device;
  command_ref m_command;
  device_queue_ref m_device_queue; // the device queue that will execute the command
};

/// A buffer's side of an explicit copy. Call after plan.make().
shaped_side side_of(const buffer_plan& plan, const buffer_use& use, bool as_host);

} // namespace prism::runtime
