// A dot product with a reduction, and the kernel's time from the event's profile.
#include <sycl/sycl.hpp>

#include <cmath>
#include <iostream>
#include <vector>

int main() {
  const std::size_t n = 1 << 20;
  std::vector<float> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = float(i % 7), b[i] = float(i % 5);
  double expected = 0;
  for (std::size_t i = 0; i < n; ++i) expected += double(a[i]) * b[i];

  sycl::queue queue{sycl::property::queue::enable_profiling{}};
  sycl::buffer<float> a_buffer(a), b_buffer(b);
  sycl::buffer<float> sum(sycl::range<1>(1));
  sycl::event done = queue.submit([&](sycl::handler& handler) {
    sycl::accessor x(a_buffer, handler, sycl::read_only), y(b_buffer, handler, sycl::read_only);
    auto total = sycl::reduction(sum, handler, sycl::plus<float>(),
                                 sycl::property::reduction::initialize_to_identity{});
    handler.parallel_for(sycl::range<1>(n), total, [=](sycl::id<1> i, auto& s) { s += x[i] * y[i]; });
  });
  const float result = sycl::host_accessor(sum, sycl::read_only)[0];
  const auto ns = done.get_profiling_info<sycl::info::event_profiling::command_end>() -
                  done.get_profiling_info<sycl::info::event_profiling::command_start>();
  std::cout << "dot = " << result << ", expected " << expected << ", " << double(ns) * 1e-6 << " ms\n";
  return std::fabs(result - expected) <= 1e-4 * expected ? 0 : 1;
}
