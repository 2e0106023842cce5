// A warm submission allocates nothing of its own: what it needs comes from the pools (devices/api/pool.hpp). Counted are operator new's
// calls of the whole process, the library's too, on the submitting thread.
#include "tests/sycl/common.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local bool counting = false;
thread_local unsigned long allocations = 0;
} // namespace

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

#define SKIP_WHERE_OTHERS_ALLOCATE()                                                          \
  if (!pooled) GTEST_SKIP() << "with AddressSanitizer there are no pools";                    \
  if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) GTEST_SKIP() << "Vulkan's layers allocate"

constexpr int warm = 2000, counted_rounds = 400, burst = 10; // in flight at once
// More in flight than ever before takes new blocks, once; a submission that allocates by itself costs one each time.
constexpr unsigned long few = counted_rounds / 10;

/// Allocations of `counted_rounds` calls once `warm` calls were made.
template <typename Call>
unsigned long allocations_of(queue& q, Call&& call) {
  allocations = 0;
  for (int i = 0; i < warm + counted_rounds; ++i) {
    counting = i >= warm;
    call();
    counting = false;
    if (i % burst == burst - 1) q.wait();
  }
  q.wait();
  return allocations;
}

TEST(warm_submissions, of_kernels_on_usm_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  queue q{property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(64, q);
  q.fill(data, 0, 64).wait();
  const unsigned long made = allocations_of(q, [&] { q.parallel_for(range<1>(64), [=](id<1> i) { data[i] += 1; }); });
  EXPECT_LT(made, few);
  int found[64];
  q.memcpy(found, data, sizeof found).wait();
  for (int i : found) ASSERT_EQ(i, warm + counted_rounds);
  free(data, q);
}

TEST(warm_submissions, of_groups_with_accessors_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  queue q;
  std::vector<int> from(64, 2), to(64, 0);
  {
    buffer<int> a(from), b(to);
    const unsigned long made = allocations_of(q, [&] {
      q.submit([&](handler& h) {
        accessor x(a, h, read_only);
        accessor y(b, h, read_write);
        h.parallel_for(range<1>(64), [=](id<1> i) { y[i] += x[i]; });
      });
    });
    EXPECT_LT(made, few);
  }
  for (int i : to) ASSERT_EQ(i, 2 * (warm + counted_rounds));
}

TEST(warm_submissions, that_are_waited_for_allocate_nothing) {
  SKIP_WHERE_OTHERS_ALLOCATE();
  queue q{property::queue::in_order{}};
  SKIP_WITHOUT(q, usm_device_allocations);
  int* data = malloc_device<int>(256, q);
  const unsigned long made = allocations_of(q, [&] {
    q.parallel_for(nd_range<1>(256, 64), [=](nd_item<1> it) { data[it.get_global_id(0)] = int(it.get_local_id(0)); }).wait();
  });
  EXPECT_LT(made, few);
  free(data, q);
}

} // namespace
