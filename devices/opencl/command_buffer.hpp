// Commands recorded once as a command buffer of cl_khr_command_buffer: launches (each with its own cl_kernel
// and captured block), copies between device memory, fills. Any thread may make one; queue::execute runs it.
#pragma once

#include "devices/opencl/arguments.hpp"
#include "devices/opencl/command_buffers.hpp"

namespace prism::devices::opencl {

class opencl_command_buffer final : public devices::command_buffer {
public:
  /// Null if a step cannot be recorded. That is a launch whose kernel follows pointers that no argument names
  /// (recording would name the blocks of now), a watched launch (its mark belongs to one submission), a
  /// native kernel, or a copy or fill that takes several calls or the host. Also null if the driver does not
  /// record a step. `recording`: an in-order queue; it outlives this object.
  static std::unique_ptr<opencl_command_buffer> make(const context_ptr& context,
                                                     const command_buffer_calls& calls,
                                                     cl_command_queue recording, bool has_fine_svm,
                                                     std::span<const command_buffer_step> steps);
  opencl_command_buffer(context_ptr context, const command_buffer_calls& calls, cl_command_queue recording,
                        bool has_fine_svm);
  ~opencl_command_buffer() override;

  bool may_cost_more() const noexcept override {
    return true;
  } // PoCL 3.1 creates the recorded commands again in each execution
  /// The recorded commands, for queues that must submit each one.
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
  std::vector<std::unique_ptr<opencl_memory>> m_blocks; // captured blocks that are not passed by value
};

} // namespace prism::devices::opencl
