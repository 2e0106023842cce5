// Programs of floating-point numbers on other devices.
#include "kernels/array/device.hpp"

namespace prism::array_detail {
template sycl::event launch_on_device<float>(sycl::queue&, program*, const program&, bool);
template sycl::event launch_on_device<double>(sycl::queue&, program*, const program&, bool);
}
