#include "devices/vulkan/timeline.hpp"

#include "devices/vulkan/submission_batches.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

VkSemaphore create_timeline_semaphore(device& owner) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  owner.check(owner.vk().CreateSemaphore(owner.handle(), &info, nullptr, &semaphore),
              "creating a timeline semaphore");
  return semaphore;
}

bool reaches_soon(device& owner, const semaphore_value& what, std::optional<std::chrono::nanoseconds> limit) {
  if (!owner.waits_awake()) return false;
  constexpr std::chrono::nanoseconds longest = std::chrono::microseconds(200);
  const auto until = std::chrono::steady_clock::now() + (limit ? std::min(*limit, longest) : longest);
  do {
    std::uint64_t value = 0;
    if (owner.vk().GetSemaphoreCounterValue(owner.handle(), what.semaphore, &value) != VK_SUCCESS)
      return false;
    if (value >= what.value) return true;
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

timeline::timeline(device& owner, times_source times)
    : m_device(owner), m_times(std::move(times)), m_watch(owner),
      m_semaphore(create_timeline_semaphore(owner)) {}

timeline::~timeline() {
  stop_callbacks();
  m_device.vk().DestroySemaphore(m_device.handle(), m_semaphore, nullptr);
}

void timeline::stop_callbacks() noexcept {
  {
    std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notify_all();
  if (m_waiter.joinable()) m_waiter.join();
}

std::uint64_t timeline::signal_of(std::uint64_t point) { return m_batches->signal_of(point); }

std::uint64_t timeline::reached() const {
  std::uint64_t value = 0;
  const auto result = m_device.vk().GetSemaphoreCounterValue(m_device.handle(), m_semaphore, &value);
  if (result == VK_ERROR_DEVICE_LOST) m_device.mark_lost();
  if (result != VK_SUCCESS) return m_reached.load(std::memory_order_acquire);
  // The semaphore may reach a point before another thread's vkQueueSubmit of that point returns. If this
  // reported the point already, the host might signal the next one, which the validation layer would see
  // before the pending signal.
  value = std::min(value, sent());
  auto known = m_reached.load(std::memory_order_relaxed);
  while (known < value && !m_reached.compare_exchange_weak(known, value, std::memory_order_acq_rel)) {}
  return std::max(known, value);
}

std::uint64_t timeline::completed() const {
  const auto all = submitted();
  if (const auto known = m_reached.load(std::memory_order_acquire); known >= all) return known;
  const auto value = reached();
  return m_device.lost() ? std::max(value, all) : value;
}

bool timeline::wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) {
  if (m_reached.load(std::memory_order_acquire) >= point) return true;
  const std::uint64_t signal = signal_of(point);
  if (reaches_soon(m_device, {m_semaphore, signal}, limit)) {
    reached();
    return true;
  }
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &m_semaphore;
  info.pValues = &signal;
  // Waits in slices, because a loss that another thread notices does not always wake a waiter.
  constexpr std::uint64_t slice = 1'000'000'000;
  std::uint64_t left =
      limit ? static_cast<std::uint64_t>(std::max<std::int64_t>(limit->count(), 0)) : UINT64_MAX;
  while (!m_device.lost()) {
    const std::uint64_t now = std::min(left, slice);
    const auto result = m_device.vk().WaitSemaphores(m_device.handle(), &info, now);
    if (result == VK_SUCCESS) {
      reached();
      return true;
    }
    if (result == VK_ERROR_DEVICE_LOST) m_device.mark_lost();
    else if (result != VK_TIMEOUT) m_device.check(result, "waiting for a queue");
    if (left != UINT64_MAX) left -= now;
    if (left == 0) return false;
  }
  return true;
}

std::optional<device_error> timeline::failure(std::uint64_t point) const {
  if (m_watch.used()) {
    if (auto cut =
            m_watch.failure(point, m_reached.load(std::memory_order_acquire) < point ? reached() : point))
      return cut;
  }
  if (!m_device.lost() || m_reached.load(std::memory_order_acquire) >= point) return std::nullopt;
  if (reached() >= point) return std::nullopt;
  return device_error(error_category::lost, "VK_ERROR_DEVICE_LOST",
                      "running commands on " + m_device.info().name +
                          ": the device is lost; its queues and memory can no longer be used");
}

void timeline::on_completion(std::uint64_t point, void (*then)(void*), void* context) {
  if (completed() >= point) return then(context);
  signal_of(point); // sends it
  {
    std::lock_guard lock(m_mutex);
    m_callbacks.push_back({point, then, context});
    if (!m_waiter.joinable()) m_waiter = std::thread([this] { serve_callbacks(); });
  }
  m_changed.notify_one();
}

void timeline::serve_callbacks() {
  std::vector<callback> due;
  std::unique_lock lock(m_mutex);
  for (;;) {
    m_changed.wait(lock, [&] { return m_stopping || !m_callbacks.empty(); });
    if (m_callbacks.empty()) return;
    const auto now = completed();
    const bool waits = std::all_of(m_callbacks.begin(), m_callbacks.end(),
                                   [&](const callback& entry) { return entry.point > now; });
    lock.unlock();
    try {
      // Waits for the next point, not the registered one: a callback for an earlier point may be added
      // meanwhile.
      if (waits) wait(now + 1);
    } catch (const device_error&) {
      m_device.mark_lost(); // points can no longer be observed
    }
    const auto done = completed();
    lock.lock();
    const auto first = std::stable_partition(m_callbacks.begin(), m_callbacks.end(),
                                             [&](const callback& entry) { return entry.point > done; });
    due.assign(first, m_callbacks.end());
    m_callbacks.erase(first, m_callbacks.end());
    lock.unlock();
    for (const auto& entry : due) entry.then(entry.context);
    lock.lock();
  }
}

} // namespace prism::devices::vulkan
