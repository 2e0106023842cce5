// Parameters of the library's own product. Zero means the kernel's own choice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prism::blas {

struct gemm_parameters {
  enum class method : std::uint8_t { by_device, packed, registers };
  method how = method::by_device;
  std::size_t row_tiles = 0, depth = 0; // packed: tiles of A in a block, and its steps
  std::uint32_t tile = 0;               // registers: rows and columns of a work-item
  std::uint32_t group_y = 8, group_x = 8;
};

} // namespace prism::blas
