// Derives the workload of a kernel from the compiler's counts: flops, bytes, access pattern and divergence.
// The counts are estimates, see docs/variants.md. The program must be compiled with prism++.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/policy.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_range.hpp>

namespace prism {

/// Returns the workload of `items` work-items of a kernel. `trips` is the assumed trip count of loops whose
/// trip count the compiler does not know. bytes_to_move is 0: only the program knows which data is already on
/// the device. Throws sycl::exception: feature_not_supported if the kernel was compiled without prism++,
/// invalid for a negative count.
workload workload_of(const sycl::kernel_id& kernel, double items, double trips = assumed_trips);

template <typename KernelName, int Dimensions>
workload workload_of(const sycl::range<Dimensions>& items, double trips = assumed_trips) {
  return workload_of(sycl::get_kernel_id<KernelName>(), static_cast<double>(items.size()), trips);
}
template <typename KernelName, int Dimensions>
workload workload_of(const sycl::nd_range<Dimensions>& items, double trips = assumed_trips) {
  return workload_of(sycl::get_kernel_id<KernelName>(), static_cast<double>(items.get_global_range().size()),
                     trips);
}

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
