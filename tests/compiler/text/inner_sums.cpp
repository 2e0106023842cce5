// A loop of all work-items in another one, whose bounds are members of a structure in memory: what follows the inner loop
// becomes vectors too, because the question whether the outer loop goes on moves out of the loop over work-items.
// FLAGS: -g -Rpass=loop-vectorize
#include <sycl/khr/split_headers/queue.hpp>

struct gather {
  int count, repeats;
  const int* from;
  long stride;
  const double *values, *factors;
  double* sums;
};

void run(sycl::queue& q, const gather* by, int n) {
  q.parallel_for<class gathered>(sycl::nd_range<1>(1024, 64), [=](sycl::nd_item<1> it) {
    const int i = static_cast<int>(it.get_global_id(0));
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < by->count; ++k) {
      const int j = by->from[k * by->stride + i];
      double value = by->values[j];
      const double factor = by->factors[j];
      for (int r = 0; r < by->repeats; ++r) value += factor * value;
      sum += value;
    }
    by->sums[i] = sum;
  });
}
// REMARKS: inner_sums.cpp:19:{{.*}}vectorized loop
