// Work-items that sum a row each do so eight at a time, in a range and in an nd_range: in the inner loop are eight sums. It is
// the same for the place of the largest number and where some loops lie in others, for fewer rows at a time if each has
// several sums. Not so where work-items have loops of different lengths, memory of their own, or sums that become vectors.
// FLAGS: -fno-slp-vectorize -fno-unroll-loops
#include <sycl/khr/split_headers/queue.hpp>

void run(sycl::queue& q, const float* a, const float* x, const int* starts, const int* words, float* y, int n, int m) {
  q.parallel_for<class of_range>(m, [=](sycl::id<1> i) {
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i[0] * n + j] * x[j];
    y[i] = sum;
  });
  q.parallel_for<class of_group>(sycl::nd_range<1>(m, 64), [=](sycl::nd_item<1> it) {
    const std::size_t i = it.get_global_id(0);
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += a[i * n + j];
    y[i] = float(sum);
  });
  q.parallel_for<class of_nearest>(m, [=](sycl::id<1> i) {
    float best = 1e30f, at = 0;
    for (int c = 0; c < 50; ++c) {
      float distance = 0;
      for (int d = 0; d < n; ++d) distance += (a[i[0] * n + d] - x[c * n + d]) * (a[i[0] * n + d] - x[c * n + d]);
      if (distance < best) best = distance, at = float(c);
    }
    y[i] = at;
  });
  q.parallel_for<class of_sparse>(m, [=](sycl::id<1> i) {
    float sum = 0;
    for (int j = starts[i]; j < starts[i + 1]; ++j) sum += a[j] * x[j];
    y[i] = sum;
  });
  q.parallel_for<class of_words>(m, [=](sycl::id<1> i) {
    int sum = 0;
    for (int j = 0; j < n; ++j) sum += words[i[0] * n + j];
    y[i] = float(sum);
  });
}
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}E3$_0
// HOST: {{(phi float [^\n]*\n[^\n]*){8} }}
// HOST: {{(call float @llvm.fmuladd.f32[^\n]*\n[^}]*){8} }}
// HOST: define internal void @"_ZN4sycl3_V16detail7run_boxI{{[^\n]*}}E3$_2
// HOST: {{(phi float [^\n]*\n[^\n]*){4} }}
// HOST-NOT: run_boxI{{[^\n]*}}E3$_3{{[^}]*}}{{(phi float [^\n]*\n[^\n]*){4} }}
// HOST-NOT: run_boxI{{[^\n]*}}E3$_4{{[^}]*}}{{(phi i32 [^\n]*\n[^\n]*){5} }}
// HOST: define internal void @prism.group.prism_k1
// HOST: {{(phi double [^\n]*\n[^\n]*){8} }}
