// Atomic operations and fences: every operation, memory order, scope and address space.
#include "tests/sycl/launch.hpp"

#include <algorithm>

using prism_test::contents;
using prism_test::run;

namespace {

TEST(atomic_ref, counts_in_global_memory) {
  const auto got = run(4, [](sycl::handler& h, auto a) {
    h.parallel_for(1000, [=](sycl::id<1> i) {
      sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> cell(a[i[0] % 4]);
      cell.fetch_add(int(i[0] % 4) + 1);
    });
  });
  EXPECT_EQ(got, (std::vector<int>{249, 499, 749, 999}));
}

TEST(atomic_ref, of_every_operation) {
  const auto got = run(7, [](sycl::handler& h, auto a) {
    h.parallel_for(64, [=](sycl::id<1> i) {
      const auto at = [&](int k) {
        return sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(a[k]);
      };
      at(0).fetch_max(int(i[0]));
      at(1).fetch_min(-int(i[0]) - 2);
      at(2).fetch_and(~(1 << (i[0] % 8)));
      at(3).fetch_xor(1 << (i[0] % 31));
      int expected = at(4).load();
      while (!at(4).compare_exchange_strong(expected, expected + 2)) {}
      at(5).fetch_sub(3);
      if (i[0] == 0) at(6).exchange(42);
    });
  });
  int x = -1;
  for (int i = 0; i < 64; ++i) x ^= 1 << (i % 31);
  EXPECT_EQ(got, (std::vector<int>{63, -65, ~255, x, 127, -193, 42}));
}

// The compiler emits a copy of the operation for each memory order, including seq_cst, which some devices
// lack.
TEST(atomic_ref, accepts_a_memory_order_known_only_at_run_time) {
  sycl::queue q;
  const auto orders = q.get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  const bool all = std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) != orders.end();
  std::vector<int> data{5, 0};
  sycl::buffer<int> b(data);
  const sycl::memory_order order = orders.front();
  const auto code = prism_test::error_of([&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.single_task([=] {
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> cell(a[0]);
        int expected = 5;
        const bool done = cell.compare_exchange_strong(expected, 9, order, sycl::memory_scope::device);
        cell.fetch_add(1, order);
        a[1] = expected + (done ? 10 : 0);
      });
    });
  });
  if (code == sycl::errc::success) EXPECT_EQ(contents(b), (std::vector<int>{10, 15}));
  else EXPECT_EQ(code, all ? sycl::errc::success : sycl::errc::kernel_not_supported);
}

/// Store buffering: each work-group stores to its own cell, then loads the other's. In a single total order
/// at most one of them reads the old value.
template <typename Store, typename Load>
void expect_one_order(Store store, Load load) {
  sycl::queue q;
  constexpr int rounds = 2000;
  std::vector<int> cells(2 * rounds), seen(2 * rounds, -1), meeting(rounds);
  {
    sycl::buffer<int> b(cells), s(seen), m(meeting);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write), meet(m, h, sycl::read_write);
      sycl::accessor o(s, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(2, 1), [=](sycl::nd_item<1> it) {
        const int me = int(it.get_group(0));
        for (int i = 0; i < rounds; ++i) {
          // Both work-groups reach this point at about the same time, if they run concurrently.
          sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> both(meet[i]);
          both.fetch_add(1);
          for (int wait = 0; wait < 20 && both.load() < 2; ++wait) {}
          store(a[2 * i + me]);
          o[2 * i + me] = load(a[2 * i + 1 - me]);
        }
      });
    });
  }
  for (int i = 0; i < rounds; ++i) EXPECT_TRUE(seen[2 * i] == 1 || seen[2 * i + 1] == 1) << "iteration " << i;
}

TEST(atomic_fence, seq_cst_fences_have_one_total_order) {
  const auto orders =
      sycl::queue().get_device().get_info<sycl::info::device::atomic_fence_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  expect_one_order([](int& mine) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(mine).store(1);
    sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::device);
  }, [](int& other) {
    return sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(other).load();
  });
}

TEST(atomic_ref, seq_cst_operations_have_one_total_order) {
  const auto orders =
      sycl::queue().get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  expect_one_order([](int& mine) {
    sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device>(mine).store(1);
  }, [](int& other) {
    return sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device>(other).load();
  });
}

/// Every operation, in global and local memory, and fences of all scopes.
TEST(atomic_ref, seq_cst_operations_compute_the_same_as_relaxed_ones) {
  sycl::queue q;
  const auto orders = q.get_device().get_info<sycl::info::device::atomic_memory_order_capabilities>();
  if (std::find(orders.begin(), orders.end(), sycl::memory_order::seq_cst) == orders.end())
    GTEST_SKIP() << "this driver offers no memory_order::seq_cst";
  std::vector<int> data{0, 100, 0, 7, 0};
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      sycl::local_accessor<int> l(1, h);
      h.parallel_for(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> it) {
        using global = sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::device,
                                        sycl::access::address_space::global_space>;
        using local = sycl::atomic_ref<int, sycl::memory_order::seq_cst, sycl::memory_scope::work_group,
                                       sycl::access::address_space::local_space>;
        const int id = int(it.get_local_id(0));
        if (id == 0) local(l[0]).store(0);
        sycl::group_barrier(it.get_group());
        global(a[0]).fetch_add(1);
        global(a[1]).fetch_sub(1);
        global(a[2]).fetch_max(id);
        int expected = global(a[4]).load();
        while (!global(a[4]).compare_exchange_strong(expected, expected + 2)) {}
        local(l[0]).fetch_add(id);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_item);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::sub_group);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::work_group);
        sycl::atomic_fence(sycl::memory_order::seq_cst, sycl::memory_scope::device);
        sycl::group_barrier(it.get_group());
        if (id == 0) global(a[3]).exchange(local(l[0]).load());
      });
    });
  }
  EXPECT_EQ(data, (std::vector<int>{64, 36, 63, 2016, 128}));
}

TEST(atomic_ref, works_in_local_memory) {
  sycl::queue q;
  sycl::buffer<unsigned> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only);
    sycl::local_accessor<unsigned> count(1, h);
    h.parallel_for(sycl::nd_range<1>(128, 32), [=](sycl::nd_item<1> i) {
      if (i.get_local_id(0) == 0) count[0] = 0;
      sycl::group_barrier(i.get_group());
      sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                       sycl::access::address_space::local_space>(count[0]) += i.get_local_id(0) & 1u;
      sycl::group_barrier(i.get_group());
      if (i.get_local_id(0) == 0) a[i.get_group(0)] = count[0];
    });
  });
  EXPECT_EQ(contents(b), std::vector<unsigned>(4, 16));
}

TEST(atomic_ref, adds_floats) {
  sycl::queue q;
  sycl::buffer<float> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 1.0f); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(512, [=](sycl::id<1>) {
      sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(a[0]).fetch_add(0.5f);
    });
  });
  EXPECT_EQ(contents(b)[0], 257.0f);
}

} // namespace
