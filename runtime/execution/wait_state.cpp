// What a command is, and what it waits for: for errors and for reports of long waits.
#include "runtime/device/device_state.hpp"
#include "runtime/execution/scheduled_command.hpp"

namespace prism::runtime {

std::string scheduled_command::described() const {
  return m_origin.description() +
         (m_device_queue != nullptr ? " on " + m_device_queue->device().label() : std::string());
}

std::string scheduled_command::description() const {
  const std::lock_guard lock(m_mutex);
  // the texts of a complete command may belong to what it had retained
  return current() == phase::complete ? "a command that is complete by now" : described();
}

std::shared_ptr<const scheduled_command> scheduled_command::held_up_by() const {
  constexpr int longest = 100'000; // a chain of commands; beyond it any of them serves for a message
  std::shared_ptr<const scheduled_command> found = shared_from_this();
  for (int step = 0; step < longest; ++step) {
    if (found->is_host_access() || found->current() == phase::running) return found;
    std::shared_ptr<const scheduled_command> next;
    {
      const std::lock_guard lock(found->m_mutex);
      for (const dependency& d : found->m_dependencies)
        if (!d.on->finished()) {
          next = d.on;
          break;
        }
    }
    if (next == nullptr && found->current() == phase::submitted)
      next = found->m_device_queue->oldest_incomplete();
    if (next == nullptr || next == found) return found;
    found = std::move(next);
  }
  return found;
}

std::string scheduled_command::wait_state() const {
  const auto own_state = [](const scheduled_command& of) {
    switch (of.current()) {
      case phase::submitted: return "submitted to the device and not complete";
      case phase::running: return "running on the host";
      case phase::complete: return "complete by now";
      case phase::queued: break;
    }
    return "queued";
  };
  const auto cause = held_up_by();
  if (cause.get() == this) return own_state(*this);
  if (cause->is_host_access())
    return "queued behind the " + cause->description() + ", which still exists; destroy it before the wait";
  return (current() == phase::submitted ? "submitted to the device behind " : "queued behind ") +
         cause->description() + ", which is " + own_state(*cause);
}

} // namespace prism::runtime
