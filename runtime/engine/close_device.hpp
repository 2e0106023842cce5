// The end of an adopted device (interop.hpp), whose native device the program is about to destroy.
#pragma once

#include "runtime/engine/device.hpp"

#include <functional>

namespace prism {

struct device_closing {
  std::function<bool()> only_programs_live; // of the backend's objects of the device
  std::function<void()> close;              // throws device_error while one lives
};
/// Destroys what the process made on the device, and closes it; nothing of the device is used afterwards. If
/// the close throws, the device works on, with new device_globals.
void close_device(device_node& device, const device_closing& how);

} // namespace prism
