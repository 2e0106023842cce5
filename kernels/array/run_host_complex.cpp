// Programs of complex numbers on the host device.
#include "kernels/array/host.hpp"

namespace prism::array_detail {
template sycl::event launch_on_host<pair<float>>(sycl::queue&, program*, const program&);
template sycl::event launch_on_host<pair<double>>(sycl::queue&, program*, const program&);
template void run_here<pair<float>>(const program&);
template bool run_directly<pair<float>>(const sycl::queue&, const program&, const program*);
template void run_here<pair<double>>(const program&);
template bool run_directly<pair<double>>(const sycl::queue&, const program&, const program*);
}
