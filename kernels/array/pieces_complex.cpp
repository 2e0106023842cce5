// Kernels of single steps of complex numbers.
#include "kernels/array/piece_steps.hpp"

namespace prism::array_detail {
PRISM_PIECES(pair<float>)
PRISM_PIECES(pair<double>)
} // namespace prism::array_detail
