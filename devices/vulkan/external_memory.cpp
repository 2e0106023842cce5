#include "devices/vulkan/external_memory.hpp"

#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/own_descriptor.hpp"

#include <string>

namespace prism::devices::vulkan {

namespace {

constexpr std::uint64_t page = 4096;
constexpr auto opaque_memory = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

} // namespace

block::block(device& owner, std::uint64_t bytes, shared_file file)
    : m_device(owner), m_size(file.imports() ? bytes : round_up(bytes, page)), m_exportable(!file.imports()) {
  own_descriptor descriptor(file.descriptor);
  try {
    make_buffer(opaque_memory);
    VkMemoryRequirements needs;
    m_device.vk().GetBufferMemoryRequirements(m_device.handle(), m_buffer, &needs);
    if (file.imports() && needs.size > bytes)
      throw device_error(error_category::invalid, "",
                         "importing memory: no allocation of the driver has " + std::to_string(bytes) +
                             " bytes; state the size of the whole allocation");
    const auto type = m_device.memories().find_type(needs.memoryTypeBits, placement::device_local);
    const auto& types = m_device.hardware().memory.memoryTypes;
    m_heap = types[type].heapIndex;
    if (!file.imports()) {
      if (!m_device.memories().charge(m_heap, needs.size))
        throw device_error(error_category::out_of_memory, "",
                           "allocating " + std::to_string(bytes) +
                               " bytes of device memory for export: the device's heap has no room for it");
      m_charged = needs.size;
    }
    VkExportMemoryAllocateInfo exports{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    exports.handleTypes = opaque_memory;
    VkImportMemoryFdInfoKHR imports{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
    imports.handleType = opaque_memory;
    imports.fd = descriptor.number();
    const bool mappable = types[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    const void* const how = file.imports() ? static_cast<const void*>(&imports) : &exports;
    allocate(type, file.imports() ? bytes : needs.size, how, mappable && m_device.hardware().unified());
    descriptor.release();
  } catch (...) {
    if (m_memory) descriptor.release();
    release();
    throw;
  }
}

memory::memory(device& owner, std::uint64_t bytes, std::uint64_t alignment, shared_file file)
    : m_device(owner), m_counted(owner.objects().memories), m_bytes(bytes), m_kind(memory_kind::device),
      m_own(std::make_unique<block>(owner, bytes, file)), m_range{m_own.get(), 0, bytes},
      m_host(owner.info().host_visible ? m_own->mapped() : nullptr) {
  const char* const what = file.imports() ? "importing memory" : "allocating memory for export";
  if (!m_own->reserve_address())
    throw device_error(error_category::unsupported, "",
                       std::string(what) + ": its device address is in use by the host");
  if (m_own->address() % alignment)
    throw device_error(error_category::unsupported, "",
                       std::string(what) + ": its device address is no multiple of " +
                           std::to_string(alignment));
}

std::unique_ptr<devices::memory> external_memory::create_exportable(std::uint64_t bytes,
                                                                    std::uint64_t alignment) {
  return std::make_unique<memory>(m_device, bytes, alignment, shared_file{});
}

std::unique_ptr<devices::memory> external_memory::import_memory(int descriptor, std::uint64_t bytes) {
  return std::make_unique<memory>(m_device, bytes, 1, shared_file{descriptor});
}

exported_memory external_memory::export_memory(devices::memory& what) {
  const block& from = static_cast<memory&>(what).in();
  if (!from.exportable())
    throw device_error(error_category::invalid, "", "exporting memory: it was not allocated for export");
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = from.handle();
  info.handleType = opaque_memory;
  exported_memory out;
  m_device.check(m_device.vk().GetMemoryFdKHR(m_device.handle(), &info, &out.descriptor), "exporting memory");
  out.bytes = from.allocated();
  out.memory_type = from.memory_type();
  return out;
}

std::string device::no_external_memory_reason() const {
  if (m_given_back) return m_info.name + " was given back to the program that it belongs to";
  return m_info.shares_memory ? "" : m_info.name + " shares no memory: " + m_physical->not_shared;
}

} // namespace prism::devices::vulkan
