// Commands recorded once as a command buffer of cl_khr_command_buffer: launches with cl_kernels and captured
// blocks of their own, copies between device memory, fills. Any thread may make one; queue::execute runs it.
#pragma once

#include "devices/opencl/arguments.hpp"
#include "devices/opencl/command_buffers.hpp"

namespace prism::devices::opencl {

class opencl_command_buffer final : public devices::command_buffer {
public:
  /// Null when a step cannot be kept: a launch whose kernel follows pointers that no argument names (the
  /// blocks it is told of would be those of now), that is watched (its mark belongs to one submission) or the
  /// program's own; a copy or fill that takes several calls or the host. Null too when the driver does not
  /// record a step. `recording`: an in-order queue, outlives this.
  static std::unique_ptr<opencl_command_buffer> make(const context_ptr& context,
                                                     const command_buffer_calls& calls,
                                                     cl_command_queue recording, bool has_fine_svm,
                                                     std::span<const command_buffer_step> steps);
  opencl_command_buffer(context_ptr context, const command_buffer_calls& calls, cl_command_queue recording,
                        bool has_fine_svm);
  ~opencl_command_buffer() override;

  bool may_cost_more() const noexcept override {
    return true;
  } // PoCL 3.1 makes the recorded commands anew in each run
  /// What it holds, for queues that must submit each command.
  std::span<const command> commands() const noexcept { return m_commands; }
  cl_int enqueue(cl_command_queue on, cl_uint count, const cl_event* waits, cl_event* event) const {
    return m_calls.enqueue(1, &on, m_buffer, count, waits, event);
  }

private:
  bool record(std::span<const command_buffer_step> steps);
  cl_int record(const dispatch_command& command);
  cl_int record(const copy_command& command);
  cl_int record(const fill_command& command);
  cl_int record(const barrier_command&) { return CL_SUCCESS; }
  const opencl_memory* block_of(const dispatch_command& command);

  context_ptr m_context;
  const command_buffer_calls& m_calls;
  cl_command_queue m_recording;
  bool m_has_fine_svm;
  cl_command_buffer* m_buffer = nullptr;
  std::vector<command> m_commands;
  std::vector<std::shared_ptr<bound_kernel>> m_kernels;
  std::vector<std::unique_ptr<opencl_memory>> m_blocks; // captured blocks that do not go by value
};

} // namespace prism::devices::opencl
