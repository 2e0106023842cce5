// Programs of complex numbers on other devices.
#include "kernels/array/device.hpp"

namespace prism::array_detail {
template sycl::event launch_on_device<pair<float>>(sycl::queue&, const program*, const program&);
template sycl::event launch_on_device<pair<double>>(sycl::queue&, const program*, const program&);
}
