#include "devices/host/group_runner.hpp"

#include "devices/api/thread_end.hpp"
#include "devices/host/item_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace prism::devices::host {
namespace {

constexpr std::uint64_t arena_alignment = 128;

void* allocate_aligned(std::uint64_t bytes) {
  void* memory =
      std::aligned_alloc(arena_alignment, (bytes + arena_alignment - 1) / arena_alignment * arena_alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

void store(std::uint64_t (&to)[3], const extent3& from) { std::copy(from.begin(), from.end(), to); }

void destroy_runner(void* runner) { delete static_cast<group_runner*>(runner); }

} // namespace

void group_runner::free_deleter::operator()(void* memory) const noexcept { std::free(memory); }

group_runner& group_runner::of_this_thread() {
  static constinit thread_local group_runner* mine = nullptr;
  if (mine == nullptr) {
    auto made = std::make_unique<group_runner>();
    // If this fails, the runner exists until the process ends: the thread's fibers need it.
    at_thread_end<&destroy_runner>(made.get());
    mine = made.release();
  }
  return *mine;
}

void* group_runner::block::at_least(std::uint64_t wanted) {
  if (wanted > bytes || !memory) {
    memory.reset();
    bytes = 0;
    memory.reset(allocate_aligned(std::max<std::uint64_t>(4096, wanted)));
    bytes = std::max<std::uint64_t>(4096, wanted);
  }
  return memory.get();
}

void* group_runner::arena(std::uint64_t bytes) { return m_arena.at_least(bytes); }
void* group_runner::spill_memory(std::uint64_t bytes) { return m_spill.at_least(bytes); }
void* group_runner::workspace(std::uint64_t bytes) { return m_workspace.at_least(bytes); }

void* group_runner::scratch(std::uint64_t bytes, std::uint64_t key) {
  for (const scratch_block& block : m_scratch)
    if (block.bytes == bytes && block.key == key) return block.memory.get();
  m_scratch.push_back({key, bytes, decltype(scratch_block::memory)(allocate_aligned(bytes))});
  return m_scratch.back().memory.get();
}

bool group_runner::holds(const void* pointer) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer);
  const auto contains = [at](const void* memory, std::uint64_t bytes) {
    return memory != nullptr && at - reinterpret_cast<std::uintptr_t>(memory) < bytes;
  };
  return contains(m_arena.memory.get(), m_arena.bytes) ||
         std::any_of(m_scratch.begin(), m_scratch.end(),
                     [&](const scratch_block& block) { return contains(block.memory.get(), block.bytes); });
}

void group_runner::run(const group_job& job, const extent3& group_id) {
  m_job = &job;
  m_items = job.local[0] * job.local[1] * job.local[2];
  m_started = 0;
  m_cursor = {0, 0, 0};
  if (job.order != item_order::any) advance_cursor();
  m_error = nullptr;
  store(m_context.local_id, m_cursor);
  store(m_context.local_size, job.local);
  m_group = {group_id, job.groups, job.items};
  show(m_group);
  m_context.sub_group_size = job.sub_group_size;
  m_context.fixed_order = job.fixes_order;
  m_context.arena = arena(job.local_bytes);
  if (job.order != item_order::any) fill_local_memory();
  m_context.closure = job.closure;
  m_context.hidden = job.hidden;
  m_context.runner = m_items == 1 ? nullptr : this;
  context_scope scope(m_context);
  if (m_items == 1) {
    job.work_item(job.closure);
    return;
  }
  prepare_sub_groups();
  run_to_completion();
}

void group_runner::show(const group_place& group) {
  store(m_context.group_id, group.id);
  store(m_context.group_count, group.groups);
  store(m_context.extent, group.items);
}

void group_runner::enter_group(const extent3& id, const extent3& groups) {
  const extent3& local = m_job->local;
  const group_place entered{id, groups, {groups[0] * local[0], groups[1] * local[1], groups[2] * local[2]}};
  if (m_running) m_running->group = entered;
  show(entered);
}

void group_runner::leave_group() {
  if (m_running) m_running->group = m_group;
  show(m_group);
}

/// With the same bytes for every group: what an earlier group left could be what this one should have
/// written.
void group_runner::fill_local_memory() {
  constexpr int unwritten = 0xa5;
  if (m_job->local_bytes != 0) std::memset(m_context.arena, unwritten, m_job->local_bytes);
  for (const scratch_block& block : m_scratch) std::memset(block.memory.get(), unwritten, block.bytes);
}

/// Moves to the item that starts next.
void group_runner::advance_cursor() {
  const extent3& local = m_job->local;
  if (m_job->order == item_order::any) {
    for (int d = 0; d < 3 && ++m_cursor[d] == local[d]; ++d) m_cursor[d] = 0;
  } else if (m_started < m_items) {
    const std::uint64_t item = item_at(m_job->order, m_started, m_items);
    m_cursor = {item % local[0], item / local[0] % local[1], item / local[0] / local[1]};
  }
}

void group_runner::prepare_sub_groups() {
  const std::size_t count = (m_items + m_job->sub_group_size - 1) / m_job->sub_group_size;
  m_sub_groups.resize(std::max(m_sub_groups.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    sub_group& each = m_sub_groups[i];
    each.members = std::min<std::size_t>(m_job->sub_group_size, m_items - i * m_job->sub_group_size);
    each.ended = 0;
    each.waiting.reserve(m_job->sub_group_size); // exchange() must not throw
    each.values.reserve(m_job->sub_group_size);
  }
}

/// First resumes every item up to its first barrier or its end, then all items from barrier to barrier.
void group_runner::run_to_completion() {
  while (m_started < m_items && !m_error) {
    try {
      resume(take_slot());
    } catch (...) { // no memory for another stack
      m_error = std::current_exception();
    }
    run_ready();
  }
  while (!m_error && (!m_waiting.empty() || waiting_in_sub_groups() != 0)) {
    if (release_without_ended()) {
      run_ready();
      continue;
    }
    if (m_waiting.size() != m_items) {
      m_error = std::make_exception_ptr(divergence());
      break;
    }
    std::swap(m_waiting, m_resuming);
    std::size_t next = 0;
    while (next < m_resuming.size() && !m_error) {
      resume(*m_resuming[next++]);
      run_ready();
    }
    m_resuming.erase(m_resuming.begin(), m_resuming.begin() + std::ptrdiff_t(next));
  }
  drop(m_waiting);
  drop(m_resuming);
  drop(m_ready);
  for (sub_group& each : m_sub_groups) drop(each.waiting);
  if (m_error) std::rethrow_exception(std::exchange(m_error, nullptr));
}

void group_runner::run_ready() {
  while (!m_ready.empty() && !m_error) {
    slot& item = *m_ready.back();
    m_ready.pop_back();
    resume(item);
  }
}

std::size_t group_runner::waiting_in_sub_groups() const {
  std::size_t waiting = 0;
  for (const sub_group& each : m_sub_groups) waiting += each.waiting.size();
  return waiting;
}

group_runner::slot& group_runner::take_slot() {
  if (m_idle.empty()) {
    auto fresh = std::make_unique<slot>();
    m_idle.reserve(m_slots.size() + 1); // so that returning a slot never allocates
    m_waiting.reserve(m_slots.size() + 1);
    m_resuming.reserve(m_slots.size() + 1);
    m_ready.reserve(m_slots.size() + 1);
    fresh->owner = this;
    fresh->stack = std::make_unique<fiber>([](fiber&, void* context) {
      auto& self = *static_cast<slot*>(context);
      self.owner->run_items(self);
    }, fresh.get());
    m_slots.push_back(std::move(fresh));
    return *m_slots.back();
  }
  slot& last = *m_idle.back();
  m_idle.pop_back();
  return last;
}

void group_runner::resume(slot& which) {
  which.waits = slot::waiting_at::nowhere;
  store(m_context.local_id, which.local_id); // for an item that continues; one that starts sets its own
  show(which.group);
  m_running = &which;
  which.stack->resume();
  m_running = nullptr;
  switch (which.waits) {
    case slot::waiting_at::barrier: m_waiting.push_back(&which); break;
    case slot::waiting_at::nowhere: m_idle.push_back(&which); break;
    default: break; // it is in its sub-group's list
  }
}

/// Runs on a fiber: starts one item after the other until one suspends for good.
void group_runner::run_items(slot& self) {
  self.frames_end = __builtin_frame_address(0);
  while (m_started < m_items && !m_error) {
    self.local_id = m_cursor;
    self.group = m_group;
    store(m_context.local_id, m_cursor);
    show(m_group);
    ++m_started;
    advance_cursor();
    try {
      m_job->work_item(m_job->closure);
    } catch (...) {
      m_error = std::current_exception();
    }
    ++sub_group_of(self).ended;
  }
}

void group_runner::barrier() {
  slot& self = *m_running;
  self.waits = slot::waiting_at::barrier;
  self.stack->suspend(); // resume() restores the ids
}

std::uint64_t group_runner::number_of(const slot& item) const {
  const extent3& size = m_job->local;
  return item.local_id[0] + size[0] * (item.local_id[1] + size[1] * item.local_id[2]);
}

group_runner::sub_group& group_runner::sub_group_of(const slot& item) {
  return m_sub_groups[number_of(item) / m_job->sub_group_size];
}

std::span<const std::uint64_t> group_runner::exchange(std::uint64_t value, std::uintptr_t place) {
  slot& self = *m_running;
  sub_group& mine = sub_group_of(self);
  self.value = value;
  self.place = place;
  mine.waiting.push_back(&self);
  if (is_complete(mine)) { // the last item to arrive releases the others and continues
    const auto first = std::ptrdiff_t(m_ready.size());
    release(mine);
    m_ready.erase(m_ready.begin() + first);
  } else {
    self.waits = slot::waiting_at::sub_group;
    self.stack->suspend();
  }
  return mine.values;
}

/// Whether all items that have not ended wait at one place.
bool group_runner::is_complete(const sub_group& which) {
  return !which.waiting.empty() && which.waiting.size() + which.ended == which.members &&
         std::all_of(which.waiting.begin(), which.waiting.end(),
                     [&](const slot* each) { return each->place == which.waiting.front()->place; });
}

/// All become ready, in the order of their arrival from the list's end. Each reads the values before the next
/// release, because it is not waiting until then.
void group_runner::release(sub_group& which) {
  which.values.assign(which.members, 0);
  for (const slot* each : which.waiting) which.values[number_of(*each) % m_job->sub_group_size] = each->value;
  m_ready.insert(m_ready.end(), which.waiting.rbegin(), which.waiting.rend());
  which.waiting.clear();
}

/// Those of sub-groups whose other items have ended. Returns whether some item is ready then.
bool group_runner::release_without_ended() {
  for (sub_group& each : m_sub_groups)
    if (is_complete(each)) release(each);
  return !m_ready.empty();
}

void group_runner::drop(std::vector<slot*>& suspended) {
  for (slot* item : suspended) {
    item->stack->abandon();
    m_idle.push_back(item);
  }
  suspended.clear();
}

device_error group_runner::divergence() const {
  const auto& id = m_context.group_id;
  const std::size_t in_sub_groups = waiting_in_sub_groups();
  const bool at_barrier = in_sub_groups == 0;
  return device_error(
      error_category::invalid, "",
      "run work-group (" + std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " +
          std::to_string(id[2]) + ") on the host device: " +
          std::to_string(at_barrier ? m_waiting.size() : in_sub_groups) + " of " + std::to_string(m_items) +
          (at_barrier
               ? " work-items wait at a barrier that the others never reach; all work-items of a group must "
                 "reach the same barriers"
               : " work-items wait at a sub-group operation that others of their sub-group never reach; all "
                 "work-items of a sub-group must reach the same operations"));
}

} // namespace prism::devices::host
