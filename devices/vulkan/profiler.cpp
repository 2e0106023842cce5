#include "devices/vulkan/profiler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace prism::devices::vulkan {

std::uint64_t profiler::now() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

profiler::~profiler() {
  for (const auto pool : m_pools) m_device.vk().DestroyQueryPool(m_device.handle(), pool, nullptr);
}

std::uint32_t profiler::take_pair(std::uint64_t completed) {
  if (m_free.empty()) resolve_up_to(std::min<std::uint64_t>(completed, m_entries.size()));
  if (m_free.empty()) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * pairs_per_pool;
    VkQueryPool made = VK_NULL_HANDLE;
    m_pools.reserve(m_pools.size() + 1);
    m_free.reserve_more(pairs_per_pool);
    m_device.check(m_device.vk().CreateQueryPool(m_device.handle(), &info, nullptr, &made),
                   "creating queries");
    for (std::uint32_t i = 0; i < pairs_per_pool; ++i)
      m_free.push(static_cast<std::uint32_t>(m_pools.size()) * pairs_per_pool + i);
    m_pools.push_back(made);
  }
  return m_free.pop();
}

void profiler::begin(std::uint64_t point, std::uint64_t completed) {
  std::lock_guard lock(m_mutex);
  if (m_entries.size() >= point) { // the previous submission of this number failed: reuse its entry
    if (at(point).pair != none) m_free.push(at(point).pair);
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
  if (!what.device_start)
    m_device.vk().CmdResetQueryPool(into, pool(what.pair), second - 1, 2); // both queries are read together
  m_device.vk().CmdWriteTimestamp(into, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool(what.pair), second);
  what.device_end = true;
}

void profiler::start_at_end_before(std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  at(point).known.starts_at_end_before = true;
}

bool profiler::ends_on_device(std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  return point != 0 && at(point).device_end;
}

void profiler::record_sent(std::uint64_t last, std::uint64_t ns) noexcept {
  std::lock_guard lock(m_mutex);
  for (m_sent = std::max(m_sent, m_resolved); m_sent < last; ++m_sent)
    if (profile& known = m_entries[m_sent].known; known.starts_at_end_before) known.submitted_ns = ns;
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
  m_device.check(m_device.vk().GetQueryPoolResults(
                     m_device.handle(), pool(pair), pair % pairs_per_pool * 2 + which, 1, sizeof ticks,
                     &ticks, sizeof ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "reading timestamps");
  return ticks;
}

/// Reads into m_results, with one driver call, the queries of the next points up to `last` for which one call
/// is enough; returns the number of those points.
std::size_t profiler::read_pairs(std::uint64_t last) {
  const std::uint32_t first = m_entries[m_resolved].pair;
  const std::size_t most = std::min<std::size_t>(last - m_resolved, pairs_per_pool - first % pairs_per_pool);
  std::size_t count = 1;
  while (count < most && m_entries[m_resolved + count].on_device() &&
         m_entries[m_resolved + count].pair == first + count)
    ++count;
  m_results.resize(2 * count);
  // Not all of them were written; does not wait for the others.
  const auto result = m_device.vk().GetQueryPoolResults(
      m_device.handle(), pool(first), first % pairs_per_pool * 2, static_cast<std::uint32_t>(2 * count),
      2 * count * sizeof(query_result), m_results.data(), sizeof(query_result),
      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  if (result != VK_NOT_READY) m_device.check(result, "reading timestamps");
  return count;
}

void profiler::resolve_next() {
  entry& what = m_entries[m_resolved];
  if (what.known.starts_at_end_before) what.known.started_ns = m_entries[m_resolved - 1].known.ended_ns;
  // The clocks are related only to within some microseconds, but the order of the times must be right.
  what.known.started_ns = std::max(what.known.started_ns, what.known.submitted_ns);
  what.known.ended_ns = std::max(what.known.ended_ns, what.known.started_ns);
  m_free.push(what.pair);
  what.pair = none;
  ++m_resolved;
}

void profiler::resolve_up_to(std::uint64_t last) {
  while (m_resolved < last) {
    if (!m_entries[m_resolved].on_device() || m_device.lost()) {
      resolve_next();
      continue;
    }
    const auto relation = m_device.relate_clocks();
    const std::size_t count = read_pairs(last);
    for (std::size_t i = 0; i < count; ++i) {
      entry& what = m_entries[m_resolved];
      const auto at_host = [&](std::uint32_t which) {
        const query_result& got = m_results[2 * i + which];
        return m_device.host_time(got.is_available ? got.ticks : read(what.pair, which), relation);
      };
      if (what.device_start) what.known.started_ns = at_host(0);
      if (what.device_end) what.known.ended_ns = at_host(1);
      resolve_next();
    }
  }
}

profile profiler::times(std::uint64_t point, std::uint64_t completed) {
  std::lock_guard lock(m_mutex);
  if (point == 0 || point > m_entries.size()) return {};
  if (m_resolved < point)
    resolve_up_to(std::min<std::uint64_t>(std::max(point, completed), m_entries.size()));
  return at(point).known;
}

std::uint64_t profiler::end_ticks(std::uint64_t point) {
  std::lock_guard lock(m_mutex);
  return at(point).device_end ? read(at(point).pair, 1) : 0;
}

} // namespace prism::devices::vulkan
