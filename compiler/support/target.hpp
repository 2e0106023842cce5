// The target of a kernel's image.
#pragma once

#include <cstdint>

namespace prism::compiler {

enum class target : std::uint8_t { opencl, vulkan, host };

} // namespace prism::compiler
