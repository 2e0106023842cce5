// In a kernel of two dimensions whose sub-groups synchronise, the rows of work-items are stored first. A loop
// over a sub-group's work-items would divide for each of them and so would not become vectors.
#include <sycl/khr/split_headers/queue.hpp>

void run(sycl::queue& q, double* out, const double* in) {
  q.parallel_for<class vectors>(sycl::nd_range<2>({64, 32}, {8, 8}), [=](sycl::nd_item<2> it) {
    const int team = int(it.get_local_id(0)), lane = int(it.get_local_id(1));
    const std::size_t i = it.get_global_linear_id();
    double sum = in[i];
    for (int far = int(it.get_local_range(1)); (far >>= 1) != 0;) {
      const double other = sycl::shift_group_left(it.get_sub_group(), sum, far);
      if (lane < far) sum += other * team;
    }
    out[i] = sum;
  });
}
// GROUP-NOT: {{urem|udiv}} i64 %{{[0-9a-z.]+}}, %
