// What sensors report about a device now. A policy may use it: execution_policy::max_temperature.
//
//   const prism::device_readings now = prism::readings(queue.get_device());
//   if (now.celsius) std::cout << *now.celsius << " °C\n";
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/ext/intel/device_info.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace prism {

/// A value that neither the system nor the driver reports is absent. The processor's values are those of the
/// host device and of drivers that run on the processor; only root may read a processor's energy.
struct device_readings {
  std::optional<double> celsius;                    // of the hottest part
  std::optional<double> watts;                      // drawn now
  std::optional<double> joules;                     // drawn since a time that the source chooses
  std::optional<double> power_limit;                // watts, at present
  std::optional<double> least_limit, largest_limit; // watts, between which the limit can be set
  std::optional<unsigned> fan_percent;
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::vector<sycl::ext::intel::throttle_reason>> throttled; // empty: the clocks are free
};

/// Reads the sensors: files of Linux, NVIDIA's management library. Takes some hundred microseconds.
/// Thread-safe.
device_readings readings(const sycl::device& device);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
