// Programs of floating-point numbers on the host device.
#include "kernels/array/host.hpp"

namespace prism::array_detail {
template sycl::event launch_on_host<float>(sycl::queue&, program*, const program&);
template sycl::event launch_on_host<double>(sycl::queue&, program*, const program&);
template void run_here<float>(const program&);
template bool run_directly<float>(const sycl::queue&, const program&, const program*);
template void run_here<double>(const program&);
template bool run_directly<double>(const sycl::queue&, const program&, const program*);
}
