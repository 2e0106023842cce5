// Memory and semaphores shared by file descriptors: VK_KHR_external_memory_fd and
// VK_KHR_external_semaphore_fd, handles of type OPAQUE_FD. Each allocation is
// a VkDeviceMemory of its own, with one buffer over all of it. Any thread.
#pragma once

#include "devices/api/external.hpp"

namespace prism::devices::vulkan {

class device;

class external_memory final : public devices::external_memory {
public:
  explicit external_memory(device& owner) : m_device(owner) {}
  std::unique_ptr<devices::memory> create_exportable(std::uint64_t bytes, std::uint64_t alignment) override;
  exported_memory export_memory(devices::memory& what) override;
  std::unique_ptr<devices::memory> import_memory(int descriptor, std::uint64_t bytes) override;
  // external_semaphore.cpp:
  std::string no_semaphore_reason(semaphore_kind kind) const override;
  std::unique_ptr<devices::external_semaphore> create_semaphore(semaphore_kind kind) override;
  std::unique_ptr<devices::external_semaphore> import_semaphore(int descriptor, semaphore_kind kind) override;

private:
  device& m_device;
};

} // namespace prism::devices::vulkan
