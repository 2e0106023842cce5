// GEMM by CLBlast as a host task on the native queue. The task ends when the kernels have completed, so SYCL
// orders it like any command.
#define CL_TARGET_OPENCL_VERSION 120
#include "kernels/checks.hpp"

#include <prism/kernels/blas.hpp>
#include <sycl/backend/opencl.hpp>

#include <clblast.h>

namespace prism::kernels {

sycl::event gemm_clblast(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a,
                         sycl::buffer<float, 2>& b, float beta, sycl::buffer<float, 2>& c) {
  const gemm_shape shape = require_gemm(a, b, c, "gemm_clblast");
  require_opencl(queue, "gemm_clblast");
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
    sycl::accessor out(c, h, sycl::read_write);
    h.host_task([=](sycl::interop_handle native) {
      constexpr auto opencl = sycl::backend::opencl;
      cl_command_queue commands = native.get_native_queue<opencl>();
      cl_event done = nullptr;
      const auto status =
          clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                               shape.m, shape.n, shape.k, alpha, native.get_native_mem<opencl>(left).front(),
                               0, shape.k, native.get_native_mem<opencl>(right).front(), 0, shape.n, beta,
                               native.get_native_mem<opencl>(out).front(), 0, shape.n, &commands, &done);
      if (status != clblast::StatusCode::kSuccess) {
        throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                              "gemm_clblast: CLBlast returned status " + std::to_string(int(status)));
      }
      const cl_int ended = clWaitForEvents(1, &done); // the command must not end before the kernels
      clReleaseEvent(done);
      if (ended != CL_SUCCESS) {
        throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                              "gemm_clblast: its kernels ended with OpenCL error " + std::to_string(ended));
      }
    });
  });
}

} // namespace prism::kernels
