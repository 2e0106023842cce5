// Sums of the products of four packed bytes by one instruction (OpSDot, OpSUDot, OpUDot), for devices that
// lack them: shifts, products and additions of 32-bit integers take their place.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

/// Empty if the module has no such instruction. Throws `refused` if their bytes are not packed in a word, and
/// if the module is damaged. Cost: linear in the module.
words without_dot_products(std::span<const word> module);

} // namespace prism::devices::vulkan::lower
