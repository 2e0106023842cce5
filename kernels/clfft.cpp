// 1-D transforms by clFFT as a host task on the native queue. Each call makes a plan; the process runs one
// call at a time.
#define CL_TARGET_OPENCL_VERSION 120
#include "kernels/checks.hpp"

#include <prism/kernels/fft.hpp>
#include <sycl/backend/opencl.hpp>

#include <clFFT.h>

#include <mutex>

namespace prism::kernels {

namespace {

void check(int status, const char* call) {
  if (status == CLFFT_SUCCESS) return;
  throw sycl::exception(sycl::make_error_code(sycl::errc::runtime),
                        std::string("fft: ") + call + " gave " + std::to_string(status));
}

/// clFFT's set-up is global to the process, and its plans cannot be made concurrently, so all calls hold this
/// lock. The first transform makes it, after clFFT's own static objects, so it is destroyed before them.
class library {
public:
  static std::mutex& lock() {
    static library only;
    return only.m_lock;
  }

private:
  library() {
    clfftSetupData data;
    check(clfftInitSetupData(&data), "clfftInitSetupData");
    check(clfftSetup(&data), "clfftSetup");
  }
  ~library() {
    const std::lock_guard guard(m_lock);
    clfftTeardown();
  }
  std::mutex m_lock;
};

struct plan {
  clfftPlanHandle handle = 0;
  plan(cl_context context, std::size_t n) {
    check(clfftCreateDefaultPlan(&handle, context, CLFFT_1D, &n), "clfftCreateDefaultPlan");
  }
  ~plan() { clfftDestroyPlan(&handle); }
  plan(const plan&) = delete;
};

void transform(cl_command_queue commands, cl_context context, cl_mem data, std::size_t n,
               fft_direction direction) {
  const std::lock_guard guard(library::lock());
  const plan made(context, n);
  check(clfftSetPlanPrecision(made.handle, CLFFT_SINGLE), "clfftSetPlanPrecision");
  check(clfftSetLayout(made.handle, CLFFT_COMPLEX_INTERLEAVED, CLFFT_COMPLEX_INTERLEAVED), "clfftSetLayout");
  check(clfftSetResultLocation(made.handle, CLFFT_INPLACE), "clfftSetResultLocation");
  check(clfftBakePlan(made.handle, 1, &commands, nullptr, nullptr), "clfftBakePlan");
  cl_event done = nullptr;
  check(clfftEnqueueTransform(made.handle,
                              direction == fft_direction::forward ? CLFFT_FORWARD : CLFFT_BACKWARD, 1,
                              &commands, 0, nullptr, &done, &data, nullptr, nullptr),
        "clfftEnqueueTransform");
  const cl_int ended = clWaitForEvents(1, &done); // the plan must also live until its kernels have completed
  clReleaseEvent(done);
  check(ended, "clWaitForEvents");
}

bool supported(std::size_t n) {
  for (const std::size_t prime : {2, 3, 5, 7, 11, 13}) {
    while (n != 0 && n % prime == 0) n /= prime;
  }
  return n == 1;
}

} // namespace

sycl::event fft(sycl::queue& queue, sycl::buffer<std::complex<float>>& data, fft_direction direction) {
  require_whole(data, "fft", "data");
  require(supported(data.size()), "fft: " + std::to_string(data.size()) +
                                      " elements; the size must be a product of 2, 3, 5, 7, 11 and 13");
  require_opencl(queue, "fft");
  return queue.submit([&](sycl::handler& h) {
    sycl::accessor values(data, h, sycl::read_write);
    const std::size_t n = data.size();
    h.host_task([=](sycl::interop_handle native) {
      constexpr auto opencl = sycl::backend::opencl;
      transform(native.get_native_queue<opencl>(), native.get_native_context<opencl>(),
                native.get_native_mem<opencl>(values).front(), n, direction);
    });
  });
}

} // namespace prism::kernels
