// The kernels of matvec_rows.hpp for real numbers. In a file of their own: the compiler makes copies of
// kernels for instruction sets up to a part of the file.
#include "kernels/blas/matvec_rows.hpp"

namespace prism::blas {

template sycl::event multiply_rows<float>(sycl::queue&, const factor<real_of<float>>&, const matrix<float>&,
                                          const vector<float>&, const factor<real_of<float>>&,
                                          const vector<float>&, const events&);
template sycl::event multiply_rows<double>(sycl::queue&, const factor<real_of<double>>&,
                                           const matrix<double>&, const vector<double>&,
                                           const factor<real_of<double>>&, const vector<double>&,
                                           const events&);

} // namespace prism::blas
