#include "devices/vulkan/host_worker.hpp"

#include "devices/vulkan/profiler.hpp"
#include "devices/vulkan/timeline.hpp"

namespace prism::devices::vulkan {

void host_worker::stop() noexcept {
  {
    std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void host_worker::prepare(std::size_t count) {
  std::lock_guard lock(m_mutex);
  m_groups.reserve_more(count);
  if (!m_thread.joinable()) m_thread = std::thread([this] { serve(); });
}

void host_worker::push(host_group&& group) noexcept {
  {
    std::lock_guard lock(m_mutex);
    m_groups.push(std::move(group));
  }
  m_changed.notify_one();
}

void host_worker::run(host_group& group) noexcept {
  if (m_times && group.first_timed) m_times->host_started(group.point);
  for (const auto& copy : group.copies) copy_on_host(copy.shape, copy.from, copy.to);
  if (m_times && group.last_timed) m_times->host_ended(group.point);
}

bool host_worker::wait_for(const host_group& group) noexcept {
  for (const auto& [semaphore, value] : group.waits) {
    if (reaches_soon(m_device, {semaphore, value})) continue;
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    VkResult result = VK_TIMEOUT;
    while (result == VK_TIMEOUT && !m_device.lost())
      result = m_device.vk().WaitSemaphores(m_device.handle(), &info, 1'000'000'000);
    if (result == VK_SUCCESS) continue;
    m_device.mark_lost(); // no failed wait is recoverable, because the order of the queue is lost
    return false;
  }
  return true;
}

void host_worker::serve() {
  std::unique_lock lock(m_mutex);
  for (;;) {
    m_changed.wait(lock, [&] { return m_stopping || !m_groups.empty(); });
    if (m_groups.empty()) return;
    host_group group = m_groups.pop();
    lock.unlock();
    if (wait_for(group)) run(group);
    VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
    signal.semaphore = group.signal.semaphore;
    signal.value = group.signal.value;
    // Not after a loss: the point must not become complete.
    if (!m_device.lost() && m_device.vk().SignalSemaphore(m_device.handle(), &signal) != VK_SUCCESS)
      m_device.mark_lost();
    lock.lock();
  }
}

} // namespace prism::devices::vulkan
