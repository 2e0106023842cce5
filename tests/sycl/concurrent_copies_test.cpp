// Explicit copies of an out-of-order queue run concurrently with its kernels. Events, barriers, waits and
// in-order queues still order them, on whichever driver queue they run.
#include "tests/sycl/common.hpp"

#include <algorithm>

namespace {

constexpr std::size_t items = 4096;
constexpr std::size_t small = 1000, large = 1 << 20; // ints

/// Runs at least some milliseconds on processors, or ten times as long. Work-items have few iterations,
/// because llvmpipe stops long loops; a GPU needs more `repeats`.
template <typename Name>
sycl::event run_long(sycl::queue& q, float* to, int rounds = 6000, const sycl::event& after = {},
                     int repeats = 1) {
  return q.parallel_for<Name>(sycl::range<1>(items), after, [=](sycl::id<1> i) {
    float x = float(i[0]);
    for (int repeat = 0; repeat < repeats; ++repeat)
      for (int round = 0; round < rounds; ++round) x = x * 0.999f + 1.0f;
    to[i] = x;
  });
}

std::uint64_t end_of(const sycl::event& e) {
  return e.get_profiling_info<sycl::info::event_profiling::command_end>();
}
std::uint64_t start_of(const sycl::event& e) {
  return e.get_profiling_info<sycl::info::event_profiling::command_start>();
}

bool has_one_thread(const sycl::queue& q) {
  return q.get_backend() == sycl::backend::ext_prism_host &&
         q.get_device().get_info<sycl::info::device::max_compute_units>() < 2;
}

class setup {
public:
  explicit setup(sycl::property_list properties = {}) : q(properties) {
    if (!q.get_device().has(sycl::aspect::usm_device_allocations)) return;
    kernels = sycl::malloc_device<float>(items, q);
    device = sycl::malloc_device<int>(large, q);
    q.fill(device, 0, large).wait();
  }
  ~setup() {
    q.wait();
    sycl::free(kernels, q);
    sycl::free(device, q);
  }
  setup(const setup&) = delete;
  sycl::queue q;
  float* kernels = nullptr;
  int* device = nullptr;
  std::vector<int> host = prism_test::counted(large);
};

/// How often a kernel must repeat its loop to last 30 ms.
int repeats_of_a_long_kernel(setup& here) {
  for (int repeats = 1; repeats < 1 << 16; repeats *= 4) {
    const sycl::event kernel = run_long<class beside>(here.q, here.kernels, 60000, {}, repeats);
    here.q.wait();
    if (end_of(kernel) - start_of(kernel) > 30'000'000) return repeats;
  }
  return 1 << 16;
}

/// True in one of ten attempts is enough: the machine may have no free processor for the copy while the
/// kernel runs.
bool ends_before_the_kernel(std::size_t count) {
  setup here{sycl::property::queue::enable_profiling()};
  const int repeats = repeats_of_a_long_kernel(here);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const sycl::event kernel = run_long<class beside>(here.q, here.kernels, 60000, {}, repeats);
    const sycl::event copy = here.q.memcpy(here.device, here.host.data(), count * sizeof(int));
    here.q.wait();
    if (end_of(copy) < end_of(kernel)) return true;
  }
  return false;
}

TEST(concurrent_copies, end_while_an_earlier_kernel_runs) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  SKIP_WITHOUT(q, queue_profiling);
  if (has_one_thread(q)) GTEST_SKIP() << prism_test::name_of(q.get_device()) << " has one thread";
  EXPECT_TRUE(ends_before_the_kernel(small));
  EXPECT_TRUE(ends_before_the_kernel(large));
}

TEST(concurrent_copies, of_an_in_order_queue_wait_for_earlier_kernels) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  SKIP_WITHOUT(q, queue_profiling);
  setup here{{sycl::property::queue::enable_profiling(), sycl::property::queue::in_order()}};
  const sycl::event kernel = run_long<class in_turn>(here.q, here.kernels);
  const sycl::event copy = here.q.memcpy(here.device, here.host.data(), large * sizeof(int));
  here.q.wait();
  EXPECT_GE(start_of(copy), end_of(kernel));
}

TEST(concurrent_copies, are_complete_after_a_queue_wait) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  setup here;
  std::vector<int> back(large);
  for (int round = 1; round <= 5; ++round) {
    run_long<class waited>(here.q, here.kernels);
    here.q.fill(here.device, round, large).wait();
    here.q.memcpy(back.data(), here.device, large * sizeof(int));
    here.q.wait();
    ASSERT_EQ(std::count(back.begin(), back.end(), round), std::ptrdiff_t(large));
  }
}

TEST(concurrent_copies, run_before_a_later_barrier) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  setup here;
  int* const sums = sycl::malloc_device<int>(1, here.q);
  for (int round = 1; round <= 5; ++round) {
    std::fill(here.host.begin(), here.host.end(), round);
    run_long<class unrelated>(here.q, here.kernels);
    here.q.memcpy(here.device, here.host.data(), large * sizeof(int));
    here.q.ext_oneapi_submit_barrier();
    here.q.single_task<class looks>(
        [sums, data = here.device] { *sums = data[0] + data[large / 2] + data[large - 1]; });
    here.q.ext_oneapi_submit_barrier();
    int sum = 0;
    here.q.memcpy(&sum, sums, sizeof sum).wait();
    ASSERT_EQ(sum, 3 * round);
  }
  sycl::free(sums, here.q);
}

TEST(concurrent_copies, run_after_an_earlier_barrier) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  setup here;
  std::vector<float> back(items);
  for (int round = 0; round < 3; ++round) {
    here.q.memset(here.kernels, 0, items * sizeof(float)).wait();
    run_long<class before>(here.q, here.kernels, 20000);
    here.q.ext_oneapi_submit_barrier();
    here.q.memcpy(back.data(), here.kernels, items * sizeof(float)).wait();
    ASSERT_NEAR(back[5], 1000.0f, 1.0f);
    ASSERT_NEAR(back[items - 1], 1000.0f, 1.0f);
  }
}

TEST(concurrent_copies, keep_the_order_of_events_in_both_directions) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  setup here;
  constexpr int rounds = 20;
  sycl::event last, unrelated;
  for (int round = 0; round < rounds; ++round) {
    const sycl::event added = here.q.parallel_for<class adds>(
        sycl::range<1>(large), last, [data = here.device](sycl::id<1> i) { data[i] += 1; });
    unrelated = run_long<class between>(here.q, here.kernels, 1000, unrelated);
    const sycl::event out = here.q.memcpy(here.host.data(), here.device, large * sizeof(int), added);
    last = here.q.memcpy(here.device, here.host.data(), large * sizeof(int), out);
  }
  last.wait();
  EXPECT_EQ(here.host[0], rounds);
  EXPECT_EQ(here.host[large - 1], rounds);
}

TEST(concurrent_copies, keep_the_order_of_buffers) {
  sycl::queue q;
  std::vector<int> data(large, 1), seen(large);
  sycl::buffer<int> b{sycl::range<1>(large)};
  const bool has_usm = q.get_device().has(sycl::aspect::usm_device_allocations);
  sycl::event unrelated;
  float* const kernels = has_usm ? sycl::malloc_device<float>(items, q) : nullptr;
  for (int round = 1; round <= 5; ++round) {
    if (has_usm) unrelated = run_long<class elsewhere>(q, kernels, 6000, unrelated);
    q.submit([&](sycl::handler& h) { h.copy(data.data(), sycl::accessor(b, h, sycl::write_only)); });
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for<class doubles>(sycl::range<1>(large), [=](sycl::id<1> i) { a[i] *= 2; });
    });
    if (has_usm) unrelated = run_long<class meanwhile>(q, kernels, 6000, unrelated);
    q.submit([&](sycl::handler& h) { h.copy(sycl::accessor(b, h, sycl::read_only), seen.data()); });
  }
  q.wait();
  if (has_usm) sycl::free(kernels, q);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 2), std::ptrdiff_t(large));
}

} // namespace
