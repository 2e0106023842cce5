// A policy for one kernel: which device its launches go to, decided for each size from the compiler's counts.
//
//   prism::set_policy<my_kernel>(prism::parse_policy("priority=energy"));
//   sycl::queue q = prism::queue_for<my_kernel>(sycl::range<1>(n));      // the same queue for the same
//   device every time
#pragma once

#include <prism/scope.hpp>
#include <prism/workload_of.hpp>
#include <sycl/queue.hpp>

namespace prism {

/// From now on, in all threads. Throws no_candidate when no device fits the policy whatever the work.
void set_policy(const sycl::kernel_id& kernel, const execution_policy& policy);
/// Back to `automatic`.
void clear_policy(const sycl::kernel_id& kernel);
execution_policy policy_of(const sycl::kernel_id& kernel);

/// A queue, in order, on the device that the kernel's policy has for this work; one queue a device, shared by
/// all kernels. Throws no_candidate when none fits.
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
/// `bytes_to_move`: what of its data is not on a device yet.
template <typename KernelName, int Dimensions>
sycl::queue queue_for(const sycl::range<Dimensions>& items, double bytes_to_move = 0) {
  workload work = workload_of<KernelName>(items);
  work.bytes_to_move = bytes_to_move;
  return queue_for(sycl::get_kernel_id<KernelName>(), work);
}

} // namespace prism
