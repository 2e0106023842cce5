// Replaces the accesses of vectors through addresses by accesses of their elements, for devices on which
// addresses or elements are rewritten. Of the vectors' types only those of 32-bit numbers remain.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

/// Expects what PRISM writes: such a vector comes from a load or from OpCompositeConstruct, and is used by
/// OpCompositeExtract, once for each element of a loaded one, and by OpStore. Throws `refused` for others.
/// Cost: linear in the module. A module without such accesses is returned as it is.
words with_scalar_accesses(std::span<const word> module);

} // namespace prism::devices::vulkan::lower
