// A launch that is timed. It runs on a queue of its own that measures, between its own queue's last command
// and a barrier there, since measuring is a property of drivers' queues and slows some of them down a lot.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/specialise/kernel_state.hpp"

#include <memory>
#include <mutex>

namespace prism::runtime {

/// Of a device's timed launches; made at first need.
struct measuring_queue {
  std::mutex mutex;
  std::unique_ptr<devices::queue> queue;
};

/// Of one command.
class timed_launch final : public submission_method {
public:
  timed_launch(devices::device& device, measuring_queue& measures, std::shared_ptr<kernel_state> state,
               std::shared_ptr<variant> what, build_side side);
  ~timed_launch() override;
  timed_launch(const timed_launch&) = delete;
  /// In place of the command's own queue's submit, with the queue locked.
  std::uint64_t submit(driver_queue& on, std::span<const devices::command> commands,
                       std::span<const devices::timeline_point> waits) override;
  std::optional<devices::device_error> failure() const override;

private:
  devices::device& m_device;
  measuring_queue& m_measures;
  std::shared_ptr<kernel_state> m_state;
  std::shared_ptr<variant> m_what;
  build_side m_side;
  devices::timeline_point m_point;
};

} // namespace prism::runtime
