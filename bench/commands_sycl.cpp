// Submits small kernels: the first argument is their number, the second (default 100) how often to wait for
// them, the third a rate per second that it does not exceed. For the cost of a trace.
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

int main(int count, char** words) {
  sycl::queue queue{sycl::property::queue::in_order{}};
  float* const x = sycl::malloc_device<float>(64, queue);
  if (x == nullptr) return 1;
  const int commands = count > 1 ? std::atoi(words[1]) : 0, burst = count > 2 ? std::atoi(words[2]) : 100,
            rate = count > 3 ? std::atoi(words[3]) : 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < commands; ++i) {
    queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> k) { x[k] = 1.0f; });
    if (i % burst != burst - 1) continue;
    queue.wait();
    if (rate != 0)
      std::this_thread::sleep_until(begin +
                                    std::chrono::nanoseconds(std::int64_t{1'000'000'000} * (i + 1) / rate));
  }
  queue.wait_and_throw();
  sycl::free(x, queue);
  return 0;
}
