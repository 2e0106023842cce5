// Devices of the process.
#pragma once

#include "devices/api/device.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace prism {

/// A device that the process may use. Opened at first use; lives until the process ends. Compared by address.
class device_node {
public:
  virtual ~device_node() = default;
  virtual const devices::capabilities& info() const = 0;
  virtual const std::string& backend_name() const = 0; // "host", "opencl", "vulkan"
  virtual std::size_t platform_index() const = 0;
  virtual devices::device& raw() const = 0;         // for interop and tests
  virtual std::size_t index_in_backend() const = 0; // as in PRISM_DEVICE_SELECTOR
  /// From select::default_score: the device with the highest score is the default; one with a negative score
  /// never is.
  virtual double default_score() const = 0;
  /// Whether the driver reported that the device is lost, and still does: it was reset or unplugged. Costs a
  /// call of the driver after a loss, else nothing.
  virtual bool is_lost() const = 0;
};

struct platform_node {
  std::string name, vendor, version, backend_name;
  std::vector<device_node*> devices;
};

/// All platforms and devices that PRISM_DEVICE_SELECTOR selects, in a fixed order. If the selector matches
/// nothing, throws error{runtime} that lists the devices found; so the result is never empty.
const std::vector<platform_node>& platforms();
/// A host device in addition to those of platforms(). PRISM_DEVICE_SELECTOR does not affect it, and it is
/// never wrapped. Opened at the first call. Throws devices::device_error when PRISM was built without the
/// host backend.
device_node& reference_device();
/// Sub-devices, in addition to the devices of platforms(); they live until the process ends. `how` is one of
/// info().partitions. Throws error{feature_not_supported} when the driver cannot partition the device so.
std::vector<device_node*> create_sub_devices(device_node& whole, const devices::partition& how);
/// Whether devices were opened and drivers may still be called. False before the first use, at the end of the
/// process and in a forked child.
bool is_in_use() noexcept;
/// For exit handlers: waits for all work in flight, at most PRISM_EXIT_LIMIT. Does nothing in a forked child.
void finish_work();

} // namespace prism
