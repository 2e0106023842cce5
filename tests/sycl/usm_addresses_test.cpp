// A pointer value is the same on host and device: pointers in data, pointers that kernels compute, and every
// kind of access through them. ctest also runs this on Vulkan with host memory at other device addresses
// (PRISM_VULKAN_USM=split).
#include "tests/sycl/common.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>

using prism_test::counted;
using prism_test::error_of;

namespace {

struct freed {
  sycl::queue q;
  void operator()(void* p) const { sycl::free(p, q); }
};
template <typename T>
std::unique_ptr<T[], freed> shared(const sycl::queue& q, std::size_t n) {
  return {sycl::malloc_shared<T>(n, q), freed{q}};
}
template <typename T>
std::unique_ptr<T[], freed> on_host(const sycl::queue& q, std::size_t n) {
  return {sycl::malloc_host<T>(n, q), freed{q}};
}
template <typename T>
std::unique_ptr<T[], freed> on_device(const sycl::queue& q, std::size_t n) {
  return {sycl::malloc_device<T>(n, q), freed{q}};
}

struct node {
  node* next;
  int value;
};

TEST(pointers, in_a_list_built_by_the_host_work_in_kernels) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  constexpr int n = 100;
  auto nodes = shared<node>(q, n);
  for (int i = 0; i < n; ++i) nodes[i] = {i + 7 < n ? &nodes[i + 7] : nullptr, i};
  auto sum = shared<int>(q, 1);
  q.single_task([first = nodes.get(), out = sum.get()] {
    int total = 0;
    for (node* at = first; at; at = at->next) {
      total += at->value;
      at->value = -at->value;
    }
    *out = total;
  }).wait();
  int expected = 0;
  for (int i = 0; i < n; i += 7) expected += i;
  EXPECT_EQ(sum[0], expected);
  for (int i = 0; i < n; ++i) EXPECT_EQ(nodes[i].value, i % 7 == 0 ? -i : i);
}

TEST(pointers, stored_by_a_kernel_are_valid_on_the_host) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  constexpr int n = 64;
  auto nodes = shared<node>(q, n);
  q.parallel_for(n, [all = nodes.get()](sycl::id<1> i) {
    all[i].value = int(i[0]);
    all[i].next = i[0] + 1 < n ? &all[i[0] + 1] : nullptr;
  }).wait();
  int seen = 0;
  for (node* at = nodes.get(); at; at = at->next) EXPECT_EQ(at->value, seen++);
  EXPECT_EQ(seen, n);
}

TEST(pointers, of_every_usm_kind_work_in_one_table) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  SKIP_WITHOUT(q, usm_host_allocations);
  auto a = shared<int>(q, 16), b = on_host<int>(q, 16), c = on_device<int>(q, 16), d = shared<int>(q, 16);
  for (int i = 0; i < 16; ++i) a[i] = i, b[i] = 100 + i, d[i] = 0;
  q.fill(c.get(), 1000, 16).wait();
  auto table = on_host<int*>(q, 3);
  table[0] = a.get(), table[1] = b.get(), table[2] = c.get();
  q.parallel_for(16, [t = table.get(), out = d.get()](sycl::id<1> i) {
    for (int k = 0; k < 3; ++k) out[i] += t[(k + int(i[0])) % 3][i];
    t[i[0] % 3][i] += 1;
  }).wait();
  std::vector<int> back(16);
  q.copy(c.get(), back.data(), 16).wait();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(d[i], i + 100 + i + 1000);
    EXPECT_EQ(a[i], i + (i % 3 == 0));
    EXPECT_EQ(b[i], 100 + i + (i % 3 == 1));
    EXPECT_EQ(back[std::size_t(i)], 1000 + (i % 3 == 2));
  }
}

template <typename T>
void expect_access(sycl::queue& q) {
  constexpr std::size_t n = 100;
  auto from = shared<T>(q, n);
  auto to = on_host<T>(q, n);
  for (std::size_t i = 0; i < n; ++i) from[i] = T(i);
  q.parallel_for(n, [a = from.get(), b = to.get()](sycl::id<1> i) {
    b[i] = T(a[n - 1 - i[0]] + T(1));
  }).wait();
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(to[i], T(T(n - 1 - i) + T(1))) << i;
}

TEST(accesses, of_every_width_reach_shared_and_host_memory) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  SKIP_WITHOUT(q, usm_host_allocations);
  expect_access<std::uint8_t>(q);
  expect_access<std::int16_t>(q);
  expect_access<std::uint32_t>(q);
  expect_access<std::int64_t>(q);
  expect_access<float>(q);
}

struct packed {
  char tag;
  std::int32_t parts[5];
  std::uint8_t tail[3];
};

TEST(accesses, of_structures_and_odd_bytes) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  auto all = shared<packed>(q, 33);
  auto bytes = shared<std::uint8_t>(q, 40);
  std::memset(all.get(), 0, 33 * sizeof(packed));
  for (int i = 0; i < 40; ++i) bytes[i] = std::uint8_t(i);
  q.parallel_for(32, [a = all.get(), b = bytes.get()](sycl::id<1> i) {
    packed p = a[i];
    p.tag = 'x';
    std::memcpy(&p.parts[1], b + 1 + i[0] % 8, 7);
    p.tail[2] = b[i];
    a[i] = p;
  }).wait();
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(all[i].tag, 'x');
    EXPECT_EQ(std::memcmp(&all[i].parts[1], &bytes[1 + i % 8], 7), 0);
    EXPECT_EQ(all[i].tail[2], i);
  }
  EXPECT_EQ(all[32].tag, 0);
}

TEST(accesses, atomic_ones_work_in_shared_memory) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  auto counters = shared<int>(q, 4);
  for (int i = 0; i < 4; ++i) counters[i] = 10 * i;
  q.parallel_for(1000, [c = counters.get()](sycl::id<1> i) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(c[i[0] % 4]).fetch_add(1);
  }).wait();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(counters[i], 10 * i + 250);
}

// A software driver could access the host's addresses directly. Here the host's pages are made inaccessible
// meanwhile, so that it cannot.
TEST(accesses, use_device_addresses_where_those_differ) {
  const char* mode = std::getenv("PRISM_VULKAN_USM");
  if (!mode || std::strcmp(mode, "split") != 0)
    GTEST_SKIP() << "device addresses are the host's (PRISM_VULKAN_USM is not split)";
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  struct values {
    values* self;
    std::int64_t wide;
    int number, counter;
    std::int16_t half;
    std::uint8_t bytes[3];
  };
  constexpr std::size_t page = 4096;
  auto* v = static_cast<values*>(sycl::aligned_alloc_shared(page, page, q));
  const auto kernel = [&] {
    return q.parallel_for(32, [=](sycl::id<1> i) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(v->counter)
          .fetch_add(int(i[0]));
      if (i[0] != 0) return;
      v->self->number += 1;
      v->self->self->wide += v->number;
      v->half = std::int16_t(v->half * 2);
      v->bytes[1] = std::uint8_t(v->bytes[0] + v->bytes[2]);
    });
  };
  *v = {v, 1000, 1, 0, -21, {7, 0, 9}};
  kernel().wait(); // builds the program while the pages are accessible
  *v = {v, 1000, 1, 0, -21, {7, 0, 9}};
  ASSERT_EQ(::mprotect(v, page, PROT_NONE), 0);
  kernel().wait();
  ASSERT_EQ(::mprotect(v, page, PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(v->number, 2);
  EXPECT_EQ(v->wide, 1002);
  EXPECT_EQ(v->counter, 31 * 32 / 2);
  EXPECT_EQ(v->half, -42);
  EXPECT_EQ(v->bytes[1], 16);
  sycl::free(v, q);
}

TEST(copies, between_all_kinds_of_memory) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  SKIP_WITHOUT(q, usm_host_allocations);
  constexpr std::size_t n = 5000;
  auto a = shared<int>(q, n), b = on_host<int>(q, n), c = on_device<int>(q, n);
  std::vector<int> plain(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = int(i) * 3;
  q.copy(a.get(), b.get(), n).wait();
  q.copy(b.get(), c.get(), n).wait();
  q.copy(c.get() + 1, plain.data(), n - 1).wait();
  for (std::size_t i = 0; i + 1 < n; ++i) ASSERT_EQ(plain[i], int(i + 1) * 3);
  q.memset(a.get() + 1, 0, 8).wait();
  q.fill(b.get(), 4, 10).wait();
  EXPECT_EQ(a[0] + a[1] + a[2] + a[3], 9);
  EXPECT_EQ(b[9], 4);
  EXPECT_EQ(b[10], 30);
}

TEST(host_code, uses_shared_memory_freely_between_kernels) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  auto data = shared<int>(q, 256);
  std::iota(data.get(), data.get() + 256, 0);
  for (int round = 0; round < 20; ++round) {
    q.parallel_for(256, [d = data.get()](sycl::id<1> i) { d[i] += int(i[0]); }).wait();
    for (int i = 0; i < 256; ++i) data[i] -= 1;
    q.prefetch(data.get(), 256 * sizeof(int));
    q.mem_advise(data.get(), 256 * sizeof(int), 0);
  }
  for (int i = 0; i < 256; ++i) EXPECT_EQ(data[i], i + 20 * i - 20);
}

TEST(host_code, keeps_its_containers_in_usm) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  using allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  std::vector<int, allocator> v(allocator{q});
  for (int i = 0; i < 1000; ++i) v.push_back(i);
  q.parallel_for(v.size(), [p = v.data()](sycl::id<1> i) { p[i] *= 2; }).wait();
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(v[std::size_t(i)], 2 * i);
  v.resize(2000, 7);
  EXPECT_EQ(v[999], 1998);
  EXPECT_EQ(v[1999], 7);
}

TEST(ranges, of_device_and_host_memory_never_overlap) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  std::vector<std::pair<std::uintptr_t, std::size_t>> all;
  std::vector<void*> usm, plain;
  for (std::size_t bytes : {64u, 5000u, 300'000u, 5'000'000u}) {
    for (int i = 0; i < 8; ++i) {
      usm.push_back(sycl::malloc_device(bytes, q));
      plain.push_back(std::malloc(bytes));
      ASSERT_NE(usm.back(), nullptr);
      all.push_back({reinterpret_cast<std::uintptr_t>(usm.back()), bytes});
      all.push_back({reinterpret_cast<std::uintptr_t>(plain.back()), bytes});
    }
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].first + all[i - 1].second, all[i].first);
  for (void* p : usm) sycl::free(p, q);
  for (void* p : plain) std::free(p);
}

TEST(too_much, host_or_shared_memory_gives_null) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  EXPECT_EQ(sycl::malloc_shared<char>(std::size_t(1) << 50, q), nullptr);
  auto still = shared<int>(q, 4);
  ASSERT_NE(still.get(), nullptr);
  q.single_task([p = still.get()] { p[3] = 5; }).wait();
  EXPECT_EQ(still[3], 5);
}

} // namespace
