// A Vulkan program of its own, as a game or a viewer has one: instance, device and graphics pipeline, without
// a swapchain. It knows nothing of PRISM but file descriptors. One thread.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace samples {

/// An allocation as a file descriptor.
struct shared_memory {
  int descriptor = -1; // an import takes it over
  std::size_t bytes = 0;
  std::uint32_t memory_type = 0;
};

class renderer {
public:
  /// `device`: the name that Vulkan gives it. Throws std::runtime_error if there is none, or if it lacks
  /// VK_KHR_external_memory_fd.
  explicit renderer(const std::string& device);
  ~renderer();
  renderer(const renderer&) = delete;

  /// Draws the field, width * height floats in another program's memory, and waits. Returns the pixels, width
  /// * height times red, green, blue and 255, in memory of the renderer. Call it once.
  shared_memory draw(const shared_memory& field, std::uint32_t width, std::uint32_t height);

private:
  void open(const std::string& device);
  void make_image(std::uint32_t width, std::uint32_t height);
  void make_buffer(VkBuffer& buffer, VkDeviceMemory& memory, std::size_t bytes, VkBufferUsageFlags usage,
                   const shared_memory& like, bool imports);
  void make_pass(std::uint32_t width, std::uint32_t height);
  void make_pipeline(std::uint32_t width, std::uint32_t height);
  VkShaderModule make_shader(const std::uint32_t* words, std::size_t bytes);
  void make_descriptors();
  void run(std::uint32_t width, std::uint32_t height);

  VkInstance m_instance = VK_NULL_HANDLE;
  VkPhysicalDevice m_physical = VK_NULL_HANDLE;
  VkDevice m_device = VK_NULL_HANDLE;
  VkQueue m_queue = VK_NULL_HANDLE;
  std::uint32_t m_family = 0;
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
