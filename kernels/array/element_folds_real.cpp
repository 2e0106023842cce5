// Folds of floating-point numbers on devices other than processors through OpenCL.
#include "kernels/array/element_folds.hpp"

namespace prism::array_detail {
PRISM_ELEMENT_FOLDS(float)
PRISM_ELEMENT_FOLDS(double)
} // namespace prism::array_detail
