// The sizes of the slices into which PRISM_SLICE splits a launch. Pure functions, but for asked_slices.
//
// A slice is a part of the launch (devices::group_part): all groups of a range of layers. A layer is what one
// group's id in the divided dimension selects.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/support/environment.hpp"

#include <chrono>

namespace prism::runtime {

/// PRISM_SLICE, read at the first call.
const support::slice_limit& asked_slices();

/// Makes the launch a part, so that it can be split: the whole, unless it is a part already. No dimension may
/// have more than devices::group_part::most_groups groups.
void make_part(devices::dispatch_command& launch);

/// Chooses how many layers each slice has.
class slice_sizes {
public:
  /// `launch`: a part; `units`: the device's compute units, which the first slice of a time limit fills.
  slice_sizes(const support::slice_limit& limit, const devices::dispatch_command& launch,
              std::uint64_t units);
  /// Whether took() must report the time of each slice before the next one is asked for.
  bool measures() const { return m_limit.groups == 0; }
  /// Of the next slice; 0: the launch is complete.
  std::uint64_t next() const { return std::min(m_next, m_left); }
  /// A slice of next() layers was submitted; `time` counts if the sizes depend on it.
  void took(std::chrono::nanoseconds time);

private:
  support::slice_limit m_limit;
  std::uint64_t m_left, m_next = 1; // layers
};

/// The slice of `layers` layers that begins `done` layers after the launch's first.
devices::dispatch_command slice_of(const devices::dispatch_command& launch, std::uint64_t done,
                                   std::uint64_t layers);

} // namespace prism::runtime
