// The host backend: one device, always usable, needs no driver.
#include "devices/api/backend.hpp"
#include "devices/host/device.hpp"

namespace prism::devices {

const backend& host_backend() {
  static const backend record = [] {
    backend b;
    b.name = "host";
    b.display_name = "PRISM host device";
    b.type = "native";
    b.priority = 100;
    b.open = [] {
      std::vector<std::unique_ptr<device>> devices;
      devices.push_back(std::make_unique<host::host_device>());
      return devices;
    };
    return b;
  }();
  return record;
}

} // namespace prism::devices
