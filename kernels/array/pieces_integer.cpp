// Kernels of single steps of integers.
#include "kernels/array/piece_steps.hpp"

namespace prism::array_detail {
PRISM_PIECES(std::int64_t)
PRISM_PIECES(std::uint64_t)
} // namespace prism::array_detail
