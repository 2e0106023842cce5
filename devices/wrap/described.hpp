// A device that simulates another one: it reports the properties of a description, computes on the wrapped
// device, and has its own clock. The clock is simulated: the functions given here compute the time of a
// command from its bytes and the kernel's counts, never from real time, so the same program takes the same
// simulated time in every run. Work of different described devices overlaps on that clock as it would on the
// machines; a device runs one kernel and one copy at a time. Submitting costs nothing, and waiting for a
// point moves the host's clock to it.
#pragma once

#include "devices/api/device.hpp"

#include <functional>

namespace prism::devices::wrap {

struct description {
  std::string name;
  /// The properties that the device reports, made from those of the wrapped device.
  std::function<capabilities(capabilities)> info;
  /// Seconds for `items` work-items of a kernel; the record is null for a kernel without one.
  std::function<double(const image::kernel_record*, double items)> kernel_seconds;
  double launch_seconds = 0;          // added for each kernel
  double seconds_per_moved_byte = 0;  // between the host and the device; 0: it uses the host's memory
  double seconds_per_device_byte = 0; // read or written by copies and fills on the device
  double price_per_hour = 0, watts = 0;
};

/// What a described device did so far, by its own clock.
struct usage {
  std::uint64_t kernels = 0, moved_bytes = 0;
  double busy_seconds = 0; // sum over all kernels and copies
  double cost = 0, joules = 0;
};

/// native(simulation_name) of a described device points to this.
inline constexpr const char* simulation_name = "prism simulation";
class simulation {
public:
  virtual ~simulation() = default;
  virtual usage used() const = 0;
  virtual const std::string& name() const noexcept = 0;
};
/// The host's simulated clock: the end of the latest point that the host waited for, on any described device.
double simulated_now();

std::unique_ptr<device> make_described(std::unique_ptr<device> whole, description as);

} // namespace prism::devices::wrap
