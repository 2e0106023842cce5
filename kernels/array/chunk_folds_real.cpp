// Folds of floating-point numbers in chunks.
#include "kernels/array/chunk_folds.hpp"

namespace prism::array_detail {
PRISM_CHUNK_FOLDS(float)
PRISM_CHUNK_FOLDS(double)
} // namespace prism::array_detail
