// A guarded product of a matrix with a vector: the loop over work-items has another loop in it, so it
// becomes no vectors whose elements need masks, and the kernel has a copy for AVX2 only. Guarded accesses
// without an inner loop have a copy for AVX-512.
#include <sycl/khr/split_headers/queue.hpp>

void rows(sycl::queue& q, float* out, const float* matrix, const float* x, int n) {
  q.parallel_for<class product>(sycl::nd_range<1>(1024, 256), [=](sycl::nd_item<1> it) {
    const int k = static_cast<int>(it.get_global_id(0));
    if (k < n) {
      float sum = 0;
      for (int j = 0; j < n; ++j) sum += matrix[k * n + j] * x[j];
      out[k] = sum;
    }
  });
  q.parallel_for<class guarded>(sycl::nd_range<1>(1024, 256), [=](sycl::nd_item<1> it) {
    const int k = static_cast<int>(it.get_global_id(0));
    if (x[k] < 1.0f) out[k] = matrix[k] * x[k];
  });
}
// HOST: define internal void @prism.group.prism_k0_{{[^\n(]*}}.v3
// HOST: define internal void @prism.group.prism_k1_{{[^\n(]*}}.v4
// HOST-NOT: define internal void @prism.group.prism_k0_{{[^\n(]*}}.v4
