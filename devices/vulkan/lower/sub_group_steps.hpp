// Reductions and scans of sub-groups by single instructions (OpGroupNonUniformIAdd to
// OpGroupNonUniformBitwiseXor, without clusters), for devices that lack them: steps of shuffles take their
// place, whose number is the logarithm of the sub-group's size. All work-items of the sub-group take part.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

inline bool is_sub_group_arithmetic(spv::Op code) {
  return code >= spv::OpGroupNonUniformIAdd && code <= spv::OpGroupNonUniformBitwiseXor;
}

/// The value that changes nothing, as the literal of a constant of `bits` bits: what an exclusive scan gives
/// to the first work-item.
words identity_of(spv::Op code, unsigned bits);

/// A module without these operations is returned as it is. `wide_only`: only those of 64-bit integers are
/// replaced. `largest`: the most work-items of a sub-group, at most 64. Throws `refused` for clusters, and if
/// the module is damaged. Cost: linear in the module.
words with_sub_group_steps(std::span<const word> module, bool wide_only, unsigned largest);

} // namespace prism::devices::vulkan::lower
