// Policies for single kernels: each one selects the device for a kernel's launches, for every problem size,
// from the compiler's counts of the kernel's operations. Thread-safe.
//
//   prism::set_policy<my_kernel>(prism::parse_policy("priority=energy"));
//   sycl::queue q = prism::queue_for<my_kernel>(sycl::range<1>(n)); // one queue for each device
#pragma once

#include <prism/scope.hpp>
#include <prism/workload_of.hpp>
#include <sycl/queue.hpp>

namespace prism {

/// Sets the policy of the kernel, for all threads. Throws no_candidate if no device fits the policy for any
/// workload.
void set_policy(const sycl::kernel_id& kernel, const execution_policy& policy);
/// Resets the policy of the kernel to `automatic`.
void clear_policy(const sycl::kernel_id& kernel);
/// Returns the policy of the kernel; `automatic` if none was set.
execution_policy policy_of(const sycl::kernel_id& kernel);

/// Returns an in-order queue on the device that the kernel's policy selects for this work. There is one queue
/// for each device, shared by all kernels. Throws no_candidate if no device fits.
sycl::queue queue_for(const sycl::kernel_id& kernel, const workload& work);

template <typename KernelName>
void set_policy(const execution_policy& policy) {
  set_policy(sycl::get_kernel_id<KernelName>(), policy);
}
template <typename KernelName>
void clear_policy() {
  clear_policy(sycl::get_kernel_id<KernelName>());
}
template <typename KernelName>
execution_policy policy_of() {
  return policy_of(sycl::get_kernel_id<KernelName>());
}
/// `bytes_to_move`: the bytes of the kernel's data that are not on a device yet.
template <typename KernelName, int Dimensions>
sycl::queue queue_for(const sycl::range<Dimensions>& items, double bytes_to_move = 0) {
  workload work = workload_of<KernelName>(items);
  work.bytes_to_move = bytes_to_move;
  return queue_for(sycl::get_kernel_id<KernelName>(), work);
}

} // namespace prism
