// OpenCL objects that the program made itself: contexts, queues, memory, kernels, programs, events. Any
// thread.
#pragma once

#include "devices/api/device.hpp"
#include "devices/api/interop.hpp"
#include "devices/opencl/context.hpp"

namespace prism::devices::opencl {

/// A cl_kernel that the program made. The cl_kernel holds its arguments, so a launch sets and uses them in
/// one step.
class adopted_kernel final : public kernel {
public:
  adopted_kernel(context_ptr context, cl_device_id device, kernel_handle made);
  kernel_limits limits() const override;
  void* native(std::string_view what) const noexcept override {
    return what == "cl_kernel" ? m_kernel.get() : nullptr;
  }

  cl_kernel get() const noexcept { return m_kernel.get(); }
  /// Sets the arguments; no other thread can change them while the returned lock is held.
  [[nodiscard]] std::unique_lock<std::mutex> set(const std::vector<native_argument>& arguments);

private:
  void set_one(const native_argument& argument);
  context_ptr m_context;
  cl_device_id m_device;
  kernel_handle m_kernel;
};

class opencl_interop final : public interop {
public:
  opencl_interop(context_ptr context, cl_device_id device, const device_traits& traits)
      : m_context(std::move(context)), m_device(device), m_traits(traits) {}

  void retain(std::string_view what, void* handle) override;
  void release(std::string_view what, void* handle) noexcept override;
  std::vector<adopted_device> adopt_context(void* context) override;
  queue_facts facts_of_queue(void* queue) override;
  std::unique_ptr<queue> adopt_queue(void* queue) override;
  std::unique_ptr<memory> adopt_memory(void* memory) override;
  void* made_over(void* memory) override;
  kernel_facts facts_of_kernel(void* kernel) override;
  std::shared_ptr<kernel> adopt_kernel(void* kernel) override;
  built_kernel build_kernel(std::string_view text, const std::string& name) override;
  program_state state_of_program(void* program) override;
  void* advance_program(void* program, program_state to) override;
  void wait_for_event(void* event) override;
  void* event_of(const timeline_point& point) override;

private:
  program_handle program_of(std::string_view text);
  void check_context(cl_context found, const char* asked) const;
  void check_memory(cl_mem object) const;
  context_ptr m_context;
  cl_device_id m_device;
  const device_traits& m_traits; // of the device that owns this
};

} // namespace prism::devices::opencl
