// Expressions of complex numbers with their fold in one launch, for processors through OpenCL.
#include "kernels/array/chunk_expressions.hpp"

namespace prism::array_detail {
PRISM_CHUNK_EXPRESSIONS(pair<float>)
PRISM_CHUNK_EXPRESSIONS(pair<double>)
} // namespace prism::array_detail
