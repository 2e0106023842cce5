// A SPIR-V module for one device, and its kernels. Pipelines are made at the first dispatch of a work-group
// size, arena length and places of local accessors and kept; making one is what compiles. Any thread may ask
// for a pipeline; one that is made is found without a lock, so that queues which launch the same kernel do
// not wait for each other, nor for who makes another.
#pragma once

#include "devices/vulkan/device.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace prism::devices::vulkan {

class program;

class kernel final : public devices::kernel {
public:
  /// `display_name`: null where loops need no watching.
  kernel(program& owner, std::string entry, std::shared_ptr<const std::string> display_name);
  ~kernel() override;

  kernel_limits limits() const override;
  void* native(std::string_view what) const noexcept override;
  void prepare(const launch_shape& shape) override { pipeline(shape); }

  /// Throws device_error: build when the driver refuses the shader, invalid when the group does not fit the
  /// device.
  VkPipeline pipeline(const launch_shape& shape);
  const std::string& entry() const noexcept { return m_entry; }
  /// For image::push_constants.
  std::uint64_t constants_address() const noexcept;
  /// Whether dispatches need a fault word (image::push_constants).
  bool watched() const noexcept { return m_display_name != nullptr; }
  /// For image::push_constants. Throws device_error{out_of_memory}.
  std::uint64_t order_word() const;
  const std::shared_ptr<const std::string>& display_name() const noexcept { return m_display_name; }
  const std::string& name() const noexcept {
    return m_display_name ? *m_display_name : m_entry;
  } // for people

private:
  struct variant {
    launch_shape shape; // its bytes as the arena has them
    VkPipeline pipeline;
    const variant* next; // made before
  };
  const variant* find(const launch_shape& shape) const noexcept;
  VkPipeline build(const launch_shape& shape) const;

  program& m_program;
  std::string m_entry;
  std::shared_ptr<const std::string> m_display_name;
  std::mutex m_mutex;                            // of who makes one
  std::atomic<const variant*> m_newest{nullptr}; // none goes before the kernel does
};

class program final : public devices::program {
public:
  /// Throws device_error{build} for what is no SPIR-V, needs what the device lacks, or is refused by the
  /// driver.
  program(device& owner, const program_source& source, std::span<const std::byte> cache);
  ~program() override;

  devices::kernel& get_kernel(std::string_view entry) override;
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override;
  void* native(std::string_view what) const noexcept override;

  device& owner() const noexcept { return m_device; }
  VkShaderModule shader() const noexcept { return m_shader; }
  VkPipelineCache cache() const noexcept { return m_cache; }
  std::uint32_t arena_element_bytes() const noexcept { return m_arena_element_bytes; }
  std::uint64_t static_local_bytes() const noexcept { return m_static_local_bytes; }
  /// What its kernels run with; 0 where they do not tell.
  std::uint32_t sub_group_size() const noexcept { return m_sub_group_size; }
  /// Whether dispatches need device::order_word().
  bool orders_all() const noexcept { return m_orders_all; }
  /// Whether its work-groups are launched as one row.
  bool is_flat() const noexcept { return m_is_flat; }
  const std::vector<known_integer>& known() const noexcept { return m_known; }
  /// Of the module's constant data; 0 where it has none.
  std::uint64_t constants_address() const noexcept { return m_constants.owner ? m_constants.address() : 0; }
  bool knows(const image::kernel_constant& which) const noexcept;

  /// The program of what binary() returned; null when it is damaged or of another device or driver.
  static std::unique_ptr<program> from_binary(device& owner, std::span<const std::byte> binary,
                                              const program_source& source);

private:
  device& m_device;
  std::vector<known_integer> m_known;
  std::vector<std::uint32_t> m_words;
  std::uint32_t m_arena_element_bytes = 1;
  std::uint64_t m_static_local_bytes = 0;
  std::uint32_t m_sub_group_size = 0;
  bool m_is_flat = false, m_orders_all = false;
  range m_constants;
  std::string m_log;
  VkShaderModule m_shader = VK_NULL_HANDLE;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
  std::map<std::string, std::unique_ptr<kernel>, std::less<>> m_kernels;
};

} // namespace prism::devices::vulkan
