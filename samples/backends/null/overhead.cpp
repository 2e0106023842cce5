// Measures what PRISM itself costs per kernel: submits kernels to the null device, which does nothing.
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>

int main() {
  sycl::queue q{sycl::property::queue::in_order()};
  if (q.get_device().get_info<sycl::info::device::name>() != "null device") {
    std::fprintf(stderr, "set PRISM_BACKEND_PATH to the folder of null.so and PRISM_DEVICE_SELECTOR=null\n");
    return 1;
  }
  constexpr int count = 20000;
  int value = 7;
  double best = 1;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) q.single_task([=] { (void)value; });
    q.wait();
    const double each =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / count;
    best = each < best ? each : best;
  }
  std::printf("%.0f ns a kernel\n", best * 1e9);
  return best < 1e-3 ? 0 : 1;
}
