// The kernels of matvec_rows.hpp for complex numbers.
#include "kernels/blas/matvec_rows.hpp"

namespace prism::blas {

PRISM_MULTIPLY_ROWS(std::complex<float>)
PRISM_MULTIPLY_ROWS(std::complex<double>)

} // namespace prism::blas
