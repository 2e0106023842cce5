// Halves in OpenCL C, as floats or by cl_khr_fp16: both compile. A half that is only stored is rounded by the
// store. What other operations read is rounded where it is
// computed.
#include <sycl/sycl.hpp>

void scale(sycl::queue& q, sycl::half* y, const sycl::half* x, sycl::half a, int n) {
  q.parallel_for<class scaled>(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
    const auto i = it.get_global_id(0);
    y[i] = a * x[i] + y[i];
  });
  q.parallel_for<class others>(sycl::nd_range<1>(n, 256), [=](sycl::nd_item<1> it) {
    const auto i = it.get_global_id(0);
    const sycl::half root = sycl::sqrt(x[i]) / a, part = static_cast<sycl::half>(static_cast<double>(i) / 3);
    y[i] = x[i] < a ? root - part : sycl::floor(-root * static_cast<sycl::half>(static_cast<int>(i)));
  });
}
// OPENCL: = prism_round_half({{[^\n]*}} * {{[^\n]*}});
// OPENCL: {{(\w+) = \w+ \+ \w+;\n *prism_store_half\(\1, }}
// OPENCL-NOT: prism_round_half({{[^\n]*}} + {{[^\n]*}})
// OPENCL: = prism_round_half((float){{\w+}} / (float){{\w+}});
// PARSED: -cl-std=CL1.2
// PARSED: -cl-std=CL1.2 -DPRISM_HALF
// PARSED: -cl-std=CL1.2 -DPRISM_OWN_HALVES
