// Commands of one queue in several queues of an OpenCL driver (PRISM_OPENCL_QUEUES): independent ones run at
// the same time, dependent ones in order. The plain run on each device tests the order only.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace {

TEST(driver_queues, independent_kernels_of_an_out_of_order_queue_run_at_the_same_time) {
  if (!std::getenv("PRISM_OPENCL_QUEUES")) GTEST_SKIP() << "run with PRISM_OPENCL_QUEUES";
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
  sycl::queue q;
  SKIP_WITHOUT(q, usm_atomic_host_allocations);
  int* const seen =
      sycl::malloc_host<int>(3, q); // has the second kernel run, should the first end, has it met
  std::fill_n(seen, 3, 0);
  using flag = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::system>;
  q.single_task<class waits_for_the_next>([=] {
    while (flag(seen[0]).load() == 0 && flag(seen[1]).load() == 0) {}
    flag(seen[2]).store(flag(seen[0]).load());
  });
  q.single_task<class the_next>([=] { flag(seen[0]).store(1); });
  std::thread gives_up([&] {
    prism_test::eventually([&] { return flag(seen[2]).load() != 0; });
    flag(seen[1]).store(1);
  });
  q.wait();
  gives_up.join();
  EXPECT_EQ(seen[2], 1) << "the second kernel ran only after the first";
  sycl::free(seen, q);
}

TEST(driver_queues, dependent_commands_and_barriers_keep_their_order) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  constexpr int n = 50'000, chains = 6, links = 20;
  int* const data = sycl::malloc_device<int>(n * chains, q);
  int* const sum = sycl::malloc_device<int>(n, q);
  q.fill(data, 1, n * chains).wait();
  std::vector<sycl::event> last(chains);
  for (int link = 0; link < links; ++link)
    for (int chain = 0; chain < chains; ++chain) {
      const sycl::event before = last[std::size_t(chain)];
      int* const mine = data + chain * n;
      last[std::size_t(chain)] = q.submit([&](sycl::handler& h) {
        h.depends_on(before);
        h.parallel_for<class links_of_a_chain>(n, [=](sycl::id<1> i) { mine[i] = mine[i] * 2 + 1; });
      });
    }
  q.ext_oneapi_submit_barrier();
  std::vector<int> seen(n);
  const sycl::event added = q.parallel_for<class after_the_barrier>(n, [=](sycl::id<1> i) {
    int all = 0;
    for (int chain = 0; chain < chains; ++chain) all += data[chain * n + int(i[0])] >> (links - 3);
    sum[i] = all;
  });
  q.memcpy(seen.data(), sum, n * sizeof(int), added).wait();
  const int each = ((1 << (links + 1)) - 1) >> (links - 3);
  EXPECT_EQ(seen, std::vector<int>(n, chains * each));
  sycl::free(data, q);
  sycl::free(sum, q);
}

} // namespace
