// GEMM in handwritten GLSL, Vulkan's own language; compiled to SPIR-V when PRISM is built.
#include "kernels/checks.hpp"

#include <prism/kernels/blas.hpp>
#include <prism/spirv_kernel.hpp>

#include <algorithm>
#include <iterator>

namespace prism::kernels {

#ifdef PRISM_GEMM_WORDS

namespace {

#include PRISM_GEMM_WORDS

constexpr std::size_t block = 4, group = 8;
constexpr std::size_t most_steps = 1 << 14; // software drivers limit the loop iterations of a work-item

} // namespace

bool has_glsl() noexcept { return true; }

sycl::event gemm_glsl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                      float beta, sycl::buffer<float, 2>& c) {
  const gemm_shape shape = require_gemm(a, b, c, "gemm_glsl");
  require_vulkan(queue, "gemm_glsl");
  require(shape.m * shape.k < (1ull << 32) && shape.k * shape.n < (1ull << 32) &&
              shape.m * shape.n < (1ull << 32),
          "gemm_glsl: a matrix has 2^32 elements or more");
  static const spirv_kernel kernel(std::vector<std::uint32_t>(std::begin(gemm_words), std::end(gemm_words)));
  const auto whole = [](std::size_t items) { return (items + block * group - 1) / (block * group) * group; };
  const sycl::nd_range<2> where({whole(shape.m), whole(shape.n)}, {group, group});
  sycl::event last;
  for (std::size_t from = 0; from == 0 || from < shape.k; from += most_steps)
    last = queue.submit([&](sycl::handler& h) {
      sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
      sycl::accessor out(c, h, sycl::read_write);
      const auto to = std::min(from + most_steps, shape.k);
      kernel(h, where, left, right, out, std::uint32_t(shape.m), std::uint32_t(shape.n),
             std::uint32_t(shape.k), std::uint32_t(from), std::uint32_t(to), alpha, from == 0 ? beta : 1.0f);
    });
  return last;
}

#else

bool has_glsl() noexcept { return false; }

sycl::event gemm_glsl(sycl::queue&, float, sycl::buffer<float, 2>&, sycl::buffer<float, 2>&, float,
                      sycl::buffer<float, 2>&) {
  throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                        "gemm_glsl: PRISM was built without a GLSL compiler (glslangValidator)");
}

#endif

} // namespace prism::kernels
