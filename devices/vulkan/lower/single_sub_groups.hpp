// Makes each work-item a sub-group of its own, for devices without ballots and shuffles in compute shaders.
// A ballot has one bit, a shuffle and a reduction return their argument, and barriers and fences of a
// sub-group disappear. The number of a sub-group is the work-item's linear local id: work-groups with
// sub-groups are launched as one row (compiler/spirv/sub_groups.cpp).
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

/// A module that uses nothing of sub-groups is returned as it is. Throws `refused` for operations of
/// sub-groups that PRISM's compiler does not write, and if the module is damaged. Cost: linear in the module.
words with_single_sub_groups(std::span<const word> module);

} // namespace prism::devices::vulkan::lower
