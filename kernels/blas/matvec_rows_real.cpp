// The kernels of matvec_rows.hpp for real numbers. In a file of their own: the compiler makes copies of
// kernels for instruction sets up to a part of the file.
#include "kernels/blas/matvec_rows.hpp"

namespace prism::blas {

PRISM_MULTIPLY_ROWS(float)
PRISM_MULTIPLY_ROWS(double)

} // namespace prism::blas
