// A measured launch. Measuring is a property of a driver's queue and makes some of them much slower, so the
// launch runs on a separate queue: after the last command of its own queue, which then waits for it with a
// barrier.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/specialise/kernel_state.hpp"

#include <memory>
#include <mutex>

namespace prism::runtime {

/// The queue for measured launches of a device, made at first use.
struct measuring_queue {
  std::mutex mutex;
  std::unique_ptr<devices::queue> queue;
};

/// The measurement of one command.
class timed_launch final : public submission_method {
public:
  timed_launch(devices::device& device, measuring_queue& measures, std::shared_ptr<kernel_state> state,
               std::shared_ptr<variant> what, build_side side);
  ~timed_launch() override;
  timed_launch(const timed_launch&) = delete;
  /// Replaces the submit of the command's own queue; call with that queue locked.
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
