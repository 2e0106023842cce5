// Waiting for commands, and queries of their status and times.
#include "runtime/device/device_state.hpp"
#include "runtime/device/device_failure.hpp"
#include "runtime/execution/scheduled_command.hpp"
#include "runtime/execution/wait_limit.hpp"
#include "runtime/execution/wait_list.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/support/forked.hpp"
#include "runtime/support/log.hpp"

#include <algorithm>
#include <optional>
#include <thread>

namespace prism::runtime {

namespace {

/// A thread's wait for a command, on its stack while it lasts: wait_watch.hpp reports those that last long.
class watched_wait {
public:
  explicit watched_wait(const scheduled_command& what) : watched_wait(what, list_of(what)) {}

private:
  watched_wait(const scheduled_command& what, wait_list* list) : m_entry(list, what) {
    if (list == nullptr) return;
    // The lock of the list orders this after the watching thread has looked at the list, or before.
    what.where().threads().watch_waits();
  }

  /// Null if the command is complete.
  static wait_list* list_of(const scheduled_command& what) {
    return what.known_finished() || what.is_host_access() ? nullptr : &what.where().waits();
  }

  const wait_list::entry m_entry;
};

} // namespace

/// Nothing completes in a forked child, whose drivers have lost their threads: a wait there would never end,
/// and a query may not either.
void refuse_wait_in_forked_child() {
  if (support::is_forked_child.load(std::memory_order_relaxed))
    throw error(error_code::runtime, support::forked_child_error);
}

command_node::status scheduled_command::query() const {
  const status now = look();
  if (now == status::complete && observe::wants(observe::waits)) observe::waited({.command = this});
  return now;
}

command_node::status scheduled_command::look() const {
  switch (current()) {
    case phase::complete: return status::complete;
    case phase::running: return status::running;
    case phase::queued: return status::submitted;
    case phase::submitted: break;
  }
  refuse_wait_in_forked_child();
  const std::uint64_t completed = m_device_queue->points().completed();
  if (completed >= m_point) return status::complete;
  m_device_queue->flush();
  return completed + 1 >= first_point() ? status::running : status::submitted;
}

namespace {

/// What holds a command up, and how far that command's queue is. A device that completes nothing between two
/// equal observations, a time limit apart, is treated as lost.
struct cause_of_wait {
  std::shared_ptr<const scheduled_command> command;
  std::uint64_t completed = 0;

  explicit cause_of_wait(const scheduled_command& of) : command(of.held_up_by()) {
    if (is_on_device()) completed = command->where().points().completed();
  }
  bool is_on_device() const { return command->current() == scheduled_command::phase::submitted; }
  friend bool operator==(const cause_of_wait&, const cause_of_wait&) = default;
};

} // namespace

/// Waits no longer than PRISM_TIMEOUT; then throws what the wait is for.
void scheduled_command::wait_limited(std::chrono::nanoseconds limit, bool reports) {
  if (abandon_if_lost()) return;
  const cause_of_wait before(*this);
  wait_for(limit);
  if (finished()) return;
  const cause_of_wait after(*this);
  std::string text = "a wait has lasted " +
                     std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limit).count()) +
                     " seconds (PRISM_TIMEOUT) for " + description() + ", which is " + wait_state();
  if (after.is_on_device())
    text += "; no driver can stop it: it may still run, and the memory that it uses stays in use";
  if (after.is_on_device() && after == before) {
    device_state& device = after.command->where().device();
    text += "; in this time " + device.label() +
            " has completed no command of that queue, so for this process the device is lost";
    after.command->where().threads().lose(device,
                                          devices::device_error(devices::error_category::lost, "", text));
    if (m_abandoned && reports) m_device_queue->drop_failure(m_failure);
  }
  throw error(error_code::runtime, text);
}

/// Whether the command, or the one that it waits for, was submitted to a device that is lost since then.
bool scheduled_command::abandon_if_lost() {
  if (!device_state::any_is_lost.load(std::memory_order_acquire)) return false;
  const auto cause = held_up_by();
  if (cause->current() != phase::submitted || cause->where().device().loss() == nullptr) return false;
  cause->where().threads().lose(cause->where().device(), *cause->where().device().loss());
  return finished();
}

void scheduled_command::wait() {
  if (current() != phase::complete) refuse_wait_in_forked_child();
  if (runs_on_this_thread())
    throw error(
        error_code::invalid,
        "a host task waits for itself or for the queue that it is a command of; such a wait never ends");
  struct wait_report {
    const scheduled_command& what;
    ~wait_report() {
      if (observe::wants(observe::waits)) observe::waited({.command = &what});
    }
  } const at_the_end{*this};
  std::optional<support::trace::scope> traced;
  if (observe::wants(observe::spans) && !finished())
    known_label() != nullptr ? traced.emplace("wait", "wait for ", known_label()->text)
                             : traced.emplace("wait", "wait");
  wait_unreported();
}

void scheduled_command::wait_unreported() {
  if (current() != phase::complete) refuse_wait_in_forked_child();
  const watched_wait watched(*this);
  if (const auto limit = wait_limit(); limit && current() != phase::complete) wait_limited(*limit, true);
  while (true) {
    const phase now = current();
    switch (now) {
      case phase::complete: return;
      case phase::queued:
      case phase::running: m_phase.wait(now, std::memory_order_acquire); break;
      case phase::submitted:
        m_device_queue->wait_for(m_point);
        finalize(shared_from_this());
        return;
    }
  }
}

void scheduled_command::wait_if_submitted() {
  if (current() != phase::submitted) return;
  refuse_wait_in_forked_child();
  const watched_wait watched(*this);
  if (const auto limit = wait_limit()) wait_limited(*limit, false);
  else m_device_queue->wait_for(m_point);
}

devices::timeline_point scheduled_command::point() {
  for (phase now = current(); now == phase::queued || now == phase::running; now = current())
    m_phase.wait(now, std::memory_order_acquire);
  if (m_point == 0) return {};
  return {&m_device_queue->points(), m_point};
}

void scheduled_command::wait_for(std::chrono::nanoseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (current() == phase::queued || current() == phase::running) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (current() == phase::submitted) m_device_queue->points().wait(m_point, limit);
}

std::uint64_t scheduled_command::first_point() const {
  const std::uint64_t first =
      m_details != nullptr && m_details->method != nullptr ? m_details->method->first_point() : 0;
  return first != 0 ? first : m_point;
}

devices::profile scheduled_command::times_on_device() const {
  const devices::timeline& points = m_device_queue->points();
  devices::profile all = points.times(m_point);
  if (const std::uint64_t first = first_point(); first != m_point) {
    const std::uint64_t ended = all.ended_ns;
    all = points.times(first);
    all.ended_ns = ended;
  }
  return all;
}

devices::profile scheduled_command::times() {
  if (m_device_queue == nullptr || !m_device_queue->profiling())
    throw error(error_code::invalid,
                "profiling information requested for a command whose queue was made without "
                "property::queue::enable_profiling");
  wait();
  if (m_abandoned) std::rethrow_exception(m_failure);
  if (m_point == 0) return {m_made_ns, m_started_ns, m_ended_ns};
  try {
    devices::profile p = times_on_device();
    if (m_details != nullptr && m_details->first != nullptr) {
      const devices::profile first = m_details->first->times();
      return {first.submitted_ns, first.started_ns, p.ended_ns};
    }
    p.submitted_ns = std::min(m_made_ns, p.started_ns);
    return p;
  } catch (const devices::device_error& failed) {
    rethrow(failed);
  }
}

} // namespace prism::runtime
