// A program's VkBuffer as memory of its device.
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"

#include <string>

namespace prism::devices::vulkan {

namespace {

[[noreturn]] void refuse(error_category category, const std::string& why) {
  throw device_error(category, "", "using a VkBuffer: " + why);
}

/// What kernels and copies use a buffer for. Throws device_error{invalid} with the names of what is missing.
void require_usage(VkBufferUsageFlags usage) {
  constexpr struct {
    VkBufferUsageFlagBits bit;
    const char* name;
  } needed[] = {{VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT, "VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT"},
                {VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "VK_BUFFER_USAGE_STORAGE_BUFFER_BIT"},
                {VK_BUFFER_USAGE_TRANSFER_SRC_BIT, "VK_BUFFER_USAGE_TRANSFER_SRC_BIT"},
                {VK_BUFFER_USAGE_TRANSFER_DST_BIT, "VK_BUFFER_USAGE_TRANSFER_DST_BIT"}};
  std::string lacks;
  for (const auto& each : needed)
    if (!(usage & each.bit)) lacks += (lacks.empty() ? "" : ", ") + std::string(each.name);
  if (!lacks.empty()) refuse(error_category::invalid, "its usage lacks " + lacks);
}

} // namespace

block::block(device& owner, const vulkan_buffer& program) : m_device(owner), m_is_adopted(true) {
  if (program.buffer == nullptr) refuse(error_category::invalid, "it is null");
  if (program.bytes == 0) refuse(error_category::invalid, "it has 0 bytes");
  if (program.offset > UINT64_MAX - program.bytes)
    refuse(error_category::invalid, "the end of its range has no number");
  if (owner.hardware().lacks().addresses)
    refuse(error_category::unsupported,
           owner.info().name + " has no bufferDeviceAddress, so kernels reach one buffer only");
  require_usage(program.usage);
  m_buffer = reinterpret_cast<VkBuffer>(program.buffer);
  m_size = program.offset + program.bytes;
  VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  info.buffer = m_buffer;
  m_address = m_device.vk().GetBufferDeviceAddress(m_device.handle(), &info);
  if (m_address == 0) refuse(error_category::invalid, "the driver has no address for it");
  m_device.memories().places().enter(m_address, m_size, this);
}

/// Its host pointer is null: whether the program maps the memory is not known, so copies are staged.
memory::memory(device& owner, const vulkan_buffer& program)
    : m_device(owner), m_counted(owner.objects().memories), m_bytes(program.bytes),
      m_kind(memory_kind::device), m_own(std::make_unique<block>(owner, program)),
      m_range{m_own.get(), program.offset, program.bytes} {
  // The memory of a driver in this process lies at the driver's own host addresses.
  if (!m_own->reserve_address() && !owner.info().software)
    refuse(error_category::unsupported,
           "its device address is in use: by the host, or by another range of the buffer");
}

} // namespace prism::devices::vulkan
