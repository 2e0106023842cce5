// Fourier transforms: by clFFT on OpenCL queues, and by SYCL kernels on all queues. The rules of blas.hpp
// apply.
#pragma once

#include <sycl/sycl.hpp>

#include <complex>

namespace prism::kernels {

enum class fft_direction { forward, backward };

/// In place over the whole buffer. Its size must have only the prime factors 2, 3, 5, 7, 11 and 13
/// (errc::invalid otherwise). forward: out[k] = sum of x[j] exp(-2 pi i j k / n); backward: the inverse,
/// scaled by 1 / n. errc::feature_not_supported on queues other than OpenCL's. Failures of clFFT are
/// asynchronous errors of the queue.
sycl::event fft(sycl::queue& queue, sycl::buffer<std::complex<float>>& data, fft_direction direction);
/// The same sizes and results on any queue: T. Stockham's autosort algorithm ("High-speed convolution and
/// correlation", AFIPS 1966) with radices up to 13 and one kernel per factor.
sycl::event fft_stockham(sycl::queue& queue, sycl::buffer<std::complex<float>>& data,
                         fft_direction direction);
/// The same for any size, by the definition: n operations per result.
sycl::event fft_direct(sycl::queue& queue, sycl::buffer<std::complex<float>>& data, fft_direction direction);

} // namespace prism::kernels
