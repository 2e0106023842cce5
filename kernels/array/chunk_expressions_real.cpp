// Expressions of floating-point numbers with their fold in one launch, for processors through OpenCL.
#include "kernels/array/chunk_expressions.hpp"

namespace prism::array_detail {
PRISM_CHUNK_EXPRESSIONS(float)
PRISM_CHUNK_EXPRESSIONS(double)
} // namespace prism::array_detail
