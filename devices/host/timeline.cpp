// The timeline part of a strand: waits, queries and callbacks of points. queue.cpp runs the commands.
#include "devices/host/queue.hpp"
#include "devices/host/spin.hpp"

#include <algorithm>

namespace prism::devices::host {

std::uint64_t strand::completed() const { return m_completed.load(std::memory_order_acquire); }

bool strand::wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) {
  if (done(point)) return true;
  if (limit) start(); // running the work on this thread could take longer than the limit
  else if (help(point, 0)) return true;
  if (spin_until([&] { return done(point); })) return true;
  std::unique_lock lock(m_mutex);
  ++m_waiters;
  const auto reached = [&] {
    watch(point);
    return done_though_watched(point);
  };
  bool complete = true;
  if (limit)
    complete = m_progress.wait_for(
        lock, std::min<std::chrono::nanoseconds>(*limit, std::chrono::hours(24 * 365)), reached);
  else m_progress.wait(lock, reached);
  --m_waiters;
  return complete;
}

/// Runs on this thread what `point` needs, unless another thread runs it already. True if the point
/// completed.
bool strand::help(std::uint64_t point, int depth) {
  constexpr int deepest = 8; // in a chain of queues; beyond it the pool takes over
  while (!done(point)) {
    if (run_here(point)) continue;
    awaited blocker;
    {
      std::lock_guard lock(m_mutex);
      if (m_state == state::blocked) blocker = m_blocked_on;
    }
    if (!blocker.owner || depth == deepest || !blocker.owner->help(blocker.value, depth + 1))
      return done(point);
  }
  return true;
}

std::optional<device_error> strand::failure(std::uint64_t point) const {
  if (!m_any_failed.load(std::memory_order_relaxed)) // set before the failed point was complete
    return std::nullopt;
  std::lock_guard lock(m_mutex);
  const auto found = m_failures.find(point);
  return found == m_failures.end() ? std::nullopt : std::optional(found->second);
}

profile strand::times(std::uint64_t point) const {
  std::lock_guard lock(m_mutex);
  return point >= 1 && point <= m_profiles.size() ? m_profiles[point - 1] : profile{};
}

void strand::on_completion(std::uint64_t point, void (*then)(void*), void* context) {
  {
    std::lock_guard lock(m_mutex);
    watch(point);
    if (!done_though_watched(point)) {
      m_callbacks.push_back({point, then, context});
      then = nullptr;
    }
  }
  if (then) then(context);
  else start();
}

void strand::complete(std::uint64_t point, const profile& times, std::optional<device_error> failure) {
  if (failure || m_profiling) {
    std::lock_guard lock(m_mutex);
    if (failure) {
      m_failures.emplace(point, std::move(*failure));
      m_any_failed.store(true, std::memory_order_relaxed);
    }
    if (m_profiling) m_profiles.push_back(times);
  }
  m_completed.exchange(point, std::memory_order_seq_cst); // not store(): see m_watched
  if (m_watched.load(std::memory_order_seq_cst) <= point) notify(point);
}

/// Calls the callbacks of points up to this one, and wakes the waiting threads.
void strand::notify(std::uint64_t point) {
  std::vector<callback> reached;
  bool waited_for = false;
  {
    std::lock_guard lock(m_mutex);
    const auto ready = std::stable_partition(m_callbacks.begin(), m_callbacks.end(),
                                             [&](const callback& c) { return c.point > point; });
    reached.assign(ready, m_callbacks.end());
    m_callbacks.erase(ready, m_callbacks.end());
    std::uint64_t next = UINT64_MAX; // woken threads that wait for a later point set it again
    for (const auto& call : m_callbacks) next = std::min(next, call.point);
    m_watched.store(next, std::memory_order_seq_cst);
    waited_for = m_waiters > 0;
  }
  if (waited_for) m_progress.notify_all();
  for (const auto& call : reached) call.then(call.context);
}

} // namespace prism::devices::host
