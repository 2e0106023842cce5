// Registers a backend that is part of the program, as a module does through prism_backend_entry.
// devices/api/backend.hpp of the installed device interface defines the record; see docs/adding-a-backend.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <string>

namespace prism::devices {
struct backend;
} // namespace prism::devices

namespace prism {

/// Call it before the first use of a device. `b` must live until it is unregistered or the process ends.
/// Throws sycl::exception (invalid), with the backend's name in the message, if the backend has another
/// version of the interface, its name is taken, it has no function that opens devices, or a device was used
/// already.
void register_backend(const devices::backend& b);

/// Removes a backend that was registered or that a module provided, and frees its name. A module's code stays
/// loaded. Call it before the first use of a device. Throws sycl::exception (invalid) if no backend has the
/// name, if the backend is built into PRISM, or if a device was used already.
void unregister_backend(const std::string& name);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
