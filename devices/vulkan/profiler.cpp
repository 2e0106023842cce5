#include "devices/vulkan/profiler.hpp"

#include <algorithm>
#include <chrono>

namespace prism::devices::vulkan {

namespace {
std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}
} // namespace

profiler::~profiler() {
  for (const auto pool : m_pools) m_device.vk().DestroyQueryPool(m_device.handle(), pool, nullptr);
}

std::uint32_t profiler::take_pair(std::uint64_t completed) {
  if (m_free.empty())
    for (; m_resolved < std::min<std::uint64_t>(completed, m_entries.size()); ++m_resolved)
      resolve(m_entries[m_resolved]);
  if (m_free.empty()) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * pairs_per_pool;
    VkQueryPool made = VK_NULL_HANDLE;
    m_pools.reserve(m_pools.size() + 1);
    m_free.reserve((m_pools.size() + 1) * pairs_per_pool);
    m_device.check(m_device.vk().CreateQueryPool(m_device.handle(), &info, nullptr, &made), "creating queries");
    for (std::uint32_t i = 0; i < pairs_per_pool; ++i)
      m_free.push_back(static_cast<std::uint32_t>(m_pools.size()) * pairs_per_pool + i);
    m_pools.push_back(made);
  }
  const auto pair = m_free.back();
  m_free.pop_back();
  return pair;
}

void profiler::begin(std::uint64_t point, std::uint64_t completed) {
  std::lock_guard lock(m_mutex);
  if (m_entries.size() >= point) { // the submission of this number failed before: start it again
    if (at(point).pair != none) m_free.push_back(at(point).pair);
    at(point) = {};
  } else {
    m_entries.resize(point);
  }
  at(point).pair = take_pair(completed);
  at(point).known.submitted_ns = now();
}

void profiler::write_start(VkCommandBuffer into, std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  auto& what = at(point);
  const auto first = what.pair % pairs_per_pool * 2;
  m_device.vk().CmdResetQueryPool(into, pool(what.pair), first, 2);
  m_device.vk().CmdWriteTimestamp(into, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool(what.pair), first);
  what.device_start = true;
}

void profiler::write_end(VkCommandBuffer into, std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  auto& what = at(point);
  const auto second = what.pair % pairs_per_pool * 2 + 1;
  if (!what.device_start) m_device.vk().CmdResetQueryPool(into, pool(what.pair), second, 1);
  m_device.vk().CmdWriteTimestamp(into, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool(what.pair), second);
  what.device_end = true;
}

void profiler::host_started(std::uint64_t point) noexcept {
  std::lock_guard lock(m_mutex);
  at(point).known.started_ns = now();
}

void profiler::host_ended(std::uint64_t point) noexcept {
  std::lock_guard lock(m_mutex);
  at(point).known.ended_ns = now();
}

std::uint64_t profiler::read(std::uint32_t pair, std::uint32_t which) {
  std::uint64_t ticks = 0;
  m_device.check(m_device.vk().GetQueryPoolResults(m_device.handle(), pool(pair), pair % pairs_per_pool * 2 + which, 1,
                                                   sizeof ticks, &ticks, sizeof ticks,
                                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "reading timestamps");
  return ticks;
}

void profiler::resolve(entry& what) {
  if (what.pair == none) return;
  if ((what.device_start || what.device_end) && !m_device.lost()) {
    const auto relation = m_device.relate_clocks();
    if (what.device_start) what.known.started_ns = m_device.host_time(read(what.pair, 0), relation);
    if (what.device_end) what.known.ended_ns = m_device.host_time(read(what.pair, 1), relation);
  }
  // The clocks are related only to within some microseconds; the order must hold.
  what.known.started_ns = std::max(what.known.started_ns, what.known.submitted_ns);
  what.known.ended_ns = std::max(what.known.ended_ns, what.known.started_ns);
  m_free.push_back(what.pair);
  what.pair = none;
}

profile profiler::times(std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  if (point == 0 || point > m_entries.size()) return {};
  resolve(at(point));
  return at(point).known;
}

std::uint64_t profiler::end_ticks(std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  return at(point).device_end ? read(at(point).pair, 1) : 0;
}

} // namespace prism::devices::vulkan
