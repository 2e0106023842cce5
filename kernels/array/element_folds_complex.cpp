// Folds of complex numbers on devices other than processors through OpenCL.
#include "kernels/array/element_folds.hpp"

namespace prism::array_detail {
PRISM_ELEMENT_FOLDS(pair<float>)
PRISM_ELEMENT_FOLDS(pair<double>)
} // namespace prism::array_detail
