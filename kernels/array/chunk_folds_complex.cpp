// Folds of complex numbers in chunks.
#include "kernels/array/chunk_folds.hpp"

namespace prism::array_detail {
PRISM_CHUNK_FOLDS(pair<float>)
PRISM_CHUNK_FOLDS(pair<double>)
} // namespace prism::array_detail
