// The operations with several implementations, as families of prism::algorithm. Each variant has its
// requirements, a model of its work and, once measured, its time on this device. GEMM and the reduction have
// a variant that the tuner adapts to the device.
//
//   auto all = prism::kernels::make_operations(std::make_shared<prism::tuning_database>());
//   all.gemm(queue, prism::kernels::gemm_work(m, n, k), 1.0f, a, b, 0.0f, c);   // CLBlast or an own kernel
#pragma once

#include <prism/algorithm.hpp>
#include <prism/kernels/align.hpp>
#include <prism/kernels/fft.hpp>

#include <memory>

namespace prism::kernels {

/// A component of the database's keys: results of other versions of these kernels do not count.
inline constexpr const char* kernels_version = "1";

using matrix = sycl::buffer<float, 2>;
using floats = sycl::buffer<float>;

struct operations {
  algorithm<sycl::event(sycl::queue&, float, matrix&, matrix&, float, matrix&)> gemm{"gemm", kernels_version};
  algorithm<sycl::event(sycl::queue&, floats&, floats&)> reduce{"reduce", kernels_version};
  algorithm<sycl::event(sycl::queue&, floats&, floats&)> scan{"scan", kernels_version};
  algorithm<sycl::event(sycl::queue&, sycl::buffer<std::complex<float>>&, fft_direction)> fft{
      "fft", kernels_version};
  algorithm<std::vector<alignment>(sycl::queue&, const packed_reads&, sycl::buffer<std::uint8_t>&)>
      smith_waterman{"smith-waterman", kernels_version};
};

/// Without a database the models choose, and tunable variants run with their initial parameters.
operations make_operations(std::shared_ptr<tuning_database> database = nullptr);

/// The work of one call, for choices. Size classes count its items: multiplications, elements, cells.
workload gemm_work(std::size_t m, std::size_t n, std::size_t k);
workload reduce_work(std::size_t elements);
workload scan_work(std::size_t elements);
workload fft_work(std::size_t elements);
workload align_work(std::size_t bases_of_all_reads, std::size_t genome);

/// The key under which the database has the tuned parameters of "gemm" or "reduce".
tuning_key tuned_key(const std::string& operation, const sycl::device& device, double items);

} // namespace prism::kernels
