// The kernels of matvec_rows.hpp for complex numbers.
#include "kernels/blas/matvec_rows.hpp"

namespace prism::blas {

template sycl::event multiply_rows<std::complex<float>>(sycl::queue&,
                                                        const factor<real_of<std::complex<float>>>&,
                                                        const matrix<std::complex<float>>&,
                                                        const vector<std::complex<float>>&,
                                                        const factor<real_of<std::complex<float>>>&,
                                                        const vector<std::complex<float>>&, const events&);
template sycl::event multiply_rows<std::complex<double>>(sycl::queue&,
                                                         const factor<real_of<std::complex<double>>>&,
                                                         const matrix<std::complex<double>>&,
                                                         const vector<std::complex<double>>&,
                                                         const factor<real_of<std::complex<double>>>&,
                                                         const vector<std::complex<double>>&, const events&);

} // namespace prism::blas
