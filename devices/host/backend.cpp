// The host backend: one device, always usable, needs no driver.
#include "devices/api/backend.hpp"
#include "devices/host/device.hpp"
#include "devices/host/fault.hpp"

namespace prism::devices {

const backend& host_backend() {
  static const backend record = [] {
    backend b;
    b.name = "host";
    b.display_name = "PRISM host device";
    b.type = "native";
    b.priority = 100;
    b.open = [] {
      host::report_faults_of_kernels();
      std::vector<std::unique_ptr<device>> devices;
      devices.push_back(std::make_unique<host::host_device>());
      return devices;
    };
    return b;
  }();
  return record;
}

} // namespace prism::devices
