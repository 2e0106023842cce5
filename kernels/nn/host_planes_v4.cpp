#include "kernels/nn/planes_kernel.hpp"

namespace prism::nn {

template void run_planes<float, host_isa::v4>(const plane_convolution<float>&, float*, std::size_t,
                                              std::size_t);
template void run_planes<double, host_isa::v4>(const plane_convolution<double>&, double*, std::size_t,
                                               std::size_t);

} // namespace prism::nn
