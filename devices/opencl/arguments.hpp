// The arguments of one kernel on one queue: its own cl_kernel and the argument values that were last set, so
// that a repeated launch sets only what changed. One thread at a time (the queue's), except drop_kernel,
// which the kernel's owner calls when no launch is in flight.
#pragma once

#include "devices/opencl/memory.hpp"
#include "devices/opencl/program.hpp"

namespace prism::devices::opencl {

/// As clEnqueueNDRangeKernel takes it. `empty`: no work-items.
struct launch_size {
  std::size_t local[3], global[3], offset[3];
  cl_uint dimensions = 1;
  bool empty = false;
};
launch_size size_of(const dispatch_command& command, const kernel_layout& layout);

class bound_kernel {
public:
  bound_kernel(context_ptr context, kernel_handle instance, const opencl_kernel& owner);

  /// Sets every argument of `command` that differs from the last launch. `block` holds the captured bytes if
  /// they are not passed by value (see passes_by_value). Throws device_error; the next bind then sets all
  /// arguments. `fault`: where a watched kernel stores `mark`.
  void bind(const dispatch_command& command, const opencl_memory* block, const opencl_memory* fault,
            cl_uint mark);
  bool watched() const noexcept { return m_layout.watched; }
  const kernel_layout& layout() const noexcept { return m_layout; }
  const std::shared_ptr<const std::string>& display_name() const noexcept { return m_layout.display_name; }
  bool passes_by_value(const dispatch_command& command) const noexcept;
  cl_kernel get() const noexcept { return m_instance.get(); }

  void drop_kernel() noexcept {
    m_instance.reset();
    m_dropped.store(true, std::memory_order_release);
  }
  bool dropped() const noexcept { return m_dropped.load(std::memory_order_acquire); }

private:
  /// The value of an argument: an object by its id, or an address under an epoch of the SVM registry.
  struct base_key {
    std::uint64_t id = 0, address = 0, epoch = 0; // all zero: not set
    bool operator==(const base_key&) const = default;
  };
  struct slot_state {
    base_key base;
    std::uint64_t offset = 0;
    bool offset_set = false;
    bool was_svm = false; // in this kernel object
  };
  void forget() noexcept;
  void bind_captured(const dispatch_command& command, const opencl_memory* block);
  void bind_slot(cl_uint index, const slot_binding& binding, slot_state& state);
  void set_base(cl_uint index, const base_key& key, base_key& last, const opencl_memory* object,
                std::uint64_t address);
  /// Makes a new kernel object, without arguments, if a slot cannot become what the command has.
  slot_binding accepted(const slot_binding& binding) const;
  void renew_for(const dispatch_command& command);
  void set_value(cl_uint index, std::size_t bytes, const void* value, const char* what);
  void bind_group(cl_uint first, const extent3& local);
  void name_blocks();
  void name_usm();
  void name(address_kind kind, cl_kernel_exec_info as);
  [[noreturn]] void refuse(cl_int code, cl_uint index, const char* what) const;

  context_ptr m_context;
  kernel_handle m_instance;
  std::string m_name;
  kernel_layout m_layout;
  const opencl_memory* m_constants;
  cl_uint m_argument_count;
  std::atomic<bool> m_dropped{false};
  std::vector<std::byte> m_captured; // last value; empty: not set
  base_key m_block, m_constants_set, m_fault;
  std::uint64_t m_local_bytes = 0;
  extent3 m_group{0, 0, 0}; // last size given to a group image; zero: not set
  std::vector<slot_state> m_slots;
  std::uint64_t m_named_epoch = 0;
};

} // namespace prism::devices::opencl
