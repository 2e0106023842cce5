// The list of modules (translation units or shared libraries with kernels) that registered themselves.
// Registration runs from constructors before main: it allocates nothing and takes no lock but a spin on one
// flag.
#pragma once

#include "devices/api/image.hpp"

namespace prism::images {

/// Called by __prism_unregister_module before the records go away; set once by the engine.
using unregister_hook = void (*)(const image::module_node&);
void set_unregister_hook(unregister_hook hook) noexcept;

/// Modules refused because their magic or version differ, for the message "compiled by another version of
/// prism++".
unsigned refused_modules() noexcept;
/// Calls `visit` for each registered module; no registration runs meanwhile.
void for_each_module(void (*visit)(const image::module_node&, void*), void* context);

} // namespace prism::images
