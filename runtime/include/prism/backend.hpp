// A backend of this process: what a module does through prism_backend_entry, without a library. The record's
// type is devices/api/backend.hpp of the installed device interface; see docs/adding-a-backend.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <string>

namespace prism::devices {
struct backend;
} // namespace prism::devices

namespace prism {

/// Before the first use of a device; `b` lives until it is unregistered or the process ends. Throws
/// sycl::exception (invalid) that names the backend: another version of the interface, a name that is taken,
/// no function to open devices, or too late.
void register_backend(const devices::backend& b);

/// Before the first use of a device: one that was registered, or that a module gave, is listed no more and
/// its name is free; the module's code stays loaded. Throws sycl::exception (invalid) for a name that nothing
/// has, for what PRISM itself has, or too late.
void unregister_backend(const std::string& name);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
