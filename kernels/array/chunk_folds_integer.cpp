// Folds of integers in chunks.
#include "kernels/array/chunk_folds.hpp"

namespace prism::array_detail {
PRISM_CHUNK_FOLDS(std::int64_t)
PRISM_CHUNK_FOLDS(std::uint64_t)
} // namespace prism::array_detail
