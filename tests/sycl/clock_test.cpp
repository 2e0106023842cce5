// The clocks that kernels read (sycl_ext_oneapi_clock).
#include "tests/sycl/common.hpp"

#include <array>

namespace {

using namespace sycl;
namespace exp = ext::oneapi::experimental;
using exp::clock_scope;

constexpr aspect aspect_of(clock_scope scope) {
  return scope == clock_scope::sub_group    ? aspect::ext_oneapi_clock_sub_group
         : scope == clock_scope::work_group ? aspect::ext_oneapi_clock_work_group
                                            : aspect::ext_oneapi_clock_device;
}

template <clock_scope Scope>
struct of_scope {
  static constexpr clock_scope scope = Scope;
};
template <typename Scope>
struct clocks : testing::Test {};
using scopes = testing::Types<of_scope<clock_scope::sub_group>, of_scope<clock_scope::work_group>,
                              of_scope<clock_scope::device>>;
TYPED_TEST_SUITE(clocks, scopes);

#define SKIP_WITHOUT_CLOCK(q)                                                                                \
  if (!(q).get_device().has(aspect_of(TypeParam::scope)))                                                    \
  GTEST_SKIP() << (q).get_device().template get_info<info::device::name>() << " has no such clock"

TYPED_TEST(clocks, increase_while_a_work_item_runs) {
  constexpr clock_scope scope = TypeParam::scope;
  queue q;
  SKIP_WITHOUT_CLOCK(q);
  constexpr std::size_t n = 100;
  buffer<std::uint64_t> begin{range<1>(n)}, end{range<1>(n)};
  q.submit([&](handler& h) {
    accessor b(begin, h, write_only, no_init), e(end, h, write_only, no_init);
    h.parallel_for(range<1>(n), [=](id<1> i) {
      const std::uint64_t first = exp::clock<scope>();
      std::uint64_t last = first;
      for (int k = 0; k < 5000 && last == first; ++k)
        last = exp::clock<scope>(); // some count 40 ns at a time
      b[i] = first;
      e[i] = last;
    });
  });
  const host_accessor b(begin, read_only), e(end, read_only);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_GT(e[i] - b[i], 0u) << i;
    EXPECT_LT(e[i] - b[i], std::uint64_t(1) << 40) << i; // not before it
  }
}

TYPED_TEST(clocks, are_shared_so_that_a_value_read_after_a_barrier_is_not_smaller) {
  constexpr clock_scope scope = TypeParam::scope;
  queue q;
  SKIP_WITHOUT_CLOCK(q);
  constexpr std::size_t size = 64, groups = 8;
  buffer<std::uint64_t> before{range<1>(size * groups)}, after{range<1>(size * groups)};
  q.submit([&](handler& h) {
    accessor b(before, h, write_only, no_init), a(after, h, write_only, no_init);
    h.parallel_for(nd_range<1>(size * groups, size), [=](nd_item<1> item) {
      b[item.get_global_id()] = exp::clock<scope>();
      if constexpr (scope == clock_scope::sub_group) group_barrier(item.get_sub_group());
      else group_barrier(item.get_group());
      a[item.get_global_id()] = exp::clock<scope>();
    });
  });
  const host_accessor b(before, read_only), a(after, read_only);
  const std::size_t shared = scope == clock_scope::sub_group ? 1 : size;
  for (std::size_t i = 0; i < size * groups; ++i)
    for (std::size_t other = i / shared * shared; other < (i / shared + 1) * shared; ++other)
      EXPECT_GE(std::int64_t(a[i] - b[other]), 0) << i << ' ' << other;
}

TYPED_TEST(clocks, are_refused_by_name_where_a_device_has_none) {
  constexpr clock_scope scope = TypeParam::scope;
  queue q;
  const device d = q.get_device();
  const auto listed = d.template get_info<info::device::aspects>();
  EXPECT_EQ(std::count(listed.begin(), listed.end(), aspect_of(scope)), d.has(aspect_of(scope)));
  buffer<std::uint64_t> now{range<1>(1)};
  const auto read = [&] {
    q.submit([&](handler& h) {
      const accessor n(now, h, write_only, no_init);
      h.single_task([=] { n[0] = exp::clock<scope>(); });
    });
    return host_accessor(now, read_only)[0];
  };
  if (d.has(aspect_of(scope))) {
    EXPECT_NE(read(), 0u);
    return;
  }
  try {
    read();
    FAIL() << "ran without a clock";
  } catch (const exception& e) {
    EXPECT_EQ(e.code(), errc::kernel_not_supported);
    EXPECT_NE(
        std::string_view(e.what()).find(scope == clock_scope::sub_group ? "clock_sub_group" : "clock_device"),
        std::string_view::npos)
        << e.what();
  }
}

} // namespace
