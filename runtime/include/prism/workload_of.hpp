// The workload of a kernel from the compiler's own counts: flops, bytes, access pattern and divergence,
// without a word from the author. Estimates: see docs/selection.md. Needs a program compiled with prism++.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/policy.hpp>
#include <sycl/kernel.hpp>
#include <sycl/nd_range.hpp>

namespace prism {

/// `items` work-items of a kernel. bytes_to_move is left 0: which data is used again only the program knows.
/// Throws sycl::exception: feature_not_supported when the kernel was compiled without prism++, invalid for a
/// negative count.
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
