#include "samples/vulkan_picture/renderer.hpp"

#include "picture_frag.h" // written by glslangValidator
#include "picture_vert.h"

#include <stdexcept>
#include <vector>

namespace samples {

namespace {

constexpr VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
constexpr auto opaque = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

void check(VkResult result, const char* asked) {
  if (result != VK_SUCCESS)
    throw std::runtime_error(std::string(asked) + " gave VkResult " + std::to_string(result));
}

} // namespace

renderer::renderer(const std::string& device) { find(device); }

renderer::~renderer() {
  if (!m_device) {
    vkDestroyInstance(m_instance, nullptr);
    return;
  }
  vkDestroyCommandPool(m_device, m_commands, nullptr);
  vkDestroyPipeline(m_device, m_pipeline, nullptr);
  vkDestroyPipelineLayout(m_device, m_layout, nullptr);
  vkDestroyDescriptorPool(m_device, m_descriptor_pool, nullptr);
  vkDestroyDescriptorSetLayout(m_device, m_set_layout, nullptr);
  vkDestroyFramebuffer(m_device, m_frame, nullptr);
  vkDestroyRenderPass(m_device, m_pass, nullptr);
  vkDestroyImageView(m_device, m_view, nullptr);
  vkDestroyImage(m_device, m_image, nullptr);
  vkDestroyBuffer(m_device, m_field, nullptr);
  vkDestroyBuffer(m_device, m_pixels, nullptr);
  for (VkDeviceMemory each : {m_image_memory, m_field_memory, m_pixel_memory})
    vkFreeMemory(m_device, each, nullptr);
  vkDestroyDevice(m_device, nullptr);
  vkDestroyInstance(m_instance, nullptr);
}

void renderer::find(const std::string& device) {
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = version;
  VkInstanceCreateInfo instance{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  instance.pApplicationInfo = &application;
  check(vkCreateInstance(&instance, nullptr, &m_instance), "vkCreateInstance");
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  check(vkEnumeratePhysicalDevices(m_instance, &count, all.data()), "vkEnumeratePhysicalDevices");
  for (const VkPhysicalDevice each : all) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(each, &properties);
    if (!m_physical && device == properties.deviceName) m_physical = each;
  }
  if (!m_physical) throw std::runtime_error("Vulkan has no device " + device);
  vkGetPhysicalDeviceQueueFamilyProperties(m_physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(m_physical, &count, families.data());
  while (m_family < count && !(families[m_family].queueFlags & VK_QUEUE_GRAPHICS_BIT)) ++m_family;
  if (m_family == count) throw std::runtime_error(device + " draws nothing: it has no graphics queue");
}

void renderer::open(const std::vector<std::string>& extensions, const void* features) {
  m_extensions = extensions;
  for (const std::string& each : m_extensions) m_names.push_back(each.c_str());
  m_queues.queueFamilyIndex = m_family;
  m_queues.queueCount = 1;
  m_queues.pQueuePriorities = &m_priority;
  m_created.pNext = features;
  m_created.queueCreateInfoCount = 1;
  m_created.pQueueCreateInfos = &m_queues;
  m_created.enabledExtensionCount = std::uint32_t(m_names.size());
  m_created.ppEnabledExtensionNames = m_names.data();
  check(vkCreateDevice(m_physical, &m_created, nullptr, &m_device), "vkCreateDevice");
  vkGetDeviceQueue(m_device, m_family, 0, &m_queue);
}

void renderer::make_image(std::uint32_t width, std::uint32_t height) {
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {width, height, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  check(vkCreateImage(m_device, &info, nullptr, &m_image), "vkCreateImage");
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(m_device, m_image, &needs);
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  memory.allocationSize = needs.size;
  while (!(needs.memoryTypeBits >> memory.memoryTypeIndex & 1)) ++memory.memoryTypeIndex;
  check(vkAllocateMemory(m_device, &memory, nullptr, &m_image_memory), "vkAllocateMemory");
  check(vkBindImageMemory(m_device, m_image, m_image_memory, 0), "vkBindImageMemory");
  VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  view.image = m_image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  check(vkCreateImageView(m_device, &view, nullptr, &m_view), "vkCreateImageView");
}

/// A buffer in the imported memory, or in new memory of the same type that others can import.
void renderer::make_buffer(VkBuffer& buffer, VkDeviceMemory& memory, std::size_t bytes,
                           VkBufferUsageFlags usage, const shared_memory& like, bool imports) {
  VkExternalMemoryBufferCreateInfo shared{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  shared.handleTypes = opaque;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.pNext = &shared;
  info.size = bytes;
  info.usage = usage;
  check(vkCreateBuffer(m_device, &info, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(m_device, buffer, &needs);
  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  import.handleType = opaque;
  import.fd = like.descriptor;
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.handleTypes = opaque;
  VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.pNext = imports ? static_cast<const void*>(&import) : &exported;
  allocation.allocationSize = imports ? like.bytes : needs.size;
  allocation.memoryTypeIndex = like.memory_type;
  check(vkAllocateMemory(m_device, &allocation, nullptr, &memory), "vkAllocateMemory");
  check(vkBindBufferMemory(m_device, buffer, memory, 0), "vkBindBufferMemory");
}

VkDeviceMemory renderer::make_own_memory(VkBuffer buffer, VkMemoryPropertyFlags kind, bool has_address) {
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(m_device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(m_physical, &types);
  std::uint32_t type = 0;
  while (type < types.memoryTypeCount &&
         (!(needs.memoryTypeBits >> type & 1) || (types.memoryTypes[type].propertyFlags & kind) != kind))
    ++type;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  info.pNext = has_address ? &flags : nullptr;
  info.allocationSize = needs.size;
  info.memoryTypeIndex = type;
  VkDeviceMemory made;
  check(vkAllocateMemory(m_device, &info, nullptr, &made), "vkAllocateMemory");
  check(vkBindBufferMemory(m_device, buffer, made, 0), "vkBindBufferMemory");
  return made;
}

VkBuffer renderer::make_field(std::size_t points) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = points * sizeof(float);
  info.usage = field_usage;
  check(vkCreateBuffer(m_device, &info, nullptr, &m_field), "vkCreateBuffer");
  m_field_memory = make_own_memory(m_field, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, true);
  return m_field;
}

VkShaderModule renderer::make_shader(const std::uint32_t* words, std::size_t bytes) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = bytes;
  info.pCode = words;
  VkShaderModule made;
  check(vkCreateShaderModule(m_device, &info, nullptr, &made), "vkCreateShaderModule");
  return made;
}

void renderer::make_descriptors() {
  VkDescriptorSetLayoutBinding binding{};
  binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  binding.descriptorCount = 1;
  binding.stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT;
  VkDescriptorSetLayoutCreateInfo layout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  layout.bindingCount = 1;
  layout.pBindings = &binding;
  check(vkCreateDescriptorSetLayout(m_device, &layout, nullptr, &m_set_layout),
        "vkCreateDescriptorSetLayout");
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  check(vkCreateDescriptorPool(m_device, &pool, nullptr, &m_descriptor_pool), "vkCreateDescriptorPool");
  VkDescriptorSetAllocateInfo allocation{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocation.descriptorPool = m_descriptor_pool;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &m_set_layout;
  check(vkAllocateDescriptorSets(m_device, &allocation, &m_set), "vkAllocateDescriptorSets");
  const VkDescriptorBufferInfo field{m_field, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = m_set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &field;
  vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
}

void renderer::make_pass(std::uint32_t width, std::uint32_t height) {
  VkAttachmentDescription target{};
  target.format = format;
  target.samples = VK_SAMPLE_COUNT_1_BIT;
  target.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE; // every point is drawn
  target.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  VkSubpassDependency copied{}; // the copy reads what was drawn
  copied.dstSubpass = VK_SUBPASS_EXTERNAL;
  copied.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  copied.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  copied.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
  copied.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  VkRenderPassCreateInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  pass.attachmentCount = pass.subpassCount = pass.dependencyCount = 1;
  pass.pAttachments = &target;
  pass.pSubpasses = &subpass;
  pass.pDependencies = &copied;
  check(vkCreateRenderPass(m_device, &pass, nullptr, &m_pass), "vkCreateRenderPass");
  VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  frame.renderPass = m_pass;
  frame.attachmentCount = frame.layers = 1;
  frame.pAttachments = &m_view;
  frame.width = width;
  frame.height = height;
  check(vkCreateFramebuffer(m_device, &frame, nullptr, &m_frame), "vkCreateFramebuffer");
}

void renderer::make_pipeline(std::uint32_t width, std::uint32_t height) {
  const VkPushConstantRange constants{VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof width};
  VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = layout.pushConstantRangeCount = 1;
  layout.pSetLayouts = &m_set_layout;
  layout.pPushConstantRanges = &constants;
  check(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");

  VkPipelineShaderStageCreateInfo stages[2]{};
  for (int i = 0; i < 2; ++i) {
    stages[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[i].stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
    stages[i].module =
        i ? make_shader(picture_frag, sizeof picture_frag) : make_shader(picture_vert, sizeof picture_vert);
    stages[i].pName = "main";
  }
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo triangles{
      VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  triangles.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, float(width), float(height), 0, 1};
  const VkRect2D whole{{0, 0}, {width, height}};
  VkPipelineViewportStateCreateInfo views{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  views.viewportCount = views.scissorCount = 1;
  views.pViewports = &viewport;
  views.pScissors = &whole;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineColorBlendAttachmentState plain{};
  plain.colorWriteMask = 15;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &plain;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &triangles;
  info.pViewportState = &views;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pColorBlendState = &blend;
  info.layout = m_layout;
  info.renderPass = m_pass;
  const VkResult made = vkCreateGraphicsPipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
  for (const auto& stage : stages) vkDestroyShaderModule(m_device, stage.module, nullptr);
  check(made, "vkCreateGraphicsPipelines");
}

void renderer::run(std::uint32_t width, std::uint32_t height, VkSemaphore after, std::uint64_t value) {
  VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = m_family;
  check(vkCreateCommandPool(m_device, &pool, nullptr, &m_commands), "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocation.commandPool = m_commands;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  VkCommandBuffer commands;
  check(vkAllocateCommandBuffers(m_device, &allocation, &commands), "vkAllocateCommandBuffers");
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  VkRenderPassBeginInfo pass{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  pass.renderPass = m_pass;
  pass.framebuffer = m_frame;
  pass.renderArea = {{0, 0}, {width, height}};
  vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_layout, 0, 1, &m_set, 0, nullptr);
  vkCmdPushConstants(commands, m_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof width, &width);
  vkCmdDraw(commands, 3, 1, 0, 0);
  vkCmdEndRenderPass(commands);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {width, height, 1};
  vkCmdCopyImageToBuffer(commands, m_image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, m_pixels, 1, &copy);
  check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  const VkPipelineStageFlags reads_field = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  if (after) {
    submit.pNext = &values;
    submit.waitSemaphoreCount = 1;
    submit.pWaitSemaphores = &after;
    submit.pWaitDstStageMask = &reads_field;
  }
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  const std::lock_guard lock(m_queue_lock);
  check(vkQueueSubmit(m_queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(vkQueueWaitIdle(m_queue), "vkQueueWaitIdle");
}

void renderer::prepare(std::uint32_t width, std::uint32_t height) {
  make_image(width, height);
  make_descriptors();
  make_pass(width, height);
  make_pipeline(width, height);
}

std::vector<std::uint8_t> renderer::draw_own(std::uint32_t width, std::uint32_t height, VkSemaphore after,
                                             std::uint64_t value) {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = VkDeviceSize(width) * height * 4;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  check(vkCreateBuffer(m_device, &info, nullptr, &m_pixels), "vkCreateBuffer");
  m_pixel_memory = make_own_memory(
      m_pixels, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, false);
  prepare(width, height);
  run(width, height, after, value);
  void* mapped = nullptr;
  check(vkMapMemory(m_device, m_pixel_memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  const auto* const first = static_cast<const std::uint8_t*>(mapped);
  return {first, first + info.size};
}

shared_memory renderer::draw(const shared_memory& field, std::uint32_t width, std::uint32_t height) {
  const std::size_t points = std::size_t(width) * height;
  make_buffer(m_field, m_field_memory, points * sizeof(float), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, field,
              true);
  make_buffer(m_pixels, m_pixel_memory, points * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, field, false);
  prepare(width, height);
  run(width, height, VK_NULL_HANDLE, 0);
  const auto get = reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(m_device, "vkGetMemoryFdKHR"));
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = m_pixel_memory;
  info.handleType = opaque;
  shared_memory out;
  check(get(m_device, &info, &out.descriptor), "vkGetMemoryFdKHR");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(m_device, m_pixels, &needs);
  out.bytes = needs.size;
  out.memory_type = field.memory_type;
  return out;
}

} // namespace samples
