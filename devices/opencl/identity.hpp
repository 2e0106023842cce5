// Which hardware an OpenCL device is, so that policies and the other backends can distinguish equal devices
// and recognise one device behind two drivers. Reads from drivers, changes nothing.
#pragma once

#include "devices/opencl/loader.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace prism::devices::opencl {

/// capabilities::uuid: CL_DEVICE_UUID_KHR, which is Vulkan's deviceUUID; all 0 if the driver states none.
std::array<std::uint8_t, 16> uuid_of(const entry_points& api, cl_device_id device);

/// capabilities::physical_id: "cpu", the place on the PCI bus ("pci:0000:01:00.0"), else the UUID, else
/// names. A driver lists each piece of hardware once: of several devices with one UUID, or with the same
/// names, the second is "...#1". A sub-device has the id of the device that it is a part of.
std::string physical_id_of(const entry_points& api, cl_platform_id platform, cl_device_id device);

} // namespace prism::devices::opencl
