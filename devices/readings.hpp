// What sensors report about a device now: temperature, power, fan, free memory, throttling. The sources are
// Linux's files (hwmon and powercap of the processor, hwmon and the memory counters of AMD's and Intel's
// drivers) and NVIDIA's management library, if it is installed. A value without a source is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prism::devices {

/// Why the clocks are lower than they could be, in the order of SYCL's ext::intel::throttle_reason.
enum class throttle {
  power_cap,
  current_limit,
  thermal_limit,
  power_supply,
  software_range,
  hardware_range,
  other
};

struct readings {
  std::optional<double> celsius;                    // the hottest part that is reported
  std::optional<double> watts;                      // drawn now
  std::optional<double> joules;                     // drawn since some time in the past
  std::optional<double> power_limit;                // watts: what the driver holds it to at present
  std::optional<double> least_limit, largest_limit; // watts: between which the limit can be set
  std::optional<unsigned> fan_percent;
  std::optional<std::uint64_t> free_bytes;
  std::optional<std::uint32_t> memory_mhz,
      memory_bus_bits;                            // the memory's largest clock, the width of its bus
  std::optional<std::uint32_t> pci_device;        // the number of the model
  std::optional<std::vector<throttle>> throttled; // empty: not throttled
};

/// Reads anew each time. `physical_id`: capabilities::physical_id ("cpu", "pci:0000:01:00.0"); for others all
/// is absent. `root`: a prefix of the files' paths, and `management_library`: for tests.
readings readings_of(const std::string& physical_id, const std::string& root = "",
                     const char* management_library = "libnvidia-ml.so.1");

/// Adds what NVIDIA's management library reports about the device at `pci` ("0000:01:00.0").
void add_nvidia_readings(readings& to, const std::string& pci, const char* library);

} // namespace prism::devices
