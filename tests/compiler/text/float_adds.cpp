// Atomic additions of floats in OpenCL C: by cl_ext_float_atomics where the runtime says that the device has
// it, else by a loop. Both compile.
#include <sycl/sycl.hpp>

void add(sycl::queue& q, float* sums, double* total) {
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<float> own(64, h);
    h.parallel_for<class added>(sycl::nd_range<1>(4096, 64), [=](sycl::nd_item<1> it) {
      using sycl::atomic_ref, sycl::memory_order, sycl::memory_scope;
      const auto i = it.get_local_id(0);
      own[i] = 0;
      sycl::group_barrier(it.get_group());
      atomic_ref<float, memory_order::relaxed, memory_scope::work_group>(own[i / 2]).fetch_add(1.5f);
      sycl::group_barrier(it.get_group());
      atomic_ref<float, memory_order::relaxed, memory_scope::device>(sums[i]).fetch_add(own[i]);
      atomic_ref<double, memory_order::relaxed, memory_scope::device>(*total).fetch_add(0.5);
    });
  });
}
// PARSED: -cl-std=CL1.2
// PARSED: -cl-std=CL3.0
// PARSED: -cl-std=CL3.0 -DPRISM_FLOAT_ADDS=15
// OPENCL: float prism_add_float_global(
// OPENCL: #if (PRISM_FLOAT_ADDS + 0) & 1
// OPENCL: atomic_fetch_add_explicit((volatile __global atomic_float*)at, value, memory_order_relaxed
// OPENCL: atomic_cmpxchg
// OPENCL: float prism_add_float_local(
// OPENCL: #if (PRISM_FLOAT_ADDS + 0) & 2
// OPENCL: double prism_add_double_global(
// OPENCL: #if (PRISM_FLOAT_ADDS + 0) & 4
// OPENCL: atomic_fetch_add_explicit((volatile __global atomic_double*)at, value
// OPENCL: atom_cmpxchg
