// One opened OpenCL device. Any thread.
#pragma once

#include "devices/opencl/command_buffers.hpp"
#include "devices/opencl/interop.hpp"
#include "devices/opencl/memory.hpp"
#include "devices/opencl/program.hpp"
#include "devices/opencl/queue.hpp"

namespace prism::devices::opencl {

class opencl_device final : public device {
public:
  /// Tests whether the host sees changes of adopted memory without a copy. Throws device_error if the device
  /// does not work.
  opencl_device(context_ptr context, cl_device_id device);
  /// A sub-device of another device, in its context.
  opencl_device(context_ptr context, device_handle part);

  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override;
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override;
  std::unique_ptr<program> create_program(const program_source& source) override;
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override;
  std::unique_ptr<queue> create_queue(const queue_options& options) override;
  std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step> steps) override;
  std::string no_command_buffer_reason() const override { return m_command_buffers.refusal; }
  bool can_wait_for(const timeline& other) const noexcept override;
  std::string fingerprint() const override;
  /// "cl_platform_id", "cl_device_id", "cl_context".
  void* native(std::string_view what) const noexcept override;
  std::vector<std::unique_ptr<device>> create_sub_devices(const partition& how) override;
  class interop* interop() noexcept override { return &m_interop; }

private:
  bool adopted_memory_is_coherent();
  void make_pools();
  /// Empty if memory of this kind is a plain cl_mem. Throws device_error{unsupported}.
  std::optional<block_kind> block_for(memory_kind kind) const;
  context_ptr m_context;
  device_handle m_part; // empty unless this is a sub-device
  cl_device_id m_device;
  device_traits m_traits;
  capabilities m_info;
  std::shared_ptr<svm_pool> m_pools[6]; // by block_kind; null if the device does not use that kind, or if
                                        // the host must not access a block that a kernel uses
  opencl_interop m_interop;
  const command_buffer_calls m_command_buffers;
  std::mutex m_recording_mutex;
  queue_handle m_recording; // command buffers are recorded for it; it runs nothing; created when first needed
};

} // namespace prism::devices::opencl
