// Semaphores shared by file descriptors. The host waits for and signals a timeline itself. Vulkan lets only
// queues wait for binary ones: an empty submission does, and a timeline of PRISM's own says when it is over.
#include "devices/vulkan/convert.hpp"
#include "devices/vulkan/device.hpp"
#include "devices/vulkan/own_descriptor.hpp"
#include "devices/vulkan/timeline.hpp"

#include <string>

namespace prism::devices::vulkan {

namespace {

constexpr auto opaque_semaphore = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

class external_semaphore final : public devices::external_semaphore {
public:
  /// `import`: a descriptor, or -1 for a semaphore that others import.
  external_semaphore(device& owner, semaphore_kind kind, int import);
  /// A semaphore of the program, which it keeps.
  external_semaphore(device& owner, semaphore_kind kind, VkSemaphore program);
  ~external_semaphore() override { release(); }
  void wait(std::uint64_t value) override;
  void signal(std::uint64_t value) override;
  int export_descriptor() override;

private:
  void take(int descriptor);
  void wait_for(VkSemaphore timeline, std::uint64_t value);
  void submit(const VkSubmitInfo& what, const char* asked);
  void release() noexcept;

  device& m_device;
  counted_object m_counted{m_device.objects().semaphores};
  const bool m_is_timeline, m_is_imported, m_is_adopted = false;
  VkSemaphore m_shared = VK_NULL_HANDLE, m_passed = VK_NULL_HANDLE; // m_passed: counts uses of a binary one
  std::mutex m_mutex;
  std::uint64_t m_passes = 0;
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
    if (!m_is_timeline) m_passed = create_timeline_semaphore(owner);
    owner.check(owner.vk().CreateSemaphore(owner.handle(), &info, nullptr, &m_shared),
                "creating a shared semaphore");
    if (m_is_imported) take(import);
  } catch (...) {
    release();
    throw;
  }
}

external_semaphore::external_semaphore(device& owner, semaphore_kind kind, VkSemaphore program)
    : m_device(owner), m_is_timeline(kind == semaphore_kind::timeline), m_is_imported(true),
      m_is_adopted(true), m_shared(program) {
  if (!m_is_timeline) m_passed = create_timeline_semaphore(owner);
}

void external_semaphore::release() noexcept {
  if (m_shared && !m_is_adopted) m_device.vk().DestroySemaphore(m_device.handle(), m_shared, nullptr);
  if (m_passed) m_device.vk().DestroySemaphore(m_device.handle(), m_passed, nullptr);
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

void external_semaphore::wait_for(VkSemaphore timeline, std::uint64_t value) {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  m_device.check(m_device.vk().WaitSemaphores(m_device.handle(), &info, ~0ull),
                 "waiting for a shared semaphore");
}

void external_semaphore::submit(const VkSubmitInfo& what, const char* asked) {
  shared_queue& queue = m_device.any_queue();
  const std::lock_guard lock(queue.mutex);
  m_device.check(m_device.vk().QueueSubmit(queue.handle, 1, &what, VK_NULL_HANDLE), asked);
}

void external_semaphore::wait(std::uint64_t value) {
  if (m_is_timeline) return wait_for(m_shared, value);
  std::uint64_t passes = 0;
  {
    const std::lock_guard lock(m_mutex); // the timeline's values enter the queue in order
    passes = ++m_passes;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &passes;
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.pNext = &values;
    info.waitSemaphoreCount = info.signalSemaphoreCount = 1;
    info.pWaitSemaphores = &m_shared;
    info.pWaitDstStageMask = &all;
    info.pSignalSemaphores = &m_passed;
    submit(info, "waiting for a shared semaphore");
  }
  wait_for(m_passed, passes);
}

void external_semaphore::signal(std::uint64_t value) {
  if (m_is_timeline) {
    VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    info.semaphore = m_shared;
    info.value = value;
    return m_device.check(m_device.vk().SignalSemaphore(m_device.handle(), &info),
                          "signalling a shared semaphore");
  }
  std::uint64_t passes = 0;
  {
    const std::lock_guard lock(m_mutex);
    passes = ++m_passes;
    const std::uint64_t both_values[] = {0, passes};
    const VkSemaphore both[] = {m_shared, m_passed};
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 2;
    values.pSignalSemaphoreValues = both_values;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.pNext = &values;
    info.signalSemaphoreCount = 2;
    info.pSignalSemaphores = both;
    submit(info, "signalling a shared semaphore");
  }
  wait_for(m_passed, passes); // else the signal is lost if the process ends now
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
                                                           semaphore_kind kind) {
  return std::make_unique<external_semaphore>(owner, kind, semaphore);
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
