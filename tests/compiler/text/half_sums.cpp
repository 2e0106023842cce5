// A half that is only stored is rounded by the store. What other operations read is rounded where it is
// computed.
#include <sycl/sycl.hpp>

void scale(sycl::queue& q, sycl::half* y, const sycl::half* x, sycl::half a, int n) {
  q.parallel_for<class scaled>(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
    const auto i = it.get_global_id(0);
    y[i] = a * x[i] + y[i];
  });
}
// OPENCL: = prism_round_half({{[^\n]*}} * {{[^\n]*}});
// OPENCL: {{(\w+) = \w+ \+ \w+;\n *vstore_half_rte\(\1, }}
// OPENCL-NOT: prism_round_half({{[^\n]*}} + {{[^\n]*}})
