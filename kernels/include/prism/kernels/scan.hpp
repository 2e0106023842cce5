// Sums over buffers: reduction and prefix sums. Same rules as blas.hpp.
#pragma once

#include <sycl/sycl.hpp>

namespace prism::kernels {

/// result[0] = sum of x; the order of the additions is the device's.
sycl::event reduce(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& result);

/// out[i] = in[0] + ... + in[i]. Same sizes; `out` is not `in`. int wraps around.
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out);
sycl::event inclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);
/// The same where each work-item goes through a part of its own: fewer operations, for devices with few and
/// fast work-items.
sycl::event inclusive_scan_in_parts(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);
/// out[i] = in[0] + ... + in[i - 1]; out[0] = 0.
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out);
sycl::event exclusive_scan(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out);

} // namespace prism::kernels
