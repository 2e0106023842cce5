// What commands and queues need of threads. Root implements it; it outlives every queue, and each queue holds
// a reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace prism::runtime {

class scheduled_command;
class driver_queue;

struct services {
  /// The deferred submitter's thread looks at the command again: it submits it, or registers it with what it
  /// still waits for.
  virtual void submit_when_ready(std::shared_ptr<scheduled_command> waiting) = 0;
  /// From a driver's callback: the command's device work is complete. That thread settles it, which wakes
  /// those that wait for it.
  virtual void finalize_later(std::shared_ptr<scheduled_command> complete) = 0;
  /// `body` must not throw.
  virtual void run_host_task(std::function<void()> body) = 0;
  /// The queue got work, the last of it `point`: it is flushed a while later where that is not complete then.
  virtual void flush_if_stale(std::shared_ptr<driver_queue> queue, std::uint64_t point) noexcept = 0;

protected:
  ~services() = default;
};

} // namespace prism::runtime
