// The matrix product in GLSL, Vulkan's own language, written by hand: a variant of gemm, and the baseline of
// the benchmark.
#pragma once

#include <sycl/sycl.hpp>

namespace prism::trials {

/// c = alpha a b + beta c on a Vulkan queue, with whole row-major buffers. Throws errc::invalid for extents
/// that disagree, and errc::feature_not_supported on other queues, and if has_glsl() is false because PRISM
/// was built without a GLSL compiler.
sycl::event gemm_glsl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                      float beta, sycl::buffer<float, 2>& c);
bool has_glsl() noexcept;

} // namespace prism::trials
