// PoCL's parallel loops over work-items move strided accesses past other accesses of the same work-item.
// There the text has them volatile, and the kernel has a work-group function too, whose loops are not
// marked. Accesses that LLVM does not move past others of the same memory stay as they are.
#include "sycl/sycl.hpp"

void run(sycl::queue& q, float* p, const float* a, float* out, const int* at, std::size_t k) {
  q.parallel_for<class store_load_store>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    p[2 * i] = a[i];
    const float read = p[2 * i + k];
    p[2 * i + 1] = 2 * a[i];
    out[i] = read;
  });
  q.parallel_for<class private_places>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    float values[8] = {a[i], a[i + 1], 2, 3, 4, 5, 6, 7};
    const float first = values[k & 7];
    values[1] = 2 * first;
    out[i] = values[(k >> 3) & 7];
  });
  q.parallel_for<class adjacent>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    p[i] = a[i];
    out[i] = p[i + k];
  });
  q.parallel_for<class scattered>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    p[at[i]] = a[i];
    p[at[i] + 1] = a[i];
    out[i] = 1;
  });
  q.parallel_for<class complex_numbers>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    const float real = p[2 * i], imaginary = p[2 * i + 1];
    p[2 * i] = real * real - imaginary * imaginary;
    p[2 * i + 1] = 2 * real * imaginary;
  });
  q.parallel_for<class two_dimensions>(sycl::nd_range<2>({64, 64}, {4, 4}), [=](sycl::nd_item<2> it) {
    const std::size_t i = it.get_global_linear_id();
    p[i] = a[i];
    out[i] = p[i ^ k];
  });
}
// OPENCL: // run(
// OPENCL: #define prism_ordered
// OPENCL: void prism_k0_
// OPENCL: *(prism_ordered __global prism_{{\w+}}*)
// OPENCL: __attribute__((reqd_work_group_size(1, 1, 1))) void prism_k0_
// OPENCL: void prism_k1_
// OPENCL: *(prism_ordered __private prism_{{\w+}}*)
// OPENCL-NOT: void prism_k2_{{[^}]*}}prism_ordered
// OPENCL-NOT: void prism_k3_{{[^}]*}}prism_ordered
// OPENCL-NOT: void prism_k4_{{[^}]*}}prism_ordered
// OPENCL-NOT: reqd_work_group_size(1, 1, 1))) void prism_k1_
// OPENCL-NOT: reqd_work_group_size(1, 1, 1))) void prism_k2_
// OPENCL: void prism_k5_
// OPENCL: *(prism_ordered __global prism_{{\w+}}*)
