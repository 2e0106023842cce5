// Linear algebra on buffers of float, row-major. Operands are whole buffers (sub-buffers are refused with
// errc::invalid). Sizes are those of the buffers and are checked (errc::invalid, with the sizes that
// disagree). Every function submits to `queue` and returns at once; the buffers order the results like any
// command's. Thread-safe like sycl::queue. Works without USM.
#pragma once

#include <sycl/sycl.hpp>

namespace prism::kernels {

/// y = a x + y.
sycl::event axpy(sycl::queue& queue, float a, sycl::buffer<float>& x, sycl::buffer<float>& y);
/// result[0] = sum of x[i] y[i]. The device determines the order of the additions.
sycl::event dot(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y,
                sycl::buffer<float>& result);

/// c = alpha a b + beta c, with a of m x k, b of k x n, c of m x n. With beta 0, c is not read. Tiles in
/// local memory.
sycl::event gemm(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                 float beta, sycl::buffer<float, 2>& c);
/// The same with a tile of 8 or 16 (errc::invalid for others).
sycl::event gemm_in_tiles(sycl::queue& queue, std::size_t tile, float alpha, sycl::buffer<float, 2>& a,
                          sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c);
/// The same by CLBlast, on OpenCL queues; errc::feature_not_supported on others. Failures of CLBlast are
/// asynchronous errors of the queue.
sycl::event gemm_clblast(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a,
                         sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c);
/// The same by hand-written OpenCL C, on OpenCL queues.
sycl::event gemm_opencl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                        float beta, sycl::buffer<float, 2>& c);
/// The same by hand-written GLSL, on Vulkan queues. Throws errc::feature_not_supported on others, and if
/// has_glsl() is false because the library was built without a GLSL compiler.
sycl::event gemm_glsl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                      float beta, sycl::buffer<float, 2>& c);
bool has_glsl() noexcept;

} // namespace prism::kernels
