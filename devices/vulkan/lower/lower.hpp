// Rewrites the SPIR-V of kernel images (devices/api/image.hpp) for devices that lack what it uses.
//
// The compiler writes one module for every device: 64-bit addresses and integers, 8- and 16-bit memory, the
// Vulkan memory model. `lower` returns a module that computes the same without the features in `lacks`:
//
// - 64-bit integers become vectors of two 32-bit words, low word first, and addresses with them.
// - 8- and 16-bit integers become 32-bit words that hold their zero-extended value. In global memory a load
//   reads the word around them, a store is two atomic operations on it; in work-group memory the same.
// - Where memory is rewritten, accesses of vectors become accesses of their elements (scalar_accesses.hpp).
// - The memory model becomes GLSL's: accesses that other work-items may see go through coherent memory.
// - Without buffer device addresses, all memory that kernels reach is one storage buffer, descriptor set 0,
//   binding 0. An address is that of the buffer, a multiple of 2^32, plus an offset; only its low word
//   counts.
// - A float or half division or square root becomes one that rounds to the nearest and is right for all
//   operands, unless the source permits an inexact one.
// - Subnormal numbers are asked for.
// - Phis become variables (phis.hpp).
// - Sub-groups have one work-item (single_sub_groups.hpp).
// - Reductions and scans of sub-groups become steps of shuffles (sub_group_steps.hpp).
// - Sums of the products of packed bytes become products of words (dot_products.hpp).
//
// What has no equivalent is refused by name: 64-bit atomic operations, and instructions that PRISM's compiler
// does not write. Pure; any thread. Cost: linear in the module. A module that uses nothing of what the device
// lacks is returned as it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace prism::devices::vulkan::lower {

struct lacks {
  bool int64 = false;                // shaderInt64
  bool int16 = false;                // shaderInt16 or storageBuffer16BitAccess
  bool int8 = false;                 // shaderInt8 or storageBuffer8BitAccess
  bool memory_model = false;         // vulkanMemoryModel
  bool addresses = false;            // bufferDeviceAddress
  bool exact_floats = false;         // float divisions and roots that round to the nearest
  bool phis = false;                 // a compiler that translates the phis of loops rightly
  bool sub_groups = false;           // ballots and shuffles in compute shaders
  bool sub_group_arithmetic = false; // reductions and scans of sub-groups
  bool sub_group_scans = false;      // the scans; or they are slower than steps of shuffles
  bool wide_sub_groups = false;      // those of 64-bit integers
  bool dot_products = false;         // sums of the products of packed bytes
  unsigned largest_sub_group = 64;   // the most work-items of a sub-group
  unsigned subnormals = 0; // the widths (16 | 32 | 64) of subnormal numbers that it keeps on request only

  /// Whether accesses to memory must change.
  bool memory() const noexcept { return int64 || int16 || int8 || memory_model || addresses; }
  /// Whether arithmetic or memory must change.
  bool any() const noexcept { return memory() || exact_floats || subnormals != 0; }
};

/// A 64-bit specialisation constant of number n becomes two of 32 bits, n and n | high_word.
inline constexpr std::uint32_t high_word = 0x40000000;

/// The most sub-groups of one work-item in a work-group: the library's group functions have memory for so
/// many (__prism_sub_group_is_vector).
inline constexpr std::uint32_t most_single_sub_groups = 256;

struct lowered {
  std::vector<std::uint32_t> words;
  std::string refusal;         // why there is no module; empty if there is one
  bool has_word_pairs = false; // its 64-bit specialisation constants are pairs, see high_word
  bool group_memory_is_words =
      false; // the work-group arena has elements of 4 bytes, also if its image says less
};

lowered lower_module(std::span<const std::uint32_t> module, const lacks& what);

} // namespace prism::devices::vulkan::lower
