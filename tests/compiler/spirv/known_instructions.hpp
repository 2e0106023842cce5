// Compares what the emitter writes with what the readers of images know of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace prism::test {

/// Empty if image_format::shape_of describes every instruction of the module's function as SPIR-V's grammar
/// does, except those that no fused kernel has. Else the instructions, one per line.
std::string unknown_instructions(const std::vector<std::uint32_t>& module);

} // namespace prism::test
