#include "devices/host/group_runner.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace prism::devices::host {
namespace {

constexpr std::uint64_t arena_alignment = 128;

/// Restores the thread's context also when a kernel throws.
class context_scope {
public:
  explicit context_scope(const work_item_context& context) : m_before(exchange_context(&context)) {}
  ~context_scope() { exchange_context(m_before); }
  context_scope(const context_scope&) = delete;
  context_scope& operator=(const context_scope&) = delete;

private:
  const work_item_context* m_before;
};

void* allocate_aligned(std::uint64_t bytes) {
  void* memory = std::aligned_alloc(arena_alignment, (bytes + arena_alignment - 1) / arena_alignment * arena_alignment);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void store(std::uint64_t (&to)[3], const extent3& from) { std::copy(from.begin(), from.end(), to); }

} // namespace

void group_runner::free_deleter::operator()(void* memory) const noexcept { std::free(memory); }

group_runner& group_runner::of_this_thread() {
  thread_local group_runner runner;
  return runner;
}

void* group_runner::arena(std::uint64_t bytes) {
  if (bytes > m_arena_bytes || !m_arena) {
    m_arena.reset();
    m_arena_bytes = 0;
    m_arena.reset(allocate_aligned(std::max<std::uint64_t>(4096, bytes)));
    m_arena_bytes = std::max<std::uint64_t>(4096, bytes);
  }
  return m_arena.get();
}

void* group_runner::scratch(std::uint64_t bytes) {
  for (const auto& [size, block] : m_scratch)
    if (size == bytes)
      return block.get();
  m_scratch.emplace_back(bytes, allocate_aligned(bytes));
  return m_scratch.back().second.get();
}

void group_runner::run(const group_job& job, const extent3& group_id) {
  m_job = &job;
  m_items = job.local[0] * job.local[1] * job.local[2];
  m_started = 0;
  m_cursor = {0, 0, 0};
  m_error = nullptr;
  store(m_context.local_id, m_cursor);
  store(m_context.group_id, group_id);
  store(m_context.local_size, job.local);
  store(m_context.group_count, job.groups);
  m_context.arena = arena(job.local_bytes);
  m_context.runner = m_items == 1 ? nullptr : this;
  context_scope scope(m_context);
  if (m_items == 1)
    job.work_item(job.closure);
  else
    run_rounds();
}

/// First every item up to its first barrier or its end, then round after round from barrier to barrier.
void group_runner::run_rounds() {
  while (m_started < m_items && !m_error) {
    try {
      resume(take_slot());
    } catch (...) { // no memory for another stack
      m_error = std::current_exception();
    }
  }
  while (!m_waiting.empty() && !m_error) {
    if (m_waiting.size() != m_items) {
      m_error = std::make_exception_ptr(divergence(m_waiting.size()));
      break;
    }
    std::swap(m_waiting, m_round);
    std::size_t next = 0;
    while (next < m_round.size() && !m_error) {
      slot& item = *m_round[next++];
      store(m_context.local_id, item.local_id);
      resume(item);
    }
    m_round.erase(m_round.begin(), m_round.begin() + std::ptrdiff_t(next));
  }
  drop(m_waiting);
  drop(m_round);
  if (m_error)
    std::rethrow_exception(std::exchange(m_error, nullptr));
}

group_runner::slot& group_runner::take_slot() {
  if (m_idle.empty()) {
    auto fresh = std::make_unique<slot>();
    m_idle.reserve(m_slots.size() + 1); // so that giving a slot back never allocates
    m_waiting.reserve(m_slots.size() + 1);
    m_round.reserve(m_slots.size() + 1);
    fresh->owner = this;
    fresh->stack = std::make_unique<fiber>(
        [](fiber&, void* context) {
          auto& self = *static_cast<slot*>(context);
          self.owner->run_items(self);
        },
        fresh.get());
    m_slots.push_back(std::move(fresh));
    return *m_slots.back();
  }
  slot& last = *m_idle.back();
  m_idle.pop_back();
  return last;
}

void group_runner::resume(slot& which) {
  which.waiting = false;
  m_running = &which;
  which.stack->resume();
  m_running = nullptr;
  (which.waiting ? m_waiting : m_idle).push_back(&which);
}

/// On a fiber: the items not yet started, one after the other, as long as none suspends for good.
void group_runner::run_items(slot& self) {
  while (m_started < m_items && !m_error) {
    self.local_id = m_cursor;
    store(m_context.local_id, m_cursor);
    ++m_started;
    for (int d = 0; d < 3 && ++m_cursor[d] == m_job->local[d]; ++d)
      m_cursor[d] = 0;
    try {
      m_job->work_item(m_job->closure);
    } catch (...) {
      m_error = std::current_exception();
    }
  }
}

void group_runner::barrier() {
  slot& self = *m_running;
  self.waiting = true;
  self.stack->suspend(); // the resuming side restores the ids
}

void group_runner::drop(std::vector<slot*>& suspended) {
  for (slot* item : suspended) {
    item->stack->abandon();
    m_idle.push_back(item);
  }
  suspended.clear();
}

device_error group_runner::divergence(std::size_t waiting) const {
  const auto& id = m_context.group_id;
  return device_error(error_category::invalid, "",
                      "run work-group (" + std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " +
                          std::to_string(id[2]) + ") on the host device: " + std::to_string(waiting) + " of " +
                          std::to_string(m_items) +
                          " work-items wait at a barrier that the others never reach; all work-items of a group must "
                          "reach the same barriers");
}

} // namespace prism::devices::host
