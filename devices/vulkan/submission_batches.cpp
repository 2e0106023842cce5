#include "devices/vulkan/submission_batches.hpp"

#include "devices/vulkan/profiler.hpp"
#include "devices/vulkan/timeline.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

namespace {
constexpr std::size_t enough_sends =
    4; // in flight; so a program that waits after a few kernels never waits for a batch
constexpr std::size_t most_batched_commands = 32; // then a driver call costs little for each
} // namespace

submission_batches::submission_batches(device& owner, shared_queue& shared, timeline& points)
    : m_device(owner), m_shared(shared), m_points(points) {
  points.set_batches(this);
  const std::lock_guard lock(shared.batches_mutex);
  shared.batches.push_back(this);
}

submission_batches::~submission_batches() {
  const std::lock_guard lock(m_shared.batches_mutex);
  std::erase(m_shared.batches, this);
}

void submission_batches::hand_out(shared_queue& shared) {
  shared.handed_out.store(true, std::memory_order_release);
  const std::lock_guard lock(shared.batches_mutex);
  for (submission_batches* const each : shared.batches) each->send();
}

bool submission_batches::is_alone() const {
  const std::lock_guard lock(m_shared.batches_mutex);
  return m_shared.batches.size() == 1;
}

/// Appends the first command buffer of a submission, if it waits for nothing, to the previous entry, whose
/// signal then follows both.
void submission_batches::append(const batch& what, std::span<const semaphore_value> waits, bool is_first) {
  const bool joins = is_first && !m_entries.empty() && what.wait_count == 0 &&
                     m_entries.back().signal.semaphore == what.signal.semaphore;
  if (!joins && !m_entries.empty()) close(m_entries.back());
  if (!joins) m_entries.push_back({m_commands.size(), 0, m_wait_semaphores.size(), what.wait_count, {}});
  entry& into = m_entries.back();
  into.after_host = what.after_host;
  into.signal = what.signal;
  for (const auto& [semaphore, value] : waits.subspan(what.first_wait, what.wait_count)) {
    m_wait_semaphores.push_back(semaphore);
    m_wait_values.push_back(value);
  }
  if (what.commands == VK_NULL_HANDLE) return;
  m_commands.push_back(what.commands);
  ++into.command_count;
  into.is_closed = what.is_closed;
}

/// Ends with a barrier: a waiter that sees the signal must see what the commands wrote.
void submission_batches::close(entry& last) {
  if (std::exchange(last.is_closed, true)) return;
  m_commands.push_back(m_barrier);
  ++last.command_count;
}

bool submission_batches::would_batch() {
  const std::lock_guard lock(m_mutex);
  return m_commands.size() + 1 < most_batched_commands &&
         !m_shared.handed_out.load(std::memory_order_acquire) && device_is_busy();
}

bool submission_batches::device_is_busy() {
  if (m_sent.size() < enough_sends) return false;
  const std::uint64_t completed = m_points.completed();
  while (!m_sent.empty() && m_sent.front() <= completed) m_sent.pop();
  return m_sent.size() >= enough_sends;
}

void submission_batches::put(std::span<const batch> batches, std::span<const semaphore_value> waits,
                             std::uint64_t point, bool batched) {
  std::uint64_t watched = 0;
  {
    const std::lock_guard lock(m_mutex);
    const entry last = m_entries.empty() ? entry() : m_entries.back();
    const std::size_t entries = m_entries.size(), commands = m_commands.size(),
                      wait_count = m_wait_semaphores.size();
    for (const batch& each : batches) append(each, waits, &each == batches.data());
    const std::uint64_t before = std::exchange(m_last_put, point);
    if (batched && m_sent.size() >= 2 && !m_shared.handed_out.load(std::memory_order_acquire)) {
      m_has_batch.store(true, std::memory_order_relaxed);
      if (!std::exchange(m_guarded, true)) watched = m_sent[m_sent.size() - 2];
    } else if (const VkResult result = give(); result == VK_SUCCESS) {
      m_points.record_sent(point);
    } else { // the earlier batch stays
      m_entries.resize(entries);
      if (entries) m_entries.back() = last;
      m_commands.resize(commands);
      m_wait_semaphores.resize(wait_count);
      m_wait_values.resize(wait_count);
      m_last_put = before;
      m_device.check(result, "submitting commands");
    }
  }
  if (watched) guard(watched);
}

void submission_batches::clear_batch() noexcept {
  m_entries.clear();
  m_commands.clear();
  m_wait_semaphores.clear();
  m_wait_values.clear();
  m_has_batch.store(false, std::memory_order_relaxed);
}

VkResult submission_batches::give() {
  close(m_entries.back());
  m_wait_stages.assign(m_wait_semaphores.size(), VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  m_infos.assign(m_entries.size(), {VK_STRUCTURE_TYPE_SUBMIT_INFO});
  m_timeline_infos.assign(m_entries.size(), {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO});
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const entry& from = m_entries[i];
    const auto waits = static_cast<std::uint32_t>(from.wait_count);
    const std::uint32_t signals = from.signal.semaphore ? 1 : 0;
    auto& values = m_timeline_infos[i];
    values.waitSemaphoreValueCount = waits;
    values.pWaitSemaphoreValues = m_wait_values.data() + from.first_wait;
    values.signalSemaphoreValueCount = signals;
    values.pSignalSemaphoreValues = &from.signal.value;
    auto& info = m_infos[i];
    info.pNext = &values;
    info.waitSemaphoreCount = waits;
    info.pWaitSemaphores = m_wait_semaphores.data() + from.first_wait;
    info.pWaitDstStageMask = m_wait_stages.data() + from.first_wait;
    info.commandBufferCount = static_cast<std::uint32_t>(from.command_count);
    info.pCommandBuffers = m_commands.data() + from.first_command;
    info.signalSemaphoreCount = signals;
    info.pSignalSemaphores = &from.signal.semaphore;
  }
  m_sent.reserve_more(1);
  const std::uint64_t begun_ns = m_times != nullptr ? profiler::now() : 0;
  if (const VkResult result = call(); result != VK_SUCCESS) return result;
  if (m_times != nullptr) m_times->record_sent(m_last_put, begun_ns);
  m_sent.push(m_last_put);
  if (m_sent.size() > 4 * enough_sends) device_is_busy(); // drops completed sends
  clear_batch();
  return VK_SUCCESS;
}

/// One vkQueueSubmit up to each entry that follows host copies. If a later call is refused, the device is
/// lost: the entries of the calls before it cannot be taken back.
VkResult submission_batches::call() {
  const std::lock_guard lock(m_shared.mutex);
  for (std::size_t begin = 0, end = 1; begin < m_infos.size(); begin = end++) {
    while (end < m_infos.size() && !m_entries[end].after_host) ++end;
    const VkResult result = m_device.vk().QueueSubmit(
        m_shared.handle, static_cast<std::uint32_t>(end - begin), m_infos.data() + begin, VK_NULL_HANDLE);
    if (result == VK_SUCCESS) continue;
    if (begin == 0) return result;
    m_device.mark_lost();
    return VK_ERROR_DEVICE_LOST;
  }
  return VK_SUCCESS;
}

std::uint64_t submission_batches::signal_of(std::uint64_t point) noexcept {
  const std::lock_guard lock(m_mutex);
  if (!m_entries.empty() && point > m_points.sent()) send_batch();
  std::size_t begin = 0, end = m_sent.size(); // sorted, may be tens of thousands
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (m_sent[middle] < point) begin = middle + 1;
    else end = middle;
  }
  return begin < m_sent.size() ? m_sent[begin] : point; // the host signals it, or it is complete
}

void submission_batches::send() noexcept {
  const std::lock_guard lock(m_mutex);
  if (!m_entries.empty()) send_batch();
}

void submission_batches::send_batch() noexcept {
  VkResult result = give();
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY ||
      result == VK_ERROR_OUT_OF_DEVICE_MEMORY) { // completed work frees some memory
    {
      const std::lock_guard queue_lock(m_shared.mutex);
      m_device.vk().QueueWaitIdle(m_shared.handle);
    }
    result = give();
  }
  if (result != VK_SUCCESS) {
    m_device.mark_lost(); // the submissions were accepted: they fail when a caller asks for their points
    clear_batch();
  }
  m_points.record_sent(m_last_put);
}

/// Checks again when `point` completes, before the device runs out of work.
void submission_batches::guard(std::uint64_t point) {
  m_points.on_completion(
      point, [](void* self) { static_cast<submission_batches*>(self)->running_out_of_work(); }, this);
}

void submission_batches::running_out_of_work() noexcept {
  std::uint64_t watched = 0;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_entries.empty() && device_is_busy()) watched = m_sent[m_sent.size() - 2];
    else m_guarded = false;
  }
  if (watched) guard(watched);
  else send();
}

} // namespace prism::devices::vulkan
