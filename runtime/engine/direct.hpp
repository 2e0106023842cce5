// Work on the threads of a queue's device, without a command.
#pragma once

#include "devices/api/direct_runner.hpp"
#include "runtime/engine/device.hpp"

namespace prism {

/// What runs work on the device without a command. Null: the device cannot, or something observes commands (a
/// trace, a profile, a check). Throws an error in a forked child.
devices::direct_runner* direct_runner_of(device_node& device);

} // namespace prism
