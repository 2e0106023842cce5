// What a kernel's image is made for.
#pragma once

#include <cstdint>

namespace prism::compiler {

enum class target : std::uint8_t { opencl, vulkan, host };

} // namespace prism::compiler
