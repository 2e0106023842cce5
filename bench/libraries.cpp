// <prism/blas.hpp> and <prism/fft.hpp> against the libraries of others for the same device: CLBlast on
// OpenCL, VkFFT there by its provider, cuBLAS and cuFFT on NVIDIA's. Results are compared with theirs.
#include "bench/checked_queue.hpp"
#include "bench/cuda_side.hpp"
#include "bench/opencl_side.hpp"
#include "bench/operands.hpp"
#include "bench/rows.hpp"

#include <prism/fft.hpp>

#include <fmt/format.h>

#include <cmath>
#include <complex>

namespace bench {

namespace {

/// x of the workload, repeated.
std::vector<float> repeated(const workload& work, std::size_t count, std::size_t first = 0) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = work.x[(i + first) % work.x.size()];
  return out;
}

/// The largest difference over the largest value of theirs.
double difference_of(const std::vector<float>& ours, const std::vector<float>& theirs) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double apart = std::fabs(double(ours[i]) - theirs[i]);
    most = apart <= most ? most : apart; // NaN counts
    largest = std::max(largest, std::fabs(double(theirs[i])));
  }
  return most / largest;
}

std::vector<float> read(sycl::queue& queue, const float* from, std::size_t count) {
  std::vector<float> out(count);
  queue.copy(from, out.data(), count).wait();
  return out;
}

struct library_row {
  std::string name, theirs;
  std::function<void(std::size_t)> run_ours, run_theirs; // so many calls, and waits
  std::function<std::vector<float>()> our_result, their_result;
};

void add_library_row(report& out, const options& how, const sycl::device& device, const library_row& row) {
  row.run_ours(1), row.run_theirs(1);
  constexpr double allowed = 1e-4;
  if (const double apart = difference_of(row.our_result(), row.their_result()); !(apart <= allowed))
    return out.skip(
        "libraries", label(device),
        fmt::format("{}: the results differ from {}'s by {:.1e} of the largest", row.name, row.theirs, apart),
        true);
  std::size_t calls = 1;
  while (calls < 256 && timed([&] { row.run_theirs(calls); }).wall < 4e-3) calls *= 2;
  out.add({"libraries",
           row.name,
           label(device),
           "PRISM",
           row.theirs,
           alternate(how.rounds, [&] { return timed_each(calls, [&] { row.run_ours(calls); }); },
                     [&] { return timed_each(calls, [&] { row.run_theirs(calls); }); }),
           {goal::kind::ratio, 1 / 0.9}});
}

/// The product of two n x n matrices by PRISM, and what a library needs for the same.
struct product {
  product(const workload& work, checked_queue& queue, int n)
      : side(std::size_t(n)), left(repeated(work, side * side)), right(repeated(work, side * side, 12345)),
        a(queue, left), b(queue, right), c(queue, side * side), on(queue) {}
  library_row row(const std::string& theirs) const {
    return {fmt::format("gemm float {}", side), theirs, [this](std::size_t calls) {
      for (std::size_t i = 0; i < calls; ++i)
        prism::blas::gemm(on, 1, prism::row_major(a.data(), side, side),
                          prism::row_major(b.data(), side, side), 0, prism::row_major(c.data(), side, side));
      on.wait_and_throw();
    }, {}, [this] { return read(on, c.data(), side * side); }, {}};
  }
  std::size_t side;
  std::vector<float> left, right;
  device_array<float> a, b, c;
  checked_queue& on;
};

struct clblast {
  shared_library library{"libclblast"};
  int (*CLBlastSgemm)(int, int, int, std::size_t, std::size_t, std::size_t, float, cl_mem, std::size_t,
                      std::size_t, cl_mem, std::size_t, std::size_t, float, cl_mem, std::size_t, std::size_t,
                      cl_command_queue*, cl_event*);
  clblast() { library.find("CLBlastSgemm", CLBlastSgemm); }
};

void measure_clblast(report& out, const options& how, const workload& work, const sycl::device& device) try {
  const clblast theirs;
  const cl_device_id id = find_opencl_device(driver_name(device));
  if (!id) throw not_there("the raw API finds no device of this name");
  const opencl_side side(id, how.shaders);
  checked_queue queue(device);
  for (const int n : device.is_gpu() ? std::vector{1024, 4096} : std::vector{1024}) {
    const product ours(work, queue, n);
    const memory_handle a = side.memory(ours.left), b = side.memory(ours.right),
                        c = side.memory(nullptr, ours.side * ours.side);
    library_row row = ours.row("CLBlast");
    row.run_theirs = [&](std::size_t calls) {
      cl_command_queue on = side.queue();
      const std::size_t s = ours.side;
      for (std::size_t i = 0; i < calls; ++i)
        check(theirs.CLBlastSgemm(101, 111, 111, s, s, s, 1, a.get(), 0, s, b.get(), 0, s, 0, c.get(), 0, s,
                                  &on, nullptr),
              "CLBlastSgemm");
      check(clFinish(on), "clFinish");
    };
    row.their_result = [&] {
      std::vector<float> result(ours.side * ours.side);
      check(clEnqueueReadBuffer(side.queue(), c.get(), CL_TRUE, 0, result.size() * sizeof(float),
                                result.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
      return result;
    };
    add_library_row(out, how, device, row);
  }
} catch (const not_there& reason) {
  out.skip("libraries", label(device), std::string("CLBlast: ") + reason.what());
} catch (const std::exception& error) {
  out.skip("libraries", label(device), std::string("CLBlast: ") + error.what(), true);
}

void check_library(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " gave " + std::to_string(status));
}

class cublas {
public:
  explicit cublas(cuda::stream on) {
    int (*create)(void**);
    int (*set_stream)(void*, cuda::stream);
    m_library.find("cublasCreate_v2", create);
    m_library.find("cublasSetStream_v2", set_stream);
    m_library.find("cublasDestroy_v2", m_destroy);
    m_library.find("cublasSgemm_v2", m_sgemm);
    check_library(create(&m_handle), "cublasCreate");
    check_library(set_stream(m_handle, on), "cublasSetStream");
  }
  ~cublas() {
    if (m_handle) m_destroy(m_handle);
  }
  cublas(const cublas&) = delete;
  /// Row-major C = A B is column-major C' = B' A'. Single precision without TensorFloat-32, its default.
  void gemm(int n, cuda::address a, cuda::address b, cuda::address c) const {
    const float one = 1, zero = 0;
    check_library(m_sgemm(m_handle, 0, 0, n, n, n, &one, b, n, a, n, &zero, c, n), "cublasSgemm");
  }

private:
  shared_library m_library{"libcublas"};
  void* m_handle = nullptr;
  int (*m_destroy)(void*) = nullptr;
  int (*m_sgemm)(void*, int, int, int, int, int, const float*, cuda::address, int, cuda::address, int,
                 const float*, cuda::address, int) = nullptr;
};

void measure_cublas(report& out, const options& how, const workload& work, const sycl::device& device,
                    cuda_side& side) try {
  const cublas theirs(side.stream());
  checked_queue queue(device);
  for (const int n : {1024, 4096}) {
    const product ours(work, queue, n);
    const cuda::address a = side.memory(ours.left), b = side.memory(ours.right),
                        c = side.memory(ours.side * ours.side * sizeof(float));
    library_row row = ours.row("cuBLAS");
    row.run_theirs = [&](std::size_t calls) {
      for (std::size_t i = 0; i < calls; ++i) theirs.gemm(n, a, b, c);
      side.wait();
    };
    row.their_result = [&] { return side.read(c, ours.side * ours.side); };
    add_library_row(out, how, device, row);
  }
} catch (const not_there& reason) {
  out.skip("libraries", label(device), std::string("cuBLAS: ") + reason.what());
} catch (const std::exception& error) {
  out.skip("libraries", label(device), std::string("cuBLAS: ") + error.what(), true);
}

/// cuFFT's plan of complex single-precision transforms.
class cufft {
public:
  cufft(cuda::stream on, int points, int batch) {
    int (*plan)(int*, int, int, int);
    int (*set_stream)(int, cuda::stream);
    m_library.find("cufftPlan1d", plan);
    m_library.find("cufftSetStream", set_stream);
    m_library.find("cufftDestroy", m_destroy);
    m_library.find("cufftExecC2C", m_execute);
    constexpr int complex_to_complex = 0x29;
    check_library(plan(&m_plan, points, complex_to_complex, batch), "cufftPlan1d");
    check_library(set_stream(m_plan, on), "cufftSetStream");
  }
  ~cufft() {
    if (m_plan >= 0) m_destroy(m_plan);
  }
  cufft(const cufft&) = delete;
  void forward(cuda::address in, cuda::address out) const {
    check_library(m_execute(m_plan, in, out, -1), "cufftExecC2C");
  }

private:
  shared_library m_library{"libcufft"};
  int m_plan = -1;
  int (*m_destroy)(int) = nullptr;
  int (*m_execute)(int, cuda::address, cuda::address, int) = nullptr;
};

void measure_cufft(report& out, const options& how, const workload& work, const sycl::device& device,
                   cuda_side& side) try {
  constexpr std::size_t points = 1 << 20, batch = 16, floats = 2 * points * batch;
  const cufft theirs(side.stream(), int(points), int(batch));
  const std::vector<float> data = repeated(work, floats);
  const cuda::address in = side.memory(data), made = side.memory(floats * sizeof(float));
  checked_queue queue(device);
  const device_array<float> from(queue, data), to(queue, floats);
  const auto grid = [](float* memory) {
    return prism::fft::grid(reinterpret_cast<std::complex<float>*>(memory), {points})
        .batched(batch, std::ptrdiff_t(points));
  };
  const prism::fft::plan plan(queue, prism::fft::direction::forward, grid(from.data()), grid(to.data()));
  add_library_row(out, how, device,
                  {fmt::format("fft float 2^20 x {}", batch), "cuFFT", [&](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) plan(queue, grid(from.data()), grid(to.data()));
    queue.wait_and_throw();
  }, [&](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) theirs.forward(in, made);
    side.wait();
  }, [&] { return read(queue, to.data(), floats); }, [&] { return side.read(made, floats); }});
} catch (const not_there& reason) {
  out.skip("libraries", label(device), std::string("cuFFT: ") + reason.what());
} catch (const std::exception& error) {
  out.skip("libraries", label(device), std::string("cuFFT: ") + error.what(), true);
}

/// VkFFT is a header, which the provider `vkfft` contains.
void measure_vkfft(report& out, const options& how, const workload& work, const sycl::device& device) try {
  constexpr std::size_t points = 1 << 20;
  const std::size_t batch = device.is_gpu() ? 16 : 1, floats = 2 * points * batch;
  checked_queue queue(device);
  const std::vector<float> data = repeated(work, floats);
  const device_array<float> from(queue, data), to(queue, floats), theirs(queue, floats);
  const auto grid = [=](float* memory) {
    return prism::fft::grid(reinterpret_cast<std::complex<float>*>(memory), {points})
        .batched(batch, std::ptrdiff_t(points));
  };
  const auto by = [&](const char* provider, float* result) {
    return [&, provider, result](std::size_t calls) {
      const pinned chosen("fft", provider);
      const prism::fft::plan plan(queue, prism::fft::direction::forward, grid(from.data()), grid(result));
      for (std::size_t i = 0; i < calls; ++i) plan(queue, grid(from.data()), grid(result));
      queue.wait_and_throw();
    };
  };
  add_library_row(out, how, device,
                  {fmt::format("fft float 2^20 x {}", batch), "VkFFT", by("prism", to.data()),
                   by("vkfft", theirs.data()), [&] { return read(queue, to.data(), floats); },
                   [&] { return read(queue, theirs.data(), floats); }});
} catch (const std::exception& error) {
  out.skip("libraries", label(device), std::string("VkFFT: ") + error.what());
}

} // namespace

void measure_libraries(report& out, const options& how, const workload& work,
                       const sycl::device& device) try {
  if (device.get_backend() == sycl::backend::opencl) {
    measure_clblast(out, how, work, device);
    measure_vkfft(out, how, work, device);
  }
  cuda_side side(device.get_info<sycl::info::device::name>(), how.shaders);
  measure_cublas(out, how, work, device, side);
  measure_cufft(out, how, work, device, side);
} catch (const not_there& reason) {
  out.skip("libraries", label(device), std::string("cuBLAS and cuFFT: ") + reason.what());
} catch (const std::exception& error) {
  out.skip("libraries", label(device), std::string("cuBLAS and cuFFT: ") + error.what(), true);
}

} // namespace bench
