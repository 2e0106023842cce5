// The part of a strand that runs commands: order, waits and execution.
#include "devices/host/queue.hpp"

#include "devices/host/copy.hpp"
#include "devices/host/dispatch.hpp"

#include <cassert>
#include <new>

namespace prism::devices::host {
namespace {

std::uint64_t now_ns() {
  return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::steady_clock::now().time_since_epoch())
                           .count());
}

/// The failure of a submission that was not run because it waits for a point that failed with `cause`.
device_error dependent_failure(const device_error& cause) {
  std::string text = cause.what();
  const auto& code = cause.driver_code();
  if (const auto suffix = " (" + code + ")"; !code.empty() && text.ends_with(suffix))
    text.resize(text.size() - suffix.size());
  if (!text.starts_with("not run: ")) text = "not run: a point it waits for failed: " + text;
  return device_error(cause.category(), code, text);
}

void execute_one(const command& what, unsigned threads) {
  if (const auto* copy = std::get_if<copy_command>(&what)) execute_copy(*copy);
  else if (const auto* fill = std::get_if<fill_command>(&what)) execute_fill(*fill);
  else if (const auto* dispatch = std::get_if<dispatch_command>(&what)) execute_dispatch(*dispatch, threads);
}

/// Turns the exception of a command into the stored failure.
device_error failure_now() {
  try {
    throw;
  } catch (const device_error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return device_error(error_category::out_of_memory, "", "run a command on the host device: out of memory");
  } catch (const std::exception& error) {
    return device_error(error_category::other, "",
                        std::string("run a kernel on the host device: it threw an exception: ") +
                            error.what());
  } catch (...) {
    return device_error(
        error_category::other, "",
        "run a kernel on the host device: it threw an exception that is not a std::exception");
  }
}

} // namespace

std::uint64_t strand::submit(command_list commands, std::span<const timeline_point> waits) {
  submission work;
  work.commands = std::move(commands);
  for (const auto& wait : waits) {
    auto* owner = dynamic_cast<strand*>(wait.owner);
    assert(owner != nullptr && "the runtime defers commands that wait for other drivers");
    work.waits.push_back({owner->shared_from_this(), wait.value});
  }
  if (m_profiling && !m_for_trace) work.submitted_ns = now_ns();
  std::lock_guard lock(m_mutex);
  work.point = m_submitted.load(std::memory_order_relaxed) + 1;
  m_pending.push_back(std::move(work));
  m_submitted.store(m_pending.back().point, std::memory_order_release);
  return m_pending.back().point;
}

void strand::start() {
  {
    std::lock_guard lock(m_mutex);
    if (m_state != state::idle || m_pending.empty()) return;
    m_state = state::posted;
  }
  m_pool.post(shared_from_this());
}

void strand::run() noexcept {
  {
    std::lock_guard lock(m_mutex);
    if (m_state != state::posted) return; // a waiting thread took the work before this one came
    m_state = state::running;
  }
  run_pending(UINT64_MAX);
}

/// Runs pending submissions up to `last` on this thread. False if there is nothing that this thread may run.
bool strand::run_here(std::uint64_t last) {
  {
    std::lock_guard lock(m_mutex);
    if (m_state == state::running || m_state == state::blocked ||
        (m_state == state::idle && m_pending.empty()))
      return false;
    m_state = state::running;
  }
  run_pending(last);
  return true;
}

void strand::run_pending(std::uint64_t last) {
  for (submission work; take_front(work, last);) execute(work);
}

/// The first of the awaited points that is not complete; null if all are.
const strand::awaited* strand::blocker_of(const submission& work) const {
  for (const auto& wait : work.waits)
    if (!wait.owner->done(wait.value)) return &wait;
  return nullptr;
}

/// Takes the next submission, if its waits are complete. False if this thread must stop: nothing is left; or
/// the submission is blocked (completion of the awaited point then restarts the strand); or it is beyond
/// `last` (the pool then continues).
bool strand::take_front(submission& next, std::uint64_t last) {
  if (m_taken.empty()) {
    std::lock_guard lock(m_mutex);
    assert(m_state == state::running);
    m_taken.swap(m_pending);
    if (m_taken.empty()) {
      m_state = state::idle;
      return false;
    }
  }
  awaited blocker;
  if (auto& front = m_taken.front(); front.point <= last) {
    const awaited* const waits_for = blocker_of(front);
    if (waits_for == nullptr) {
      next = std::move(front);
      m_taken.pop_front();
      if (!m_taken.empty() && !m_taken.front().commands.empty())
        pool::prefetch(m_taken.front().commands.data(), sizeof(command));
      return true;
    }
    blocker = *waits_for;
  }
  {
    std::lock_guard lock(m_mutex);
    m_blocked_on = blocker;
    m_state = blocker.owner ? state::blocked : state::posted;
  }
  if (blocker.owner)
    blocker.owner->on_completion(blocker.value, [](void* context) {
      std::unique_ptr<std::shared_ptr<strand>> self(static_cast<std::shared_ptr<strand>*>(context));
      (*self)->resume();
    }, new std::shared_ptr<strand>(shared_from_this()));
  else m_pool.post(shared_from_this());
  return false;
}

void strand::resume() {
  {
    std::lock_guard lock(m_mutex);
    if (m_state != state::blocked) return;
    m_blocked_on = {};
    m_state = state::posted;
  }
  m_pool.post(shared_from_this());
}

void strand::execute_all(const command_list& commands, profile& times) {
  for (const auto& command : commands) {
    if (m_profiling) times.started_ns = now_ns();
    execute_one(command, m_threads);
  }
}

void strand::execute(submission& work) {
  profile times{work.submitted_ns, 0, 0};
  std::optional<device_error> failure;
  for (const auto& wait : work.waits)
    if (auto cause = wait.owner->failure(wait.value)) {
      failure = dependent_failure(*cause);
      break;
    }
  if (m_profiling && (failure || work.commands.empty())) times.started_ns = now_ns();
  try {
    if (!failure && m_share != nullptr) m_share->run([&] { execute_all(work.commands, times); });
    else if (!failure) execute_all(work.commands, times);
  } catch (...) {
    failure = failure_now();
  }
  if (m_profiling) times.ended_ns = now_ns();
  const auto point = work.point;
  work = {}; // releases captured bytes and awaited strands before any thread can see that the point completed
  complete(point, times, std::move(failure));
}

} // namespace prism::devices::host
