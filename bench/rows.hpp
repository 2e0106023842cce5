// The benchmarks by subject. Each adds its rows to the report, or a gap with its reason; none throws for one device.
#pragma once

#include "bench/report.hpp"
#include "bench/workload.hpp"

#include <sycl/sycl.hpp>

#include <string>

namespace bench {

struct options {
  int rounds = 15;
  bool quick = false;   // without the rows that take minutes
  std::string shaders;  // folder with *.cl and *.spv
  std::string programs; // folder with prism++ and the start-up programs
  std::string headers;  // folder with sycl/sycl.hpp
  std::string clang;
};

/// Generated kernels against hand-written ones on the same driver; the host device against OpenMP.
void measure_kernels(report& out, const options& how, const workload& work, const sycl::device& device);
/// Processor time of the submitting thread, against the raw driver calls.
void measure_submission(report& out, const options& how, const sycl::device& device);
/// What a command costs among many: after and beside others, on many threads, on the host device, with a trace written.
void measure_commands(report& out, const options& how, const sycl::device& device);
/// Kernels built again for their numbers, against the general build and against the numbers in the source.
void measure_specialising(report& out, const options& how, const sycl::device& device);
/// Memory made, used and freed, against the same memory used again.
void measure_memory(report& out, const options& how, const sycl::device& device);
/// From process start to end, against a program that starts the raw platform.
void measure_start(report& out, const options& how, const sycl::device& device);
/// Compile time of #include <sycl/sycl.hpp>, and of a file full of kernels.
void measure_header(report& out, const options& how);

inline std::string label(const sycl::device& device) {
  const char* backends[] = {"opencl", "host", "vulkan"};
  return std::string(backends[int(device.get_backend())]) + ": " + device.get_info<sycl::info::device::name>();
}

} // namespace bench
