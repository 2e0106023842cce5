// The workload in SYCL, and the two smallest submissions.
#pragma once

#include "bench/workload.hpp"

#include <sycl/sycl.hpp>

namespace bench {

/// Uses the device's USM; throws sycl::exception if it has none.
std::unique_ptr<kernel_set> make_sycl_set(const workload& work, const sycl::device& device);

/// One launch of axpy over `count` items: a USM kernel, and a command group with two buffers.
sycl::event submit_usm(sycl::queue& queue, const float* x, float* y, std::size_t count);
/// z = x + a y.
sycl::event submit_triad(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count);
/// One work-group of `count` items that reverses x through local memory.
void submit_barriers(sycl::queue& queue, float* x, std::size_t count);
/// Four element-wise kernels that pass on three arrays, and one kernel that computes the same. z is read and
/// written.
void submit_chain(sycl::queue& queue, const float* x, const float* y, float* const (&between)[3], float* z,
                  std::size_t count);
void submit_fused_by_hand(sycl::queue& queue, const float* x, const float* y, float* z, std::size_t count);
/// Overwrites y with values computed from x.
void write_buffer(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y);
void submit_buffers(sycl::queue& queue, sycl::buffer<float>& x, sycl::buffer<float>& y);

} // namespace bench
