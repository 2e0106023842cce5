// What some iterations of a loop add up at a work-item's place in local memory stays in a register, though the distance
// between the places is not known: the loop over work-items becomes vectors.
// FLAGS: -Rpass=loop-vectorize
#include <sycl/khr/split_headers/queue.hpp>

void sum(sycl::queue& q, int* out, const int* in, int count, int values) {
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int> sums(sycl::range<1>(32 * values), h);
    h.parallel_for<class summed>(sycl::nd_range<1>(32, 32), [=](sycl::nd_item<1> it) {
      const int lid = static_cast<int>(it.get_local_id(0));
      sums[lid * values] = 0;
      for (int i = lid; i < count; i += 32)
        if (in[i] > 0) sums[lid * values] += in[i];
      sycl::group_barrier(it.get_group());
      if (lid == 0) out[0] = sums[values];
    });
  });
}
// REMARKS: vectorized loop
