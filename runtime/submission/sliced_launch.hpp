// Submits a launch in slices (PRISM_SLICE), so that the device can run other programs' work between them and
// no submission lasts as long as a driver's watchdog waits. The event, the failure and the times are those of
// the whole launch.
//
// With a limit of work-groups all slices are submitted at once. With a limit of time each slice is as large
// as the time of the one before it allows: the submitting thread waits for all slices but the last, with the
// device queue locked.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/launch/launch_slices.hpp"

#include <memory>

namespace prism::runtime {

class sliced_launch final : public submission_method {
public:
  sliced_launch(const support::slice_limit& limit, std::uint64_t units) : m_limit(limit), m_units(units) {}
  /// The last command is the launch; it is a part (make_part).
  std::uint64_t submit(driver_queue& on, std::span<const devices::command> commands,
                       std::span<const devices::timeline_point> waits) override;
  std::optional<devices::device_error> failure() const override;
  std::uint64_t first_point() const override { return m_first; }

private:
  bool wait_for(driver_queue& on, std::uint64_t point);

  const support::slice_limit m_limit;
  const std::uint64_t m_units;
  std::uint64_t m_first = 0, m_last = 0;
  devices::timeline* m_points = nullptr;
  std::optional<devices::device_error> m_refused; // why a later slice was not submitted
};

/// Null if the launch is one slice.
std::unique_ptr<submission_method> slices_for(const devices::dispatch_command& launch, std::uint64_t units);

} // namespace prism::runtime
