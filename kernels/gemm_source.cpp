// GEMM in handwritten OpenCL C. Built once for each context; runs as a host task on the native queue, as
// CLBlast does.
#define CL_TARGET_OPENCL_VERSION 120
#include "kernels/checks.hpp"

#include <prism/kernels/blas.hpp>
#include <sycl/backend/opencl.hpp>

#include <map>
#include <mutex>

namespace prism::kernels {

namespace {

// Each work-item computes four columns as one vector, and those at the edge one by one.
constexpr const char* source = R"(
__kernel void gemm(__global const float* a, __global const float* b, __global float* c, uint m, uint n, uint k, float alpha, float beta) {
  const uint column = get_global_id(0) * 4, row = get_global_id(1);
  if (row >= m || column >= n) return;
  if (column + 4 <= n) {
    float4 sum = 0;
    for (uint i = 0; i < k; ++i) sum += a[row * k + i] * vload4(0, b + i * n + column);
    __global float* out = c + row * n + column;
    vstore4(beta == 0 ? alpha * sum : alpha * sum + beta * vload4(0, out), 0, out);
    return;
  }
  for (uint x = column; x < n; ++x) {
    float sum = 0;
    for (uint i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + x];
    c[row * n + x] = beta == 0 ? alpha * sum : alpha * sum + beta * c[row * n + x];
  }
}
)";

void check(cl_int status, const char* call) {
  if (status == CL_SUCCESS) return;
  throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        std::string("gemm_opencl: ") + call + " gave " + std::to_string(status));
}

/// Programs live until the process ends, as contexts do. Threads share programs, but not kernel objects.
cl_program program_of(cl_context context) {
  static std::mutex mutex;
  static auto* const built = new std::map<cl_context, cl_program>;
  const std::lock_guard lock(mutex);
  cl_program& program = (*built)[context];
  if (program == nullptr) {
    const char* text = source;
    cl_int status = CL_SUCCESS;
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
  }
  return program;
}

struct kernel_of_call {
  cl_kernel handle = nullptr;
  explicit kernel_of_call(cl_program program) {
    cl_int status = CL_SUCCESS;
    handle = clCreateKernel(program, "gemm", &status);
    check(status, "clCreateKernel");
  }
  ~kernel_of_call() { clReleaseKernel(handle); }
  kernel_of_call(const kernel_of_call&) = delete;
  template <typename T>
  void set(cl_uint index, const T& value) {
    check(clSetKernelArg(handle, index, sizeof value, &value), "clSetKernelArg");
  }
};

void run(cl_command_queue commands, cl_context context, const gemm_shape& shape, float alpha, cl_mem a,
         cl_mem b, float beta, cl_mem c) {
  kernel_of_call kernel(program_of(context));
  kernel.set(0, a), kernel.set(1, b), kernel.set(2, c);
  kernel.set(3, cl_uint(shape.m)), kernel.set(4, cl_uint(shape.n)), kernel.set(5, cl_uint(shape.k));
  kernel.set(6, alpha), kernel.set(7, beta);
  const std::size_t global[2] = {(shape.n + 3) / 4, shape.m};
  cl_event done = nullptr;
  check(clEnqueueNDRangeKernel(commands, kernel.handle, 2, nullptr, global, nullptr, 0, nullptr, &done),
        "clEnqueueNDRangeKernel");
  const cl_int ended = clWaitForEvents(1, &done);
  clReleaseEvent(done);
  check(ended, "clWaitForEvents");
}

} // namespace

sycl::event gemm_opencl(sycl::queue& queue, float alpha, sycl::buffer<float, 2>& a, sycl::buffer<float, 2>& b,
                        float beta, sycl::buffer<float, 2>& c) {
  const gemm_shape shape = require_gemm(a, b, c, "gemm_opencl");
  require_opencl(queue, "gemm_opencl");
  require(shape.m * shape.k < (1ull << 32) && shape.k * shape.n < (1ull << 32) &&
              shape.m * shape.n < (1ull << 32),
          "gemm_opencl: a matrix has 2^32 elements or more");
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor left(a, h, sycl::read_only), right(b, h, sycl::read_only);
    sycl::accessor out(c, h, sycl::read_write);
    h.host_task([=](sycl::interop_handle native) {
      constexpr auto opencl = sycl::backend::opencl;
      run(native.get_native_queue<opencl>(), native.get_native_context<opencl>(), shape, alpha,
          native.get_native_mem<opencl>(left).front(), native.get_native_mem<opencl>(right).front(), beta,
          native.get_native_mem<opencl>(out).front());
    });
  });
}

} // namespace prism::kernels
