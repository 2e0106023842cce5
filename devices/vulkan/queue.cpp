#include "devices/vulkan/queue.hpp"

#include "devices/vulkan/commands.hpp"
#include "devices/vulkan/command_buffer.hpp"

#include <algorithm>

namespace prism::devices::vulkan {

queue::queue(device& owner, shared_queue& shared, const queue_options& options)
    : m_device(owner), m_counted(owner.objects().queues), m_shared(shared),
      m_profiler(options.profiling ? std::make_unique<profiler>(owner) : nullptr),
      m_shares_times(options.for_trace && m_profiler && owner.hardware().waits_at_timestamps()),
      m_points(owner,
               [this](std::uint64_t point) {
                 return m_profiler ? m_profiler->times(point, m_points.known_completed()) : profile{};
               }),
      m_unsubmitted(owner, shared, m_points), m_ring(owner, m_points), m_worker(owner) {
  m_worker.set_profiler(m_profiler.get());
  if (m_shares_times) m_unsubmitted.set_profiler(m_profiler.get());
  VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = shared.family;
  const auto result = owner.vk().CreateCommandPool(owner.handle(), &info, nullptr, &m_pool);
  try {
    owner.check(result, "creating a command pool");
    make_closing_commands();
  } catch (const device_error&) {
    if (m_pool) owner.vk().DestroyCommandPool(owner.handle(), m_pool, nullptr);
    throw;
  }
}

void queue::destroy_semaphores() noexcept {
  for (const auto& steps : {m_device_steps, m_host_steps})
    m_device.vk().DestroySemaphore(m_device.handle(), steps.semaphore, nullptr);
}

/// Records the barrier that submission_batches appends, which may be submitted any number of times.
void queue::make_closing_commands() {
  const VkCommandBuffer closing = take_commands();
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  m_device.check(m_device.vk().BeginCommandBuffer(closing, &info), "recording commands");
  closing_barrier(m_device, closing, computes());
  m_device.check(m_device.vk().EndCommandBuffer(closing), "recording commands");
  m_unsubmitted.close_with(closing);
}

queue::~queue() {
  try {
    m_points.wait(m_last_point);
  } catch (const device_error&) {
    m_device.mark_lost(); // after any other failure of the wait nothing remains to wait for either
  }
  m_worker.stop();
  m_points.stop_callbacks(); // callbacks use submission_batches
  if (m_device.info().software) {
    // lavapipe (Mesa 22.3) was seen to wake waiters before its submission thread has finished with the
    // semaphore.
    std::lock_guard lock(m_shared.mutex);
    m_device.vk().QueueWaitIdle(m_shared.handle);
  }
  m_device.vk().DestroyCommandPool(m_device.handle(), m_pool, nullptr);
  destroy_semaphores();
}

void* queue::native(std::string_view what) const noexcept {
  if (what == "VkQueue") {
    submission_batches::hand_out(m_shared);
    return m_shared.handle;
  }
  if (what == vulkan_queue_lock_name) {
    submission_batches::hand_out(m_shared);
    return static_cast<vulkan_queue_lock*>(&m_shared.mutex);
  }
  if (what == "VkSemaphore") return reinterpret_cast<void*>(m_points.semaphore());
  return nullptr;
}

void queue::refuse_when_lost() const {
  if (m_device.lost())
    throw device_error(error_category::lost, "VK_ERROR_DEVICE_LOST",
                       "submitting commands to " + m_device.info().name +
                           ": the device is lost; its queues and memory can no longer be used");
}

void queue::begin(std::span<const timeline_point> waits, std::uint64_t after) {
  m_point = m_last_point + 1;
  m_barriers.begin(after, m_last_point);
  collect_waits(waits);
}

std::uint64_t queue::submit_behind(std::span<const command> commands, std::span<const timeline_point> waits,
                                   std::uint64_t after) {
  refuse_when_lost();
  if (m_profiler) after = all_before; // with overlap a submission would have no time of its own
  try {
    begin(waits, after);
    if (m_profiler) m_profiler->begin(m_point, m_points.completed());
    m_goes_on = starts_at_end_before(commands);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      m_timing = m_profiler && i + 1 == commands.size();
      std::visit([this](const auto& each) { record(each); }, commands[i]);
    }
    if (m_profiler) close_timing();
    finish();
    send();
  } catch (...) {
    m_points.watch().disarm(m_point);
    abandon();
    throw;
  }
  return m_point;
}

/// Measures by two more command buffers around the executed one, in the same driver call.
std::uint64_t queue::execute(devices::command_buffer& what, std::span<const timeline_point> waits) {
  refuse_when_lost();
  try {
    begin(waits, all_before);
    if (m_profiler) {
      m_profiler->begin(m_point, m_points.completed());
      m_timing = true;
      device_command();
      close_batch();
    }
    batch& executed = add_batch();
    executed.commands = static_cast<command_buffer&>(what).commands();
    executed.is_own = false;
    if (m_profiler) m_profiler->write_end(device_stage(), m_point);
    finish();
    send();
  } catch (...) {
    abandon();
    throw;
  }
  return m_point;
}

void queue::collect_waits(std::span<const timeline_point> waits) {
  for (const auto& [owner, value] : waits) {
    if (!owner || owner == &m_points) continue; // the queue is in order
    auto& other = static_cast<timeline&>(*owner);
    if (other.completed() >= value) continue;
    // signal_of() sends the other's batch first: in a shared VkQueue nothing overtakes.
    m_incomplete_waits.push_back({other.semaphore(), other.signal_of(value)});
  }
}

bool queue::idle() const { return m_points.completed() >= m_last_point; }

VkCommandBuffer queue::take_commands() {
  const bool gives_back =
      m_free.size() > most_free && idle(); // only when idle, since a next burst would need them
  if (m_free.empty() || gives_back) {
    const auto completed = m_points.completed();
    while (!m_in_flight.empty() && m_in_flight.front().point <= completed)
      m_free.push(m_in_flight.pop().commands);
  }
  if (m_free.empty()) {
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = m_pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 8;
    VkCommandBuffer made[8];
    m_device.check(m_device.vk().AllocateCommandBuffers(m_device.handle(), &info, made),
                   "allocating command buffers");
    for (const auto each : made) m_free.push(each);
  }
  if (gives_back) give_back_two();
  return m_free.pop_last();
}

/// Returns command buffers of a past burst to the driver, two at each submission to an idle queue. On
/// lavapipe freeing eight costs as much as two or three submissions, because libc then returns the memory to
/// the system.
void queue::give_back_two() noexcept {
  const VkCommandBuffer longest_unused[] = {m_free.pop(), m_free.pop()};
  m_device.vk().FreeCommandBuffers(m_device.handle(), m_pool, 2, longest_unused);
  m_given_back += 2;
  if (m_free.size() > most_free && m_given_back < trimmed_after) return;
  m_device.vk().TrimCommandPool(m_device.handle(), m_pool, 0); // else the pool would retain their memory
  m_given_back = 0;
}

semaphore_value queue::next(semaphore_value& steps) {
  if (!steps.semaphore) steps.semaphore = create_timeline_semaphore(m_device);
  return {steps.semaphore, ++steps.value};
}

batch& queue::add_batch() {
  batch made;
  made.first_wait = m_waits.size();
  const auto wait = [&](const semaphore_value& on) { m_waits.push_back(on); };
  if (m_stage == stage::none) {
    for (const auto& on : m_incomplete_waits) wait(on);
    if (m_last_stage_is_host && !idle()) wait({m_points.semaphore(), m_last_point});
  } else if (m_stage == stage::host && !(m_leading && m_batches.empty())) {
    m_groups.back().signal = next(m_host_steps);
    wait(m_groups.back().signal);
    made.after_host = true;
  }
  made.wait_count = m_waits.size() - made.first_wait;
  m_stage = stage::device;
  m_batches.push_back(made);
  return m_batches.back();
}

VkCommandBuffer queue::device_stage() {
  if (m_open) return m_batches.back().commands;
  const bool follows_batch =
      m_stage == stage::none && m_incomplete_waits.empty() && m_unsubmitted.has_batch();
  auto& batch = add_batch();
  batch.commands = take_commands();
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  m_device.check(m_device.vk().BeginCommandBuffer(batch.commands, &info), "recording commands");
  m_open = true;
  m_bound = VK_NULL_HANDLE;
  if (!follows_batch) m_barriers.require(); // orders this after work of the host or of other queues
  return batch.commands;
}

VkCommandBuffer queue::device_command(std::span<const memory_use> uses) {
  const auto commands = device_stage();
  if (m_barriers.add(uses)) {
    // Timestamps follow all commands; a batch after host copies reads what they wrote.
    if (m_profiler || m_batches.back().after_host) full_barrier(m_device, commands);
    else device_barrier(m_device, commands, computes());
  }
  if (m_timing && !m_timed) {
    if (m_goes_on && m_batches.size() == 1 && m_groups.empty()) m_profiler->start_at_end_before(m_point);
    else m_profiler->write_start(commands, m_point);
  }
  m_timed = m_timed || m_timing;
  return commands;
}

void queue::close_batch() {
  if (!m_open) return;
  if (m_profiler) full_barrier(m_device, m_batches.back().commands);
  else closing_barrier(m_device, m_batches.back().commands, computes());
  end_commands();
}

void queue::end_commands() {
  m_open = false;
  m_device.check(m_device.vk().EndCommandBuffer(m_batches.back().commands), "recording commands");
}

host_group& queue::host_stage() {
  if (m_stage == stage::host) return m_groups.back();
  if (m_stage == stage::none) m_unsubmitted.send(); // the host may wait for batched commands
  host_group made;
  made.point = m_point;
  if (m_stage == stage::device) {
    close_batch();
    m_batches.back().signal = next(m_device_steps);
    made.waits.push_back(m_batches.back().signal);
  } else {
    made.waits = m_incomplete_waits;
    if (!idle()) made.waits.push_back({m_points.semaphore(), m_last_point});
  }
  m_stage = stage::host;
  m_groups.push_back(std::move(made));
  return m_groups.back();
}

/// True for a single command after a point that the device has not completed: it then needs only one
/// timestamp, at its end.
bool queue::starts_at_end_before(std::span<const command> commands) const {
  return m_shares_times && commands.size() == 1 && m_incomplete_waits.empty() &&
         m_profiler->ends_on_device(m_last_point) && m_points.known_completed() < m_last_point &&
         (m_unsubmitted.has_batch() || m_unsubmitted.is_alone());
}

void queue::close_timing() {
  m_timing = true;
  if (!m_timed) device_command(); // nothing was timed yet: only barriers, or no commands
  if (m_stage == stage::host) m_groups.back().last_timed = true;
  else m_profiler->write_end(m_batches.back().commands, m_point);
}

void queue::finish() {
  if (m_stage == stage::none) add_batch();
  m_batched = m_groups.empty() && m_batches.size() == 1 && m_waits.empty() && m_unsubmitted.would_batch();
  if (m_batched && m_open &&
      !m_barriers.wants_closing()) { // the next submission adds a barrier if it needs one
    m_batches.back().is_closed = false;
    end_commands();
  }
  close_batch();
  const semaphore_value done{m_points.semaphore(), m_point};
  if (m_stage == stage::host) m_groups.back().signal = done;
  else m_batches.back().signal = done;
}

/// For an idle queue and only small host copies: makes the copies now, on this thread.
void queue::run_all_on_host() {
  m_worker.run(m_groups.front());
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  signal.semaphore = m_points.semaphore();
  signal.value = m_point;
  m_device.check(m_device.vk().SignalSemaphore(m_device.handle(), &signal), "signalling a queue");
}

void queue::send() {
  const std::size_t first = m_leading ? 1 : 0;
  if (m_leading && m_batches.empty()) {
    run_all_on_host();
  } else {
    if (m_groups.size() > first) m_worker.prepare(m_groups.size() - first);
    if (m_leading) m_worker.run(m_groups.front());
    try {
      if (!m_batches.empty()) m_unsubmitted.put(m_batches, m_waits, m_point, m_batched);
    } catch (...) {
      if (m_device.lost() && m_groups.size() > first) release_batches();
      throw;
    }
    for (std::size_t i = first; i < m_groups.size(); ++i) m_worker.push(std::move(m_groups[i]));
  }
  m_points.report_submitted(m_point);
  if (m_batches.empty()) m_points.record_sent(m_point);
  for (const auto& each : m_batches)
    if (each.commands && each.is_own) m_in_flight.push({m_point, each.commands});
  m_barriers.end(m_point, !m_batches.empty() && m_batches.back().commands && m_batches.back().is_closed);
  m_batches.clear();
  m_last_point = m_point;
  m_last_stage_is_host = m_stage == stage::host;
  abandon();
}

/// Ends the batches that were submitted before a later part of their submission was refused: the host copies
/// that they wait for do not run any more, and their command buffers become free.
void queue::release_batches() noexcept {
  VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  signal.semaphore = m_host_steps.semaphore;
  signal.value = m_host_steps.value;
  m_device.vk().SignalSemaphore(m_device.handle(), &signal);
  const std::lock_guard lock(m_shared.mutex);
  m_device.vk().QueueWaitIdle(m_shared.handle);
}

/// Drops the submission being built; command buffers that did not enter the VkQueue become free again.
void queue::abandon() noexcept {
  if (m_open) m_device.vk().EndCommandBuffer(m_batches.back().commands);
  for (const auto& each : m_batches)
    if (each.commands && each.is_own) m_free.push(each.commands);
  m_open = m_leading = m_timing = m_timed = m_goes_on = false;
  m_stage = stage::none;
  m_incomplete_waits.clear();
  m_batches.clear();
  m_groups.clear();
  m_waits.clear();
}

std::uint64_t queue::timestamp_now() {
  const command barrier = barrier_command{};
  const auto point = submit({&barrier, 1}, {});
  m_points.wait(point);
  return m_profiler->end_ticks(point);
}

} // namespace prism::devices::vulkan
