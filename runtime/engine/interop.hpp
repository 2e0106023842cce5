// Interoperability: objects that the program made with a driver (devices/api/interop.hpp).
#pragma once

#include "runtime/engine/command_group.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace prism {

/// A device of a foreign context, beside the one that PRISM lists; lives until the process ends.
device_node& adopt_device(std::unique_ptr<devices::device> device, const device_node& listed);
/// The foreign queue must be of this device.
queue_ptr adopt_queue(device_node& device, std::unique_ptr<devices::queue> queue,
                      const queue_settings& settings);
/// A buffer of one dimension whose first contents are those of `memory`.
buffer_ptr adopt_buffer(device_node& device, std::unique_ptr<devices::memory> memory,
                        const buffer_options& options);
/// Writes host bytes to a device's memory and waits.
void write_to(device_node& device, devices::memory& memory, const void* from, std::uint64_t bytes);
/// The memory of each device that has one for the buffer, with its device.
std::vector<std::pair<const devices::device*, devices::memory*>> places_of(const buffer_node& buffer);
/// Where the command stands on its device's timeline, once it was given to the driver; empty for one that no
/// device runs.
devices::timeline_point point_of(command_node& command);
/// The kernel, built for the device. Throws prism::error when the device cannot run it.
devices::kernel& built_kernel_on(device_node& device, const image::kernel_record* record);

} // namespace prism
