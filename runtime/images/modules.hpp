// The list of modules (translation units or shared libraries with kernels) that have registered themselves.
// Registration runs in constructors before main, so it does not allocate; its only lock is a spin lock.
#pragma once

#include "devices/api/image.hpp"

namespace prism::images {

/// Called by __prism_unregister_module before the records are freed. Set once, by the process runtime.
using unregister_hook = void (*)(const image::module_node&);
void set_unregister_hook(unregister_hook hook) noexcept;

/// Number of modules refused because of their magic word or version, for the message "compiled by another
/// version of prism++".
unsigned refused_modules() noexcept;
/// Calls `visit` for each registered module; registration is blocked in the meantime.
void for_each_module(void (*visit)(const image::module_node&, void*), void* context);

} // namespace prism::images
