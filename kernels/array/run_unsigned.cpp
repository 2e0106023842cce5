// Programs of unsigned arithmetic.
#include "kernels/array/machine.hpp"

namespace prism::array_detail {
template sycl::event launch_as<std::uint64_t>(sycl::queue&, const program*, const program&);
}
