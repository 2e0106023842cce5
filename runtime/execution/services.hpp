// Thread services that commands and queues need. Implemented by runtime/root; outlives every queue, and each
// queue holds a reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace prism::devices {
class device_error;
}

namespace prism::runtime {

class device_state;
class scheduled_command;
class driver_queue;

struct services {
  /// The deferred submitter's thread submits the command, or registers it with the dependency that it still
  /// waits for.
  virtual void submit_when_ready(std::shared_ptr<scheduled_command> waiting) = 0;
  /// Called from a driver's callback when the command's device work is complete. The deferred submitter's
  /// thread finalizes the command, which wakes the commands waiting for it.
  virtual void finalize_later(std::shared_ptr<scheduled_command> complete) = 0;
  /// `body` must not throw. Throws prism::error if there is no thread for it.
  virtual void run_host_task(std::function<void()> body) = 0;
  /// Work up to `point` was submitted to the queue. If it is incomplete after a while, the queue is flushed.
  virtual void flush_if_stale(std::shared_ptr<driver_queue> queue, std::uint64_t point) noexcept = 0;

  /// A thread begins to wait for a command of a queue; wait_watch.hpp.
  virtual void watch_waits() noexcept = 0;
  /// For this process the device is lost; lose_device.hpp.
  virtual void lose(device_state& device, const devices::device_error& why) = 0;

protected:
  ~services() = default;
};

} // namespace prism::runtime
