// Programs and kernels of an OpenCL device.
//
// A kernel here is a name and a layout. The cl_kernels that carry arguments belong to queues (bound_kernel,
// arguments.hpp), because setting arguments is not thread-safe. Any thread may call everything.
#pragma once

#include "devices/api/device.hpp"
#include "devices/opencl/memory.hpp"

#include <map>

namespace prism::devices::opencl {

class bound_kernel;

/// The calling convention of one kernel (devices/api/image.hpp), copied from its record.
struct kernel_layout {
  bool known = false; // false: no record, the fields of the command decide
  bool by_value = true;
  bool has_local = false;
  bool needs_addresses = false;     // follows pointers that no argument names
  bool has_constants = false;       // takes the memory of the program's constant data
  bool by_group = false;            // image kind opencl_c_group: one OpenCL work-item runs a whole group
  std::uint32_t sub_group_size = 0; // image kind opencl_c_sub_groups; 0: another
  bool takes_size() const noexcept { return by_group || sub_group_size != 0; }
  bool watched = false; // takes a fault word and a mark (until the driver is asked: may take them)
  std::shared_ptr<const std::string> display_name; // shared, because messages may outlive the program
  std::uint32_t argument_bytes = 0, static_local_bytes = 0, slot_count = 0;
  std::uint32_t spill_bytes = 0; // by_group: per work-item
  std::uint32_t registers = 0;   // of a work-item, if the build log has them (NVIDIA)
  std::uint64_t stack_bytes = 0; // of a work-item, on a thread's stack (PoCL)
};
kernel_layout layout_of(const image::kernel_record& record, image::kind kind);

class opencl_kernel final : public kernel {
public:
  /// Throws device_error{invalid} if the program has no such kernel or its arguments differ from the layout.
  opencl_kernel(context_ptr context, cl_device_id device, cl_program program, std::string name,
                kernel_layout layout, const opencl_memory* constants);
  ~opencl_kernel() override;
  kernel_limits limits() const override;
  /// "cl_kernel": an instance whose arguments PRISM never sets.
  void* native(std::string_view what) const noexcept override;

  std::uint64_t id() const noexcept { return m_id; }
  const std::string& name() const noexcept { return m_name; }
  const kernel_layout& layout() const noexcept { return m_layout; }
  cl_uint argument_count() const noexcept { return m_argument_count; }
  /// The program's constant data; null if it has none.
  const opencl_memory* constants() const noexcept { return m_constants; }
  /// A new cl_kernel with argument state for one queue. When this kernel is destroyed, it also drops that
  /// cl_kernel.
  std::shared_ptr<bound_kernel> bind();

private:
  kernel_handle instantiate() const;
  context_ptr m_context;
  cl_device_id m_device;
  cl_program m_program;
  std::uint64_t m_id;
  std::string m_name;
  kernel_layout m_layout;
  const opencl_memory* m_constants;
  kernel_handle m_own;
  cl_uint m_argument_count = 0;
  std::mutex m_mutex;
  std::vector<std::weak_ptr<bound_kernel>> m_bound;
};

class opencl_program final : public program {
public:
  opencl_program(context_ptr context, cl_device_id device, program_handle built, std::string log,
                 const device_traits& traits, const program_source& source);
  ~opencl_program() override;
  kernel& get_kernel(std::string_view entry) override;
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override;
  void* native(std::string_view what) const noexcept override;

private:
  context_ptr m_context;
  cl_device_id m_device;
  program_handle m_program;
  std::string m_log;
  std::unique_ptr<opencl_memory> m_constants; // null without constant data
  std::string m_record_entry;
  kernel_layout m_record_layout;
  std::mutex m_mutex;
  std::map<std::string, std::unique_ptr<opencl_kernel>, std::less<>> m_kernels;
};

/// Compiles OpenCL C text. Throws device_error{build} with the driver's log.
std::unique_ptr<opencl_program> build_from_source(const context_ptr& context, cl_device_id device,
                                                  const device_traits& traits, const program_source& source);
/// From opencl_program::binary(); null if it is damaged, from another driver, or refused.
std::unique_ptr<opencl_program> build_from_binary(const context_ptr& context, cl_device_id device,
                                                  const device_traits& traits,
                                                  std::span<const std::byte> binary,
                                                  const program_source& source);
/// What a binary depends on besides the source: driver, device and this backend's format.
std::string binary_fingerprint(const platform_context& context, cl_device_id device);

} // namespace prism::devices::opencl
