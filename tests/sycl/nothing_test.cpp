// Sizes of zero are valid: such commands run nothing, are ordered like others, and complete.
#include "tests/sycl/common.hpp"

using prism_test::counted;
using prism_test::error_of;

namespace {

/// The contents of `b` after `group` ran.
template <typename Group>
std::vector<int> after(const std::vector<int>& start, Group group) {
  sycl::queue q;
  std::vector<int> data = start;
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) { group(h, b); }).wait_and_throw();
  }
  return data;
}

TEST(nothing, in_any_dimension_of_a_range_runs_no_item) {
  const auto none = [](auto range) {
    return after(counted(4), [=](sycl::handler& h, sycl::buffer<int>& b) {
      sycl::accessor a(b, h);
      h.parallel_for(range, [=](auto) { a[0] = -1; });
    });
  };
  EXPECT_EQ(none(sycl::range<1>(0)), counted(4));
  EXPECT_EQ(none(sycl::range<2>(0, 5)), counted(4));
  EXPECT_EQ(none(sycl::range<2>(5, 0)), counted(4));
  EXPECT_EQ(none(sycl::range<3>(4, 0, 2)), counted(4));
  EXPECT_EQ(none(sycl::nd_range<1>(0, 4)), counted(4));
  EXPECT_EQ(none(sycl::nd_range<3>({2, 0, 4}, {1, 1, 4})), counted(4));
}

TEST(nothing, is_ordered_between_commands) {
  sycl::queue q{sycl::property::queue::in_order()};
  auto data = counted(1);
  {
    sycl::buffer<int> b(data);
    const auto set = [&](int value, std::size_t items) {
      return q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h);
        h.parallel_for(items, [=](sycl::id<1>) { a[0] = 10 * a[0] + value; });
      });
    };
    set(1, 1);
    const sycl::event nothing = set(9, 0);
    q.submit([&](sycl::handler& h) {
      h.depends_on(nothing);
      sycl::accessor a(b, h);
      h.single_task([=] { a[0] = 10 * a[0] + 2; });
    });
  }
  EXPECT_EQ(data[0], 12);
}

TEST(nothing, may_be_reduced) {
  sycl::queue q;
  int sum = 5;
  {
    sycl::buffer<int> b(&sum, 1);
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(0), sycl::reduction(b, h, sycl::plus<int>()),
                     [=](sycl::id<1>, auto& r) { r += 1; });
    });
  }
  EXPECT_EQ(sum, 5);
}

TEST(nothing, may_be_copied_filled_and_accessed_on_buffers) {
  sycl::queue q;
  sycl::buffer<int> empty{sycl::range<1>(0)};
  std::vector<int> out = counted(3);
  q.submit([&](sycl::handler& h) { h.copy(sycl::accessor(empty, h, sycl::read_only), out.data()); });
  q.submit([&](sycl::handler& h) { h.copy(out.data(), sycl::accessor(empty, h, sycl::write_only)); });
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(empty, h, sycl::write_only), 3); });
  q.submit([&](sycl::handler& h) { h.update_host(sycl::accessor(empty, h, sycl::read_only)); });
  q.wait_and_throw();
  EXPECT_EQ(out, counted(3));
  sycl::host_accessor a(empty);
  EXPECT_EQ(a.size(), 0u);
  EXPECT_EQ(a.begin(), a.end());
}

TEST(nothing, of_a_buffer_with_elements_may_be_accessed) {
  EXPECT_EQ(after(counted(4),
                  [](sycl::handler& h, sycl::buffer<int>& b) {
    sycl::accessor a(b, h, sycl::range<1>(0), sycl::id<1>(2));
    h.single_task([=] {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = -1;
    });
  }),
            counted(4));
  EXPECT_EQ(after(counted(4),
                  [](sycl::handler& h, sycl::buffer<int>& b) {
    h.fill(sycl::accessor(b, h, sycl::range<1>(0), sycl::id<1>(4), sycl::write_only), 7);
  }),
            counted(4));
}

TEST(nothing, of_local_memory_may_be_requested) {
  EXPECT_EQ(after(counted(4),
                  [](sycl::handler& h, sycl::buffer<int>& b) {
    sycl::accessor a(b, h);
    sycl::local_accessor<int> l(0, h);
    h.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> i) {
      if (l.size() != 0) l[0] = 1;
      a[i.get_global_id(0)] += int(l.size());
    });
  }),
            counted(4));
}

TEST(nothing, of_usm_is_freed_copied_filled_and_prefetched) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* none = sycl::malloc_device<int>(0, q);
  int* some = sycl::malloc_device<int>(4, q);
  std::vector<int> host = counted(4);
  q.copy(host.data(), some, 4).wait();
  q.memcpy(some, host.data(), 0);
  q.memset(some, 1, 0);
  q.fill(some, 9, 0);
  q.copy(some, host.data(), 0);
  q.prefetch(some, 0);
  q.wait_and_throw();
  q.copy(some, host.data(), 4).wait();
  EXPECT_EQ(host, counted(4));
  sycl::free(none, q);
  sycl::free(some, q);
}

} // namespace
