// Interoperability: driver objects that the program made (devices/api/interop.hpp).
#pragma once

#include "runtime/engine/command_group.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace prism {

/// Makes a device for a native context, in addition to the listed device. Lives until the process ends.
device_node& adopt_device(std::unique_ptr<devices::device> device, const device_node& listed);
/// The native queue must belong to this device.
queue_ptr adopt_queue(device_node& device, std::unique_ptr<devices::queue> queue,
                      const queue_settings& settings);
/// Makes a one-dimensional buffer whose initial contents are those of `memory`.
buffer_ptr adopt_buffer(device_node& device, std::unique_ptr<devices::memory> memory,
                        const buffer_options& options);
/// Writes host bytes to a device's memory and waits.
void write_to(device_node& device, devices::memory& memory, const void* from, std::uint64_t bytes);
/// For each device with an allocation for this buffer: the device and the allocation.
std::vector<std::pair<const devices::device*, devices::memory*>> allocations_of(const buffer_node& buffer);
/// The command's point on its device's timeline. Blocks until the command has been submitted to the driver.
/// Empty for a command that no device executes.
devices::timeline_point point_of(command_node& command);
/// The kernel, built for the device. Throws prism::error when the device cannot run it.
devices::kernel& built_kernel_on(device_node& device, const image::kernel_record* record);

} // namespace prism
