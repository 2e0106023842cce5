// Programs of single arithmetic.
#include "kernels/array/machine.hpp"

namespace prism::array_detail {
template sycl::event launch_as<float>(sycl::queue&, const program*, const program&);
}
