// A warm submission allocates no memory: the pools have what it needs (devices/api/pool.hpp). The test counts
// the calls of operator new on the submitting thread, including those of the library. Without a trace or
// profile, a submission does not read the clock either.
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include <dlfcn.h>
#include <time.h>

namespace {
thread_local bool counting = false;
thread_local unsigned long allocations = 0, times_asked = 0;
} // namespace

/// Replaces the C library's function for everything that the program loads.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto next = reinterpret_cast<int (*)(clockid_t, timespec*)>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (counting) ++times_asked;
  return next(clock, now);
}

void* operator new(std::size_t bytes) {
  if (counting) ++allocations;
  if (void* const made = std::malloc(bytes != 0 ? bytes : 1)) return made;
  throw std::bad_alloc();
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace {

using namespace sycl;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;
#elif defined(__has_feature)
constexpr bool pooled = !__has_feature(address_sanitizer);
#else
constexpr bool pooled = true;
#endif
#if defined(PRISM_TEST_COMPILED)
constexpr bool compiled = true;
#else
constexpr bool compiled = false;
#endif

#define SKIP_WHERE_OTHERS_ALLOCATE()                                                                         \
  if (!pooled) GTEST_SKIP() << "PRISM has no pools with AddressSanitizer";                                   \
  if (!compiled) GTEST_SKIP() << "without prism++ every kernel gets a buffer, because it may print";         \
  if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) GTEST_SKIP() << "Vulkan layers allocate"

constexpr int round = 400, rounds = 40, burst = 10; // calls; in flight at once
constexpr unsigned long few = round / 10;

/// The minimum of allocations in a series of calls; stops at the first series with few. Blocks may take some
/// series to be distributed between the threads that allocate and free them. An allocation of each submission
/// would be in every series.
template <typename Call>
unsigned long allocations_of(queue& q, int& calls, Call&& call) {
  unsigned long least = ~0ul;
  for (int r = 0; r < rounds && least >= few; ++r) {
    allocations = 0;
    for (int i = 0; i < round; ++i, ++calls) {
      counting = true;
      call();
      counting = false;
      if (i % burst == burst - 1) q.wait();
    }
    least = std::min(least, allocations);
  }
  return least;
}

TEST(warm_submissions, of_kernels_on_usm_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  int calls = 0;
  queue q{property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(64, q);
  q.fill(data, 0, 64).wait();
  const unsigned long made =
      allocations_of(q, calls, [&] { q.parallel_for(range<1>(64), [=](id<1> i) { data[i] += 1; }); });
  EXPECT_LT(made, few);
  int found[64];
  q.memcpy(found, data, sizeof found).wait();
  for (int i : found) ASSERT_EQ(i, calls);
  free(data, q);
}

TEST(warm_submissions, of_groups_with_accessors_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  int calls = 0;
  queue q;
  std::vector<int> from(64, 2), to(64, 0);
  {
    buffer<int> a(from), b(to);
    const unsigned long made = allocations_of(q, calls, [&] {
      q.submit([&](handler& h) {
        accessor x(a, h, read_only);
        accessor y(b, h, read_write);
        h.parallel_for(range<1>(64), [=](id<1> i) { y[i] += x[i]; });
      });
    });
    EXPECT_LT(made, few);
  }
  for (int i : to) ASSERT_EQ(i, 2 * calls);
}

/// How often the calls of a series read the clock: the minimum over several series. A driver may read it once
/// in a while; a read of each submission would be in every call.
template <typename Call>
unsigned long times_asked_by(queue& q, Call&& call) {
  unsigned long least = ~0ul;
  for (int r = 0; r < rounds && least >= few; ++r) {
    times_asked = 0;
    for (int i = 0; i < round; ++i) {
      counting = true;
      call();
      counting = false;
      if (i % burst == burst - 1) q.wait();
    }
    least = std::min(least, times_asked);
  }
  return least;
}

TEST(warm_submissions, read_no_clock_without_a_trace) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  queue q{property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(64, q);
  const auto launch = [&] { q.parallel_for(range<1>(64), [=](id<1> i) { data[i] = int(i[0]); }); };
  launch();
  q.wait();
  counting = true;
  times_asked = 0;
  static_cast<void>(std::chrono::steady_clock::now());
  counting = false;
  ASSERT_EQ(times_asked, 1u) << "the test must count reads of the clock";
  const unsigned long asked = times_asked_by(q, launch);
  EXPECT_LT(asked, few);
  free(data, q);
}

TEST(warm_submissions, that_are_waited_for_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  int calls = 0;
  queue q{property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(256, q);
  const unsigned long made = allocations_of(q, calls, [&] {
    q.parallel_for(nd_range<1>(256, 64), [=](nd_item<1> it) {
      data[it.get_global_id(0)] = int(it.get_local_id(0));
    }).wait();
  });
  EXPECT_LT(made, few);
  free(data, q);
}

} // namespace
