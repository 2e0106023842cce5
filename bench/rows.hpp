// The benchmarks by subject. Each adds its rows to the report, or a reason in place of a row; none throws
// because of one device.
#pragma once

#include "bench/report.hpp"
#include "bench/workload.hpp"

#include <sycl/sycl.hpp>

#include <string>

namespace bench {

struct options {
  int rounds = 15;
  bool quick = false;   // without rows that take minutes
  std::string shaders;  // folder with *.cl and *.spv
  std::string programs; // folder with prism++ and the start-up programs
  std::string headers;  // folder with sycl/sycl.hpp
  std::string sources;  // the project's folder
  std::string clang;
};

/// Generated kernels against handwritten ones on the same driver; the host device against OpenMP.
void measure_kernels(report& out, const options& how, const workload& work, const sycl::device& device);
/// Kernels, bandwidth and launches on an NVIDIA device against CUDA; other devices are left out by name.
void measure_cuda(report& out, const options& how, const workload& work, const sycl::device& device);
/// <prism/blas.hpp> and <prism/fft.hpp> against CLBlast, cuBLAS and cuFFT, where they can be opened.
void measure_libraries(report& out, const options& how, const workload& work, const sycl::device& device);
/// Processor time of the submitting thread, against the raw driver calls.
void measure_submission(report& out, const options& how, const sycl::device& device);
/// The cost of a command among many: after others and with others in flight, from many threads, on the host
/// device, and waited for.
void measure_commands(report& out, const options& how, const sycl::device& device);
/// The cost of a trace for programs that write one, against the same without.
void measure_trace(report& out, const options& how, const sycl::device& device);
/// Kernels rebuilt for known values, against the general build and against the same values in the source.
void measure_specialising(report& out, const options& how, const sycl::device& device);
/// One operation in the forms that programs use, each against the fastest.
void measure_forms(report& out, const options& how, const sycl::device& device);
/// Sorts, sums and scans of prism::primitives, against oneTBB and OpenMP, or against the host device.
void measure_primitives(report& out, const options& how, const sycl::device& device);
/// Image accessors against buffers of the pixels' words.
void measure_images(report& out, const options& how, const sycl::device& device);
/// Memory allocated, used and freed, against reusing the same memory.
void measure_memory(report& out, const options& how, const sycl::device& device);
/// <prism/blas.hpp> against OpenBLAS, on Vulkan against GLSL.
void measure_operations(report& out, const options& how, const sycl::device& device);
/// Batches of small products, against OpenBLAS and LIBXSMM; the choice between implementations, against the
/// fastest.
void measure_batches(report& out, const options& how, const sycl::device& device);
/// The cost of a choice between implementations; the reproducible mode against the ordinary one.
void measure_reproducible(report& out, const options& how, const sycl::device& device);
/// The operations by size and number of threads of the host device, against the best library by as many.
void measure_scaling(report& out, const options& how, const sycl::device& device);
/// <prism/fft.hpp> against FFTW.
void measure_transforms(report& out, const options& how, const sycl::device& device);
/// <prism/nn.hpp> against oneDNN or PyTorch; <prism/einsum.hpp> and <prism/sparse.hpp> against NumPy and
/// SciPy.
void measure_networks(report& out, const options& how, const sycl::device& device);
void measure_tensors(report& out, const options& how, const sycl::device& device);
/// <prism/linalg.hpp> against OpenBLAS's LAPACK.
void measure_linalg(report& out, const options& how, const sycl::device& device);
/// From process start to end, against a program that starts the raw platform.
void measure_start(report& out, const options& how, const sycl::device& device);
/// First launches of kernels, which build them, against those of handwritten ones; prism++ against clang++.
void measure_builds(report& out, const options& how, const sycl::device& device);
void measure_compiling(report& out, const options& how);
/// Prints how many seconds longer the first launch of the workload's kernel on the selected device takes than
/// the second: of a clock, and of processors.
void print_first_launch(const options& how, const std::string& kernel, bool ours);
/// Compile time of #include <sycl/sycl.hpp>, and of a file full of kernels.
void measure_header(report& out, const options& how);

/// The cost of PRISM itself for a command, on a device that does nothing. That device is registered before
/// the first use of any device; no other measurement uses it.
void measure_null_device(report& out, const options& how);
void measure_task_graph(report& out, const options& how);
/// A task of prism::task_batch against a launch.
void measure_task_batch(report& out, const options& how, const sycl::device& device);
/// Both of these: what needs no device.
inline void measure_host_submission(report& out, const options& how) {
  measure_null_device(out, how);
  measure_task_graph(out, how);
}
void register_null_device();
bool is_null_device(const sycl::device& device);
/// A submitter to a queue that other work may use too.
class queue_submitter : public submitter {
public:
  virtual sycl::queue& queue() = 0; // in order
};
/// A command of long bursts against one of bursts of a hundred; and a command after very many completed ones
/// against the first commands of the new submitter `fresh`.
void measure_flatness(report& out, const options& how, const std::string& label, queue_submitter& side,
                      queue_submitter& fresh);
void measure_after_many(report& out, const options& how, const std::string& label, submitter& used,
                        submitter& fresh);

/// Time of a part of the submissions; excludes the device's work, which other threads do after the measured
/// time.
inline times each(submitter& side, std::size_t submissions = 200, double parts = 200) {
  times spent = thread_timed([&] { side.submit(submissions); });
  side.finish();
  spent.wall /= parts;
  spent.processor /= parts;
  return spent;
}

inline std::string backend_name(const sycl::device& device) {
  const char* backends[] = {"opencl", "host", "vulkan"};
  return backends[int(device.get_backend())];
}
inline std::string label(const sycl::device& device) {
  return backend_name(device) + ": " + device.get_info<sycl::info::device::name>();
}
/// The name that the driver gives the device: with PRISM_VULKAN_REPORT or a described device PRISM's is
/// another. Only for devices of OpenCL, Vulkan and the host.
std::string driver_name(const sycl::device& device);
/// Runs a part of a subject; what it throws is a failure in the report, and the next part runs.
template <typename Part>
void attempt(report& out, const std::string& subject, const sycl::device& device, const Part& part) {
  try {
    part();
  } catch (const std::exception& error) {
    out.skip(subject, label(device), error.what(), true);
  }
}
/// The time of a launch that the program waits for.
inline times each_waited(submitter& side) {
  constexpr std::size_t launches = 50;
  return timed_each(launches, [&] {
    for (std::size_t i = 0; i < launches; ++i) {
      side.submit(1);
      side.finish();
    }
  });
}
/// The PRISM_DEVICE_SELECTOR that makes a child process use only this device.
inline std::string selector(const sycl::device& device) {
  const std::string backend = backend_name(device);
  return "PRISM_DEVICE_SELECTOR=" +
         (backend == "host" ? backend : backend + ":name=" + device.get_info<sycl::info::device::name>());
}

} // namespace bench
