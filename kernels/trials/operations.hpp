// Operations with several implementations as families of prism::algorithm: each variant has its requirements,
// a model of its work and, once measured, its time on this device. Calls of <prism/blas.hpp> use the results
// for "gemm" from the database.
//
//   auto all = prism::trials::make_operations(std::make_shared<prism::tuning_database>());
//   all.gemm(queue, prism::trials::gemm_work(m, n, k), 1.0f, a, b, 0.0f, c);   // a provider or own kernels
#pragma once

#include <prism/algorithm.hpp>
#include <prism/align.hpp>
#include <prism/blas/measured.hpp>
#include <prism/fft.hpp>

#include <complex>
#include <memory>

namespace prism::trials {

template <typename T>
using matrix_of = sycl::buffer<T, 2>;
using matrix = matrix_of<float>;
using floats = sycl::buffer<float>;
using points = sycl::buffer<std::complex<float>>;

/// How the failure of a variant begins that does not do a job of this size.
inline constexpr const char* refused = "refused: ";

template <typename T>
using gemm_algorithm =
    algorithm<sycl::event(sycl::queue&, T, matrix_of<T>&, matrix_of<T>&, T, matrix_of<T>&)>;

struct operations {
  /// By each provider, by the library's own kernels ("prism"), and by hand-written GLSL on Vulkan ("glsl").
  gemm_algorithm<float> gemm{"gemm", blas::measured_version};
  /// By each provider and by the library's own kernels.
  gemm_algorithm<double> gemm_double{"gemm double", blas::measured_version};
  /// By the methods of prism::primitives.
  algorithm<sycl::event(sycl::queue&, floats&, floats&)> reduce{"reduce", blas::measured_version};
  algorithm<sycl::event(sycl::queue&, floats&, floats&)> scan{"scan", blas::measured_version};
  /// Forward, in place, by the plan.
  algorithm<sycl::event(sycl::queue&, const fft::plan&, points&)> fft{"fft", blas::measured_version};
  algorithm<std::vector<align::alignment>(sycl::queue&, const align::packed_reads&,
                                          sycl::buffer<std::uint8_t>&)>
      smith_waterman{"smith-waterman", blas::measured_version};
};

/// Without a database the models choose.
operations make_operations(std::shared_ptr<tuning_database> database = nullptr);

/// The work of one call, for choices. Size classes count its items: multiplications, elements, cells.
workload gemm_work(std::size_t m, std::size_t n, std::size_t k);
workload gemm_double_work(std::size_t m, std::size_t n, std::size_t k);
workload reduce_work(std::size_t elements);
workload scan_work(std::size_t elements);
workload fft_work(std::size_t elements);
workload align_work(std::size_t bases_of_all_reads, std::size_t genome);

} // namespace prism::trials
