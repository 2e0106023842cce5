// Folds of integers on devices other than processors through OpenCL.
#include "kernels/array/element_folds.hpp"

namespace prism::array_detail {
PRISM_ELEMENT_FOLDS(std::int64_t)
PRISM_ELEMENT_FOLDS(std::uint64_t)
} // namespace prism::array_detail
