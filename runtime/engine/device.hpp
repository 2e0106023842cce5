// Devices of the process.
#pragma once

#include "devices/api/device.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace prism {

/// A device the process may use, opened at first need, alive until the process ends. Compared by address.
class device_node {
public:
  virtual ~device_node() = default;
  virtual const devices::capabilities& info() const = 0;
  virtual const std::string& backend_name() const = 0; // "host", "opencl", "vulkan"
  virtual std::size_t platform_index() const = 0;
  virtual devices::device& raw() const = 0;         // for interop and tests
  virtual std::size_t index_in_backend() const = 0; // as in PRISM_DEVICE_SELECTOR
  virtual double
  default_score() const = 0; // of select::default_score: the highest is the default; < 0: never
};

struct platform_node {
  std::string name, vendor, version, backend_name;
  std::vector<device_node*> devices;
};

/// All platforms and devices that PRISM_DEVICE_SELECTOR lets through, in a fixed order. Never empty unless
/// the selector matches nothing: then throws error{runtime} that lists what was there.
const std::vector<platform_node>& platforms();
/// A host device beside those of platforms(): there whatever the selector lets through, and never wrapped.
/// Opened at the first call. Throws devices::device_error when PRISM was built without the host backend.
device_node& reference_device();
/// Parts of a device, beside those of platforms(); they live until the process ends. Throws
/// error{feature_not_supported} when the driver cannot. The partition is one of info().partitions.
std::vector<device_node*> create_sub_devices(device_node& whole, const devices::partition& how);
/// Whether devices were opened and drivers may still be called: not before the first use, at the end of the
/// process, in a forked child.
bool is_in_use() noexcept;
/// Waits for all work in flight, at most for PRISM_EXIT_LIMIT: for exit handlers. Nothing in a forked child.
void finish_work();

} // namespace prism
