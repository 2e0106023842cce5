// Argument checks that the operations share. Throw sycl::exception with errc::invalid or
// errc::feature_not_supported.
#pragma once

#include <sycl/sycl.hpp>

#include <string>

namespace prism::kernels {

inline void require(bool holds, const std::string& what) {
  if (!holds) throw sycl::exception(sycl::make_error_code(sycl::errc::invalid), what);
}

template <typename T, int D>
void require_whole(const sycl::buffer<T, D>& buffer, const char* operation, const char* argument) {
  require(!buffer.is_sub_buffer(),
          std::string(operation) + ": " + argument + " is a sub-buffer; pass the whole buffer");
}

inline void require_opencl(const sycl::queue& queue, const char* operation) {
  if (queue.get_backend() == sycl::backend::opencl) return;
  throw sycl::exception(
      sycl::make_error_code(sycl::errc::feature_not_supported),
      std::string(operation) + ": the queue's device " +
          queue.get_device().get_info<sycl::info::device::name>() +
          " is not an OpenCL device; choose one with PRISM_DEVICE_SELECTOR=opencl or a selector");
}

inline void require_vulkan(const sycl::queue& queue, const char* operation) {
  if (queue.get_backend() == sycl::backend::ext_prism_vulkan) return;
  throw sycl::exception(
      sycl::make_error_code(sycl::errc::feature_not_supported),
      std::string(operation) + ": the queue's device " +
          queue.get_device().get_info<sycl::info::device::name>() +
          " is not a Vulkan device; choose one with PRISM_DEVICE_SELECTOR=vulkan or a selector");
}

/// m, n and k of c = a b.
struct gemm_shape {
  std::size_t m, n, k;
};
inline gemm_shape require_gemm(const sycl::buffer<float, 2>& a, const sycl::buffer<float, 2>& b,
                               const sycl::buffer<float, 2>& c, const char* operation) {
  const auto text = [](const sycl::buffer<float, 2>& x) {
    return std::to_string(x.get_range()[0]) + " x " + std::to_string(x.get_range()[1]);
  };
  require_whole(a, operation, "a");
  require_whole(b, operation, "b");
  require_whole(c, operation, "c");
  require(a.get_range()[1] == b.get_range()[0] && a.get_range()[0] == c.get_range()[0] &&
              b.get_range()[1] == c.get_range()[1],
          std::string(operation) + ": a is " + text(a) + ", b is " + text(b) + ", c is " + text(c) +
              "; they must be m x k, k x n and m x n");
  return {a.get_range()[0], b.get_range()[1], a.get_range()[1]};
}

} // namespace prism::kernels
