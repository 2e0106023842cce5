// The shader is compiled to SPIR-V when PRISM is built.
#include "kernels/trials/glsl_gemm.hpp"

#include <prism/spirv_kernel.hpp>
#include <prism/views.hpp>

#include <algorithm>
#include <iterator>

namespace prism::trials {

#ifdef PRISM_GEMM_WORDS

namespace {

#include PRISM_GEMM_WORDS

constexpr std::size_t block = 4, group = 8;
constexpr std::size_t most_steps = 1 << 14; // software drivers limit the loop iterations of a work-item

} // namespace

bool has_glsl() noexcept { return true; }

sycl::event gemm_glsl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                      float beta, sycl::buffer<float, 2>& c) {
  if (queue.get_backend() != sycl::backend::ext_prism_vulkan)
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "gemm_glsl: " + queue.get_device().get_info<sycl::info::device::name>() +
                              " is not a Vulkan device");
  const std::size_t m = c.get_range()[0], n = c.get_range()[1], k = a.get_range()[1];
  if (a.get_range()[0] != m || b.get_range()[1] != n || b.get_range()[0] != k || a.is_sub_buffer() ||
      b.is_sub_buffer() || c.is_sub_buffer())
    prism::detail::refuse_view("gemm_glsl: whole buffers of m x k, k x n and m x n are needed");
  if (std::max({m * k, k * n, m * n}) >= 1ull << 32)
    prism::detail::refuse_view("gemm_glsl: a matrix has 2^32 elements or more");
  static const spirv_kernel kernel(std::vector<std::uint32_t>(std::begin(gemm_words), std::end(gemm_words)));
  const auto whole = [](std::size_t items) { return (items + block * group - 1) / (block * group) * group; };
  const sycl::nd_range<2> where({whole(m), whole(n)}, {group, group});
  sycl::event last;
  for (std::size_t from = 0; from == 0 || from < k; from += most_steps)
    last = queue.submit([&](sycl::handler& h) {
      sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
      sycl::accessor out(c, h, sycl::read_write);
      const auto to = std::min(from + most_steps, k);
      kernel(h, where, left, right, out, std::uint32_t(m), std::uint32_t(n), std::uint32_t(k),
             std::uint32_t(from), std::uint32_t(to), alpha, from == 0 ? beta : 1.0f);
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

} // namespace prism::trials
