// Programs of single_complex arithmetic.
#include "kernels/array/machine.hpp"

namespace prism::array_detail {
template sycl::event launch_as<pair<float>>(sycl::queue&, const program*, const program&);
}
