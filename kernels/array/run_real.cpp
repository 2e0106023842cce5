// Programs of real arithmetic.
#include "kernels/array/machine.hpp"

namespace prism::array_detail {
template sycl::event launch_as<double>(sycl::queue&, const program*, const program&);
}
