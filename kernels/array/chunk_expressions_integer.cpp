// Expressions of integers with their fold in one launch, for processors through OpenCL.
#include "kernels/array/chunk_expressions.hpp"

namespace prism::array_detail {
PRISM_CHUNK_EXPRESSIONS(std::int64_t)
PRISM_CHUNK_EXPRESSIONS(std::uint64_t)
} // namespace prism::array_detail
