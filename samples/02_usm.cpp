// Unified shared memory: plain pointers instead of buffers, an in-order queue instead of accessors. Devices
// without USM (for example rusticl) throw an exception that names the missing aspect; buffers work on every
// device.
#include <sycl/sycl.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() try {
  const std::size_t n = 1 << 20;
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::vector<float> x(n), y(n, 1.0f);
  for (std::size_t i = 0; i < n; ++i) x[i] = float(i % 1000) * 0.5f;

  float* dx = sycl::malloc_device<float>(n, queue);
  float* dy = sycl::malloc_device<float>(n, queue);
  queue.memcpy(dx, x.data(), n * sizeof(float));
  queue.memcpy(dy, y.data(), n * sizeof(float));
  queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { dy[i] = 2.0f * dx[i] + dy[i]; });
  queue.memcpy(y.data(), dy, n * sizeof(float)).wait();
  sycl::free(dx, queue);
  sycl::free(dy, queue);

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += std::fabs(y[i] - (2.0f * x[i] + 1.0f)) > 1e-3f;
  std::cout << "axpy over " << n << " elements, " << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
} catch (const sycl::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
