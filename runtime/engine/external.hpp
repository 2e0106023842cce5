// USM that the program shares with other programs by file descriptors (devices/api/external.hpp). It lives
// until usm_free, and the pool does not take it.
#pragma once

#include "devices/api/external.hpp"
#include "runtime/engine/device.hpp"

#include <cstdint>
#include <memory>

namespace prism {

/// Returns null when out of memory. Throws error{feature_not_supported} if the device shares no memory.
void* usm_allocate_exportable(device_node& device, std::uint64_t bytes, const void* context);
/// Throws error{invalid} for a pointer that usm_allocate_exportable did not return.
devices::exported_memory usm_export(const void* pointer, const void* context);
/// Allocation of another program as USM of kind device. The descriptor stays the caller's. Throws
/// error{feature_not_supported} if the device shares no memory, {invalid} if the driver does not accept it.
void* usm_import(device_node& device, int descriptor, std::uint64_t bytes, const void* context);

/// Memory of a device that the program owns, as USM of kind device. usm_free ends PRISM's use of it.
void* adopt_usm(device_node& device, std::unique_ptr<devices::memory> memory, const void* context);

/// A semaphore for others to import (descriptor < 0), or one of theirs. Its errors are device_error, because
/// host tasks use it. Throws error{feature_not_supported} with the names of device and driver's lack.
std::shared_ptr<devices::external_semaphore> share_semaphore(device_node& device,
                                                             devices::semaphore_kind kind, int descriptor);
int export_semaphore(devices::external_semaphore& what);

} // namespace prism
