// A Vulkan program of its own, as a game or a viewer has one: instance, device and graphics pipeline, without
// a swapchain. It knows nothing of PRISM: it shares memory by file descriptors, or its whole device. One
// thread, but another user of its queue may have more.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace samples {

/// An allocation as a file descriptor.
struct shared_memory {
  int descriptor = -1; // an import takes it over
  std::size_t bytes = 0;
  std::uint32_t memory_type = 0;
};

class renderer {
public:
  static constexpr std::uint32_t version = VK_API_VERSION_1_2;

  /// `device`: the name that Vulkan gives it. Throws std::runtime_error if there is none.
  explicit renderer(const std::string& device);
  ~renderer();
  renderer(const renderer&) = delete;

  VkInstance instance() const { return m_instance; }
  VkPhysicalDevice physical() const { return m_physical; }

  /// Opens the device with these extensions and features (for VkDeviceCreateInfo::pNext), which must live as
  /// long as created() is used. Throws std::runtime_error if the driver refuses.
  void open(const std::vector<std::string>& extensions, const void* features);
  VkDevice device() const { return m_device; }
  const VkDeviceCreateInfo& created() const { return m_created; }
  std::uint32_t family() const { return m_family; }
  /// Held while the queue is used.
  std::mutex& queue_lock() { return m_queue_lock; }

  /// A field of the renderer's own, which another user of the device fills.
  VkBuffer make_field(std::size_t points);
  static constexpr VkBufferUsageFlags field_usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  /// Draws the field of make_field when the timeline has reached the value, and waits. Returns the pixels.
  std::vector<std::uint8_t> draw_own(std::uint32_t width, std::uint32_t height, VkSemaphore after,
                                     std::uint64_t value);

  /// Draws the field, width * height floats in another program's memory, and waits. Returns the pixels, width
  /// * height times red, green, blue and 255, in memory of the renderer. Needs VK_KHR_external_memory_fd.
  /// Call it, or draw_own, once.
  shared_memory draw(const shared_memory& field, std::uint32_t width, std::uint32_t height);

private:
  void find(const std::string& device);
  void make_image(std::uint32_t width, std::uint32_t height);
  void make_buffer(VkBuffer& buffer, VkDeviceMemory& memory, std::size_t bytes, VkBufferUsageFlags usage,
                   const shared_memory& like, bool imports);
  VkDeviceMemory make_own_memory(VkBuffer buffer, VkMemoryPropertyFlags kind, bool has_address);
  void make_pass(std::uint32_t width, std::uint32_t height);
  void make_pipeline(std::uint32_t width, std::uint32_t height);
  VkShaderModule make_shader(const std::uint32_t* words, std::size_t bytes);
  void make_descriptors();
  void prepare(std::uint32_t width, std::uint32_t height);
  /// `after`: null, or a timeline that the drawing waits for.
  void run(std::uint32_t width, std::uint32_t height, VkSemaphore after, std::uint64_t value);

  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  std::uint32_t m_family = 0;
  std::mutex m_queue_lock;
  std::vector<std::string> m_extensions; // these five: what m_created points to
  std::vector<const char*> m_names;
  float m_priority = 1;
  VkDeviceQueueCreateInfo m_queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  VkDeviceCreateInfo m_created{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  VkImage m_image = VK_NULL_HANDLE;
  VkImageView m_view = VK_NULL_HANDLE;
  VkDeviceMemory m_image_memory = VK_NULL_HANDLE, m_field_memory = VK_NULL_HANDLE,
                 m_pixel_memory = VK_NULL_HANDLE;
  VkBuffer m_field = VK_NULL_HANDLE, m_pixels = VK_NULL_HANDLE;
  VkRenderPass m_pass = VK_NULL_HANDLE;
  VkFramebuffer m_frame = VK_NULL_HANDLE;
  VkDescriptorSetLayout m_set_layout = VK_NULL_HANDLE;
  VkDescriptorPool m_descriptor_pool = VK_NULL_HANDLE;
  VkDescriptorSet m_set = VK_NULL_HANDLE;
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  VkCommandPool m_commands = VK_NULL_HANDLE;
};

} // namespace samples
