// An alternative to queue::submit_after for submitting a command's work: recorded command buffers, measured
// launches, launches in slices.
#pragma once

#include "devices/api/device.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace prism::runtime {

class driver_queue;

class submission_method {
public:
  virtual ~submission_method() = default;
  /// Call with the queue locked. `commands` may be empty if the method has its own. Throws device_error if
  /// nothing was submitted.
  virtual std::uint64_t submit(driver_queue& on, std::span<const devices::command> commands,
                               std::span<const devices::timeline_point> waits) = 0;
  /// The failure of work that it submitted to another queue; empty if the point in the command's own queue
  /// reports it.
  virtual std::optional<devices::device_error> failure() const { return std::nullopt; }
  /// The first of several points of the command; 0: it has one. Its execution starts with that of this point.
  virtual std::uint64_t first_point() const { return 0; }
};

} // namespace prism::runtime
