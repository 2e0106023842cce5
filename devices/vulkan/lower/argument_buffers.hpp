// Rewrites a kernel so that it reaches the memory behind the pointers among its arguments through storage
// buffers (descriptors) with 32-bit offsets, in place of 64-bit addresses. The module computes the same.
//
// Each access whose address is a pointer of the argument block plus numbers becomes one of an array in the
// storage buffer `binding` of descriptor set 0, where `binding` is the pointer's place in `pointers`. The
// offset is the low word of the address minus the low word of the buffer's address, which the launch writes
// into the push constants at `bases_offset` + 4 * binding. So a pointer may lie anywhere in the buffer, and
// accesses before it are right. A launch can run the module only if it finds one buffer of at most 2^32 bytes
// for each pointer.
//
// llvmpipe computes a vector of 64-bit addresses, stores it and loads each element again: on an Intel Xeon
// `y = a x + y` took 2.7 times as long by addresses as by offsets of 32 bits.
#pragma once

#include "devices/vulkan/lower/small_numbers.hpp"

namespace prism::devices::vulkan::lower {

inline constexpr std::uint32_t most_argument_buffers = 8;
/// Behind image::push_constants. Vulkan promises 128 bytes.
inline constexpr std::uint32_t bases_offset = 80;

struct argument_pointer {
  std::uint32_t offset = 0;    // in the argument block
  std::uint32_t alignment = 1; // in bytes, which the pointer must have
  bool operator==(const argument_pointer&) const = default;
};

struct argument_buffers {
  words module;
  std::vector<argument_pointer> pointers; // by binding
  std::vector<number_limit> limits;       // a launch that does not meet them must not run the module
};

/// `possible_pointers`: the offsets in the argument block that may hold pointers; what the kernel reads
/// elsewhere in it are numbers. `small`: numbers without a high word, such as the ids of most launches,
/// become ones of 32 bits; the module then has limits. Empty `pointers` and no module if the kernel also
/// reaches memory through other addresses, such as pointers in memory, needs more than most_argument_buffers,
/// or has no pointers. Throws `refused` if the module is damaged. Cost: linear in the module, but for the
/// nesting of its loops.
argument_buffers with_argument_buffers(std::span<const word> module,
                                       std::span<const std::uint32_t> possible_pointers, bool small);

} // namespace prism::devices::vulkan::lower
