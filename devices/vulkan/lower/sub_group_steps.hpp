// Reductions and scans of sub-groups by single instructions (OpGroupNonUniformIAdd to
// OpGroupNonUniformBitwiseXor, without clusters), for devices that lack them: steps of shuffles take their
// place, whose number is the logarithm of the sub-group's size. All work-items of the sub-group take part.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"
#include "devices/vulkan/lower/lower.hpp"

namespace prism::devices::vulkan::lower {

inline bool is_sub_group_arithmetic(spv::Op code) {
  return code >= spv::OpGroupNonUniformIAdd && code <= spv::OpGroupNonUniformBitwiseXor;
}

/// The value that changes nothing, as the literal of a constant of `bits` bits: what an exclusive scan gives
/// to the first work-item.
words identity_of(spv::Op code, unsigned bits);

/// A module without operations that the device lacks is returned as it is. Throws `refused` for clusters, and
/// if the module is damaged. Cost: linear in the module.
words with_sub_group_steps(std::span<const word> module, const lacks& what);

} // namespace prism::devices::vulkan::lower
