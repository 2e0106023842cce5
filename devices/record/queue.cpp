#include "devices/record/queue.hpp"

#include "devices/record/memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace prism::devices::record {
namespace {

std::uint64_t now_ns() {
  return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now().time_since_epoch())
                           .count());
}

std::byte* first_byte(const location& where) {
  auto* base =
      where.object ? static_cast<record_memory*>(where.object)->bytes() : static_cast<std::byte*>(where.host);
  return base + where.offset;
}

void run(const copy_command& copy) {
  for (std::uint64_t z = 0; z < copy.slices; ++z)
    for (std::uint64_t y = 0; y < copy.rows; ++y)
      std::memmove(first_byte(copy.to) + z * copy.to.slice_pitch + y * copy.to.row_pitch,
                   first_byte(copy.from) + z * copy.from.slice_pitch + y * copy.from.row_pitch,
                   copy.row_bytes);
}

void run(const fill_command& fill) {
  auto* to = static_cast<record_memory*>(fill.object)->bytes() + fill.offset;
  // Each copy doubles what is filled: byte by byte, the conformance kit's fills took nine seconds.
  std::uint64_t filled = std::min<std::uint64_t>(fill.pattern.size(), fill.bytes);
  std::copy_n(fill.pattern.data(), filled, to);
  while (filled < fill.bytes) {
    const std::uint64_t more = std::min(filled, fill.bytes - filled);
    std::copy_n(to, more, to + filled);
    filled += more;
  }
}

void run(const dispatch_command&) {} // recorded, not executed
void run(const barrier_command&) {}

} // namespace

record_queue::record_queue(record_device& owner, const queue_options& options)
    : m_device(owner), m_driver(owner.m_driver), m_profiling(options.profiling) {
  std::lock_guard lock(m_driver->mutex);
  m_number = owner.m_queue_count++;
  m_driver->queues.push_back(this);
}

record_queue::~record_queue() {
  std::lock_guard lock(m_driver->mutex);
  std::erase(m_driver->queues, this);
}

std::uint64_t record_queue::submit(std::span<const command> commands, std::span<const timeline_point> waits) {
  return take(commands, waits, false);
}

std::uint64_t record_queue::execute(command_buffer& what, std::span<const timeline_point> waits) {
  std::vector<command> commands;
  for (const command_buffer_step& step : static_cast<record_command_buffer&>(what).steps())
    commands.push_back(step.what);
  return take(commands, waits, true);
}

std::uint64_t record_queue::take(std::span<const command> commands, std::span<const timeline_point> waits,
                                 bool executed) {
  std::uint64_t point = 0;
  {
    std::lock_guard lock(m_driver->mutex);
    submission work;
    recorded_submission record{
        m_device.m_number, m_number, ++m_submitted, {commands.begin(), commands.end()}, {}, executed};
    work.number = ++m_device.m_submissions;
    work.commands = record.commands;
    work.times.submitted_ns = now_ns();
    for (const auto& wait : waits) {
      auto* other = dynamic_cast<record_queue*>(wait.owner);
      assert(other != nullptr && other->m_driver == m_driver &&
             "the runtime defers commands that wait for other drivers");
      work.waits.push_back({other, wait.value});
      record.waits.push_back({other->m_device.m_number, other->m_number, wait.value});
    }
    point = m_submitted;
    m_pending.push_back(std::move(work));
    m_device.m_log.push_back(std::move(record));
  }
  advance(*m_driver);
  return point;
}

void record_queue::advance(driver& d) {
  std::vector<callback> reached;
  {
    std::lock_guard lock(d.mutex);
    for (bool progress = true; progress;) {
      progress = false;
      for (auto* queue : d.queues)
        while (queue->run_front(reached)) progress = true;
    }
  }
  d.progress.notify_all();
  for (const auto& call : reached) call.then(call.context);
}

std::optional<device_error> record_queue::failure_of(const submission& work) const {
  if (const auto planned = m_device.m_planned_failures.find(work.number);
      planned != m_device.m_planned_failures.end())
    return planned->second;
  for (const auto& wait : work.waits)
    if (const auto cause = wait.queue->m_failures.find(wait.point); cause != wait.queue->m_failures.end())
      return device_error(cause->second.category(), cause->second.driver_code(),
                          "not run: a point it waits for failed: " + std::string(cause->second.what()));
  return std::nullopt;
}

bool record_queue::run_front(std::vector<callback>& reached) {
  if (m_pending.empty() || m_pending.front().number > m_device.m_released) return false;
  for (const auto& wait : m_pending.front().waits)
    if (wait.queue->m_completed < wait.point) return false;
  submission work = std::move(m_pending.front());
  m_pending.pop_front();
  work.times.started_ns = now_ns();
  if (auto failure = failure_of(work)) m_failures.emplace(m_completed + 1, std::move(*failure));
  else
    for (const auto& command : work.commands) std::visit([](const auto& c) { run(c); }, command);
  work.times.ended_ns = now_ns();
  if (m_profiling) m_profiles.push_back(work.times);
  ++m_completed;
  const auto ready = std::stable_partition(m_callbacks.begin(), m_callbacks.end(),
                                           [&](const callback& c) { return c.point > m_completed; });
  reached.insert(reached.end(), ready, m_callbacks.end());
  m_callbacks.erase(ready, m_callbacks.end());
  return true;
}

std::uint64_t record_queue::completed() const {
  std::lock_guard lock(m_driver->mutex);
  return m_completed;
}

bool record_queue::wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) {
  std::unique_lock lock(m_driver->mutex);
  const auto done = [&] { return m_completed >= point; };
  if (limit)
    return m_driver->progress.wait_for(
        lock, std::min<std::chrono::nanoseconds>(*limit, std::chrono::hours(24 * 365)), done);
  m_driver->progress.wait(lock, done);
  return true;
}

std::optional<device_error> record_queue::failure(std::uint64_t point) const {
  std::lock_guard lock(m_driver->mutex);
  const auto found = m_failures.find(point);
  return found == m_failures.end() ? std::nullopt : std::optional(found->second);
}

profile record_queue::times(std::uint64_t point) const {
  std::lock_guard lock(m_driver->mutex);
  return point >= 1 && point <= m_profiles.size() ? m_profiles[point - 1] : profile{};
}

void record_queue::on_completion(std::uint64_t point, void (*then)(void*), void* context) {
  {
    std::lock_guard lock(m_driver->mutex);
    if (m_completed < point) {
      m_callbacks.push_back({point, then, context});
      return;
    }
  }
  then(context);
}

} // namespace prism::devices::record
