// Programs of integers on the host device.
#include "kernels/array/host.hpp"

namespace prism::array_detail {
template sycl::event launch_on_host<std::int64_t>(sycl::queue&, program*, const program&);
template sycl::event launch_on_host<std::uint64_t>(sycl::queue&, program*, const program&);
template void run_here<std::int64_t>(const program&);
template bool run_directly<std::int64_t>(const sycl::queue&, const program&, const program*);
template void run_here<std::uint64_t>(const program&);
template bool run_directly<std::uint64_t>(const sycl::queue&, const program&, const program*);
}
