// Sums over buffers: reduction and prefix sums. The rules of blas.hpp apply.
#pragma once

#include <sycl/sycl.hpp>

namespace prism::kernels {

/// result[0] = sum of x. The device determines the order of the additions.
sycl::event reduce(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& result);

/// out[i] = in[0] + ... + in[i]. Same sizes; `out` is not `in`. int wraps around.
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out);
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);
/// The same, with a contiguous range for each work-item: fewer operations, for devices with few and fast
/// work-items.
sycl::event inclusive_scan_in_parts(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);
/// out[i] = in[0] + ... + in[i - 1]; out[0] = 0.
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out);
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);

} // namespace prism::kernels
