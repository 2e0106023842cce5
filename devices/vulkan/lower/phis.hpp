// Replaces the phis of a module by variables: each block stores, at its end, the values that the phis of its
// successors take from it, and a phi becomes a load. The module computes the same.
//
// NVIDIA's compiler (driver 580) mistranslates some loops with phis: of two loops one after the other the
// second was left out. Variables corrected that kernel, but not others, which never end (docs/support.md).
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

/// Throws `refused` if the module is damaged. Cost: linear in the module.
words without_phis(std::span<const word> module);

} // namespace prism::devices::vulkan::lower
