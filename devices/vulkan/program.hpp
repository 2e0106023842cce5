// A SPIR-V module for one device, and its kernels. The first dispatch with a work-group size, arena length
// and local accessor offsets creates a pipeline, which compiles, and caches it. Any thread may ask for a
// pipeline. An existing one is found without a lock, so that queues that launch the same kernel wait neither
// for each other nor for a thread that creates a pipeline.
#pragma once

#include "devices/vulkan/device.hpp"
#include "devices/vulkan/lower/argument_buffers.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace prism::devices::vulkan {

class program;

/// How a module of a program reaches memory, and whether it needs few work-items
/// (lower/argument_buffers.hpp).
enum class module_kind : std::uint8_t { by_addresses, by_buffers, by_buffers_with_small_numbers };
inline constexpr std::size_t module_kinds = 3;

/// The blocks that a launch binds; none: it uses addresses.
struct argument_blocks {
  const block* which[lower::most_argument_buffers] = {};
  std::uint32_t count = 0;
};

class kernel final : public devices::kernel {
public:
  /// `display_name`: null if dispatches need no fault word.
  kernel(program& owner, std::string entry, std::shared_ptr<const std::string> display_name);
  ~kernel() override;

  kernel_limits limits() const override;
  void* native(std::string_view what) const noexcept override;
  void prepare(const launch_shape& shape) override;

  /// Throws device_error: build if the driver refuses the shader, invalid if the group exceeds the device's
  /// limits.
  VkPipeline pipeline(const launch_shape& shape, module_kind kind);
  /// The module for a launch that binds `blocks`.
  module_kind kind_for(const argument_blocks& blocks, const dispatch_command& launch) const noexcept;
  /// The buffers behind the pointers among the arguments, by binding; empty if the kernel or a pointer needs
  /// addresses.
  argument_blocks blocks_of(std::span<const std::byte> arguments, pointer_cache& known) const;
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
    launch_shape shape; // with the arena's bytes
    module_kind kind;
    VkPipeline pipeline;
    const variant* next; // the variant made before
  };
  const variant* find(const launch_shape& shape, module_kind kind) const noexcept;
  VkPipeline build(const launch_shape& shape, module_kind kind) const;

  program& m_program;
  std::string m_entry;
  std::shared_ptr<const std::string> m_display_name;
  std::mutex m_mutex;                            // held to create a variant
  std::atomic<const variant*> m_newest{nullptr}; // variants live as long as the kernel
};

class program final : public devices::program {
public:
  /// Throws device_error{build} if the image is not SPIR-V, needs features that the device lacks, or the
  /// driver refuses it.
  program(device& owner, const program_source& source, std::span<const std::byte> cache);
  ~program() override;

  devices::kernel& get_kernel(std::string_view entry) override;
  const std::string& build_log() const noexcept override { return m_log; }
  std::vector<std::byte> binary() const override;
  void* native(std::string_view what) const noexcept override;

  device& owner() const noexcept { return m_device; }
  VkShaderModule shader(module_kind kind) const noexcept { return m_shaders[std::size_t(kind)]; }
  /// What launches of the module with small numbers must meet; nullptr if there is no such module.
  const std::vector<lower::number_limit>* limits() const noexcept {
    return shader(module_kind::by_buffers_with_small_numbers) ? &m_limits : nullptr;
  }
  /// Where the argument block has pointers whose memory the kernel can reach through buffers
  /// (lower/argument_buffers.hpp); empty if it needs addresses.
  const std::vector<lower::argument_pointer>& argument_pointers() const noexcept {
    return m_argument_pointers;
  }
  VkPipelineCache cache() const noexcept { return m_cache; }
  std::uint32_t arena_element_bytes() const noexcept { return m_arena_element_bytes; }
  std::uint64_t static_local_bytes() const noexcept { return m_static_local_bytes; }
  /// The size of its kernels' sub-groups that pipelines may require; 0 if the kernels do not depend on it.
  std::uint32_t sub_group_size() const noexcept { return m_sub_group_size; }
  /// Whether dispatches need device::order_word().
  bool orders_all() const noexcept { return m_orders_all; }
  std::uint64_t private_bytes() const noexcept { return m_private_bytes; }
  /// Whether its 64-bit specialisation constants are two words each (lower/lower.hpp).
  bool has_word_pairs() const noexcept { return m_has_word_pairs; }
  /// Whether its work-groups are launched as one row.
  bool is_flat() const noexcept { return m_is_flat; }
  /// Whether a work-item that the driver stopped in a loop reports it.
  bool checks_loops() const noexcept { return m_checks_loops; }
  /// Whether sub-groups hold matrices.
  bool uses_matrices() const noexcept { return m_uses_matrices; }
  bool fixes_order() const noexcept { return m_fixes_order; }
  const std::vector<known_integer>& known() const noexcept { return m_known; }
  /// Of the module's constant data; 0 if it has none.
  std::uint64_t constants_address() const noexcept { return m_constants.owner ? m_constants.address() : 0; }
  bool knows(const image::kernel_constant& which) const noexcept;

  /// A program from the result of binary(); null if it is damaged or from another device or driver.
  static std::unique_ptr<program> from_binary(device& owner, std::span<const std::byte> binary,
                                              const program_source& source);

private:
  void make_shader(std::span<const std::uint32_t> words, module_kind kind, const std::string& asked);
  void make_shaders(std::span<const std::uint32_t> words, const program_source& source,
                    const std::string& asked);

  device& m_device;
  counted_object m_counted{m_device.objects().programs};
  std::vector<known_integer> m_known;
  std::vector<std::uint32_t> m_words;
  std::uint32_t m_arena_element_bytes = 1;
  std::uint64_t m_static_local_bytes = 0, m_private_bytes = 0;
  std::uint32_t m_sub_group_size = 0;
  bool m_is_flat = false, m_orders_all = false, m_has_word_pairs = false, m_fixes_order = false;
  bool m_checks_loops = false, m_uses_matrices = false;
  range m_constants;
  std::string m_log;
  VkShaderModule m_shaders[module_kinds] = {}; // by module_kind
  std::vector<lower::argument_pointer> m_argument_pointers;
  std::vector<lower::number_limit> m_limits;
  VkPipelineCache m_cache = VK_NULL_HANDLE;
  std::map<std::string, std::unique_ptr<kernel>, std::less<>> m_kernels;
};

} // namespace prism::devices::vulkan
