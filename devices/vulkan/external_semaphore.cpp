// Semaphores shared by file descriptors, and those of programs that call Vulkan. The device's queues signal
// them and wait for binary ones. The host waits for a timeline, because a wait in a VkQueue holds up all its
// later work, on which the signal may depend; a program may state that this does not matter.
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/own_descriptor.hpp"
#include "devices/vulkan/semaphore_use.hpp"

#include <string>

namespace prism::devices::vulkan {

namespace {

constexpr auto opaque_semaphore = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

class external_semaphore final : public devices::external_semaphore {
public:
  /// `import`: a descriptor, or -1 for a semaphore that others import.
  external_semaphore(device& owner, semaphore_kind kind, int import);
  /// A semaphore of the program, which it keeps.
  external_semaphore(device& owner, semaphore_kind kind, VkSemaphore program, bool device_waits);
  ~external_semaphore() override { release(); }
  const devices::device& owner() const noexcept override { return m_device; }
  std::shared_ptr<devices::kernel> command(bool waits, std::uint64_t value) override;
  void wait(std::uint64_t value) override;
  void signal(std::uint64_t value) override;
  int export_descriptor() override;

private:
  void take(int descriptor);
  void release() noexcept;

  device& m_device;
  counted_object m_counted{m_device.objects().semaphores};
  const bool m_is_timeline, m_is_imported, m_is_adopted = false, m_device_waits = false;
  VkSemaphore m_shared = VK_NULL_HANDLE;
};

external_semaphore::external_semaphore(device& owner, semaphore_kind kind, int import)
    : m_device(owner), m_is_timeline(kind == semaphore_kind::timeline), m_is_imported(import >= 0) {
  VkExportSemaphoreCreateInfo exports{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
  exports.handleTypes = opaque_semaphore;
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = m_is_timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
  if (!m_is_imported) type.pNext = &exports;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  try {
    owner.check(owner.vk().CreateSemaphore(owner.handle(), &info, nullptr, &m_shared),
                "creating a shared semaphore");
    if (m_is_imported) take(import);
  } catch (...) {
    release();
    throw;
  }
}

external_semaphore::external_semaphore(device& owner, semaphore_kind kind, VkSemaphore program,
                                       bool device_waits)
    : m_device(owner), m_is_timeline(kind == semaphore_kind::timeline), m_is_imported(true),
      m_is_adopted(true), m_device_waits(device_waits), m_shared(program) {}

void external_semaphore::release() noexcept {
  if (m_shared && !m_is_adopted) m_device.vk().DestroySemaphore(m_device.handle(), m_shared, nullptr);
}

void external_semaphore::take(int descriptor) {
  VkImportSemaphoreFdInfoKHR info{VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR};
  info.semaphore = m_shared;
  info.handleType = opaque_semaphore;
  own_descriptor own(descriptor);
  info.fd = own.number();
  const VkResult done = m_device.vk().ImportSemaphoreFdKHR(m_device.handle(), &info);
  if (done == VK_SUCCESS) own.release();
  m_device.check(done, "importing a semaphore");
}

std::shared_ptr<devices::kernel> external_semaphore::command(bool waits, std::uint64_t value) {
  if (waits && m_is_timeline && !m_device_waits) return nullptr;
  return std::make_shared<semaphore_use>(semaphore_value{m_shared, value}, waits);
}

void external_semaphore::wait(std::uint64_t value) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &m_shared;
  info.pValues = &value;
  m_device.check(m_device.vk().WaitSemaphores(m_device.handle(), &info, ~0ull),
                 "waiting for a shared semaphore");
}

void external_semaphore::signal(std::uint64_t value) {
  VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = m_shared;
  info.value = value;
  m_device.check(m_device.vk().SignalSemaphore(m_device.handle(), &info), "signalling a shared semaphore");
}

int external_semaphore::export_descriptor() {
  if (m_is_imported)
    throw device_error(error_category::invalid, "",
                       m_is_adopted ? "exporting a semaphore: it is the program's"
                                    : "exporting a semaphore: it was imported");
  VkSemaphoreGetFdInfoKHR info{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  info.semaphore = m_shared;
  info.handleType = opaque_semaphore;
  int descriptor = -1;
  m_device.check(m_device.vk().GetSemaphoreFdKHR(m_device.handle(), &info, &descriptor),
                 "exporting a semaphore");
  return descriptor;
}

} // namespace

std::unique_ptr<devices::external_semaphore> use_semaphore(device& owner, VkSemaphore semaphore,
                                                           semaphore_kind kind, bool device_waits) {
  return std::make_unique<external_semaphore>(owner, kind, semaphore, device_waits);
}

std::string external_memory::no_semaphore_reason(semaphore_kind kind) const {
  const physical& hardware = m_device.hardware();
  const bool is_timeline = kind == semaphore_kind::timeline;
  if (is_timeline ? hardware.shares_timelines : hardware.shares_binary_semaphores) return "";
  const std::string driver = m_device.info().name + " shares no " + (is_timeline ? "timeline" : "binary") +
                             " semaphores: the driver";
  if (!hardware.has(VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME))
    return driver + " has no VK_KHR_external_semaphore_fd";
  return driver + "'s VK_KHR_external_semaphore_fd does not export and import them";
}

std::unique_ptr<devices::external_semaphore> external_memory::create_semaphore(semaphore_kind kind) {
  return std::make_unique<external_semaphore>(m_device, kind, -1);
}

std::unique_ptr<devices::external_semaphore> external_memory::import_semaphore(int descriptor,
                                                                               semaphore_kind kind) {
  return std::make_unique<external_semaphore>(m_device, kind, descriptor);
}

} // namespace prism::devices::vulkan
