// Programs of integers on other devices.
#include "kernels/array/device.hpp"

namespace prism::array_detail {
template sycl::event launch_on_device<std::int64_t>(sycl::queue&, program*, const program&, bool);
template sycl::event launch_on_device<std::uint64_t>(sycl::queue&, program*, const program&, bool);
}
