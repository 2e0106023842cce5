// Which device runs work without a command.
#include "runtime/engine/direct.hpp"

#include "runtime/engine/impl/enter.hpp"
#include "runtime/observe/observer.hpp"

namespace prism {

devices::direct_runner* direct_runner_of(device_node& device) {
  enter();
  if (observe::active() != 0) return nullptr;
  return static_cast<devices::direct_runner*>(device.raw().native(devices::direct_runner_name));
}

} // namespace prism
