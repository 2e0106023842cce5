// A backend of this process: what a module does through prism_backend_entry, without a library. The record's type is
// devices/api/backend.hpp of the installed device interface; see docs/adding-a-backend.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

namespace prism::devices {
struct backend;
} // namespace prism::devices

namespace prism {

/// Before the first use of a device; `b` lives until the process ends. Throws sycl::exception (invalid) that names the backend:
/// another version of the interface, a name that is taken, no function to open devices, or too late.
void register_backend(const devices::backend& b);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
