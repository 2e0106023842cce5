// Kernels of single steps of floating-point numbers.
#include "kernels/array/piece_steps.hpp"

namespace prism::array_detail {
PRISM_PIECES(float)
PRISM_PIECES(double)
} // namespace prism::array_detail
