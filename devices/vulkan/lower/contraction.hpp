// Forbids the driver to round a product and a sum together. Pure; cost: linear in the module.
#pragma once

#include "devices/vulkan/lower/instructions.hpp"

namespace prism::devices::vulkan::lower {

/// The module with NoContraction on every sum, difference and product of floating-point numbers. Throws
/// `refused` if it is damaged.
words without_contraction(std::span<const word> module);

} // namespace prism::devices::vulkan::lower
