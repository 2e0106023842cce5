// How a command's work is given to its queue, where that is not by queue::submit_after: kept command buffers,
// launches that are measured.
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
  /// With the queue locked; `commands` may be empty where the method has its own. Throws device_error when
  /// nothing was submitted.
  virtual std::uint64_t submit(driver_queue& on, std::span<const devices::command> commands,
                               std::span<const devices::timeline_point> waits) = 0;
  /// Why what it submitted to another queue failed; nothing where the point of the command's own queue says
  /// so.
  virtual std::optional<devices::device_error> failure() const { return std::nullopt; }
};

} // namespace prism::runtime
