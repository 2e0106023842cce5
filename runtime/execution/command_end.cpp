// Completion of commands: their failures, notification of followers, release of retained objects, and wake-up
// of waiting commands.
#include "runtime/device/device_state.hpp"
#include "runtime/device/device_failure.hpp"
#include "runtime/execution/scheduled_command.hpp"
#include "runtime/support/text.hpp"

#include <utility>

namespace prism::runtime {

/// The times are those on the device's queue, or those on a thread of the runtime.
void scheduled_command::notify_followers(bool failed) const {
  observe::completion_event event{.label = known_label(),
                                  .device = nullptr,
                                  .device_name = {},
                                  .on_device = std::nullopt,
                                  .failed = failed};
  if (m_device_queue != nullptr) {
    event.device = &m_device_queue->device();
    event.device_name = m_device_queue->device().name_in_traces();
    event.queue = m_device_queue->number();
    event.measured = m_device_queue->measures();
  }
  if (m_point != 0 && !m_abandoned) {
    try {
      event.on_device = times_on_device();
    } catch (const devices::device_error&) { // the device did not run it, or lost it
    }
  } else {
    event.host_begin_ns = m_started_ns;
    event.host_end_ns = m_ended_ns;
  }
  for (const auto& each : m_details->followers) each->completed(event);
}

void scheduled_command::finish(std::exception_ptr failure) {
  if (m_details != nullptr && !m_details->followers.empty()) {
    const std::lock_guard lock(m_mutex);
    if (current() == phase::complete) return;
    // If several threads finish it at the same time, one notifies the followers and the others wait for that.
    if (!std::exchange(m_details->followers_notified, true)) notify_followers(failure != nullptr);
  }
  small_vector<command_ref, 1> waiters;
  dependency_list dependencies; // destroyed last, without a lock
  keep_alive_list retained;
  {
    const std::lock_guard lock(m_mutex);
    if (current() == phase::complete) return;
    m_failure = failure;
    waiters.swap(m_waiters);
    dependencies.swap(m_dependencies);
    retained.swap(m_retained);
    if (failure != nullptr && m_device_queue != nullptr && m_point == 0) m_device_queue->mark_gap();
    // Before the phase changes, so that a thread that waits for the command and then asks for failures gets
    // it.
    if (failure != nullptr && m_device_queue != nullptr)
      m_failure_number = m_device_queue->add_failure(std::move(failure));
    m_phase.store(phase::complete, std::memory_order_release);
  }
  m_phase.notify_all();
  deferred_release::take(dependencies, retained);
  submit_again(waiters);
}

void scheduled_command::abandon(const devices::device_error& why) {
  const command_ref self = shared_from_this();
  {
    const std::lock_guard lock(m_mutex);
    if (current() != phase::submitted || m_abandoned || m_device_queue->points().completed() >= m_point)
      return;
    m_abandoned = true;
    for (std::shared_ptr<void>& used : m_retained) m_device_queue->device().retain(std::move(used));
    m_retained.clear();
    m_device_queue->device().retain(self); // with its method of submission
  }
  finish(failed_with(why));
}

/// Converts to the API's error, which names the command, its line in the program and the device.
std::exception_ptr scheduled_command::failed_with(const devices::device_error& what) const {
  m_device_queue->device().record_error(what);
  return as_error(what, described());
}

std::exception_ptr scheduled_command::failure_found() const {
  auto failed = m_device_queue->points().failure(m_point);
  if (!failed && m_details != nullptr && m_details->method != nullptr) failed = m_details->method->failure();
  if (failed) {
    return failed_with(*failed);
  }
  for (const dependency& d : m_dependencies)
    if (d.data && d.on->current() == phase::complete && d.on->m_failure != nullptr) {
      d.on->pass_on_failure();
      return std::make_exception_ptr(
          error(error_code::runtime,
                "the results of " + described() +
                    " are not valid: a command it depends on failed: " + support::text_of(d.on->m_failure)));
    }
  return nullptr;
}

void scheduled_command::finalize(command_ref finished_command) {
  small_vector<command_ref, 4> pending;
  pending.push_back(std::move(finished_command));
  while (!pending.empty()) {
    const command_ref c = pending.back();
    if (c->current() == phase::complete) {
      pending.pop_back();
      continue;
    }
    bool ready = true;
    std::exception_ptr failed;
    {
      const std::lock_guard lock(c->m_mutex); // against another thread's finish()
      for (const dependency& d : c->m_dependencies)
        if (d.on->current() != phase::complete && d.on->finished()) {
          pending.push_back(d.on);
          ready = false;
        }
      if (ready && c->current() != phase::complete) failed = c->failure_found();
    }
    if (!ready) continue;
    pending.pop_back();
    c->finish(std::move(failed));
  }
}

completable::outcome scheduled_command::result() const {
  if (current() != phase::complete) failure(); // finalizes it
  if (m_failure == nullptr) return outcome::valid;
  const bool reported = m_device_queue == nullptr || m_device_queue->has_reported_failure(m_failure_number);
  return reported ? outcome::failed_and_reported : outcome::failed;
}

void scheduled_command::pass_on_failure() const {
  if (m_failure != nullptr && m_device_queue != nullptr && m_device_queue->serves_engine())
    m_device_queue->drop_failure(m_failure);
}

std::exception_ptr scheduled_command::failure() const {
  if (!finished()) return nullptr;
  finalize(std::const_pointer_cast<scheduled_command>(shared_from_this()));
  return m_failure;
}

} // namespace prism::runtime
