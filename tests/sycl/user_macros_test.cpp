// Programs with macros named like PRISM's template parameters: code that was parsed under them runs.
#include "tests/sycl/user_macros.hpp"

#include "tests/sycl/common.hpp"

TEST(user_macros, do_not_reach_the_headers) {
  sycl::queue q;
  std::vector<int> found(64);
  int sum = 0;
  {
    sycl::buffer<int> out(found.data(), found.size());
    sycl::buffer<int> total(&sum, 1);
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(64, 16), sycl::reduction(total, h, sycl::plus<>()),
                     [=](sycl::nd_item<1> it, auto& add) {
        const int i = static_cast<int>(it.get_global_id(0));
        const sycl::vec<int, 4> four(i, 2 * i, 3 * i, 4 * i);
        to[it.get_global_id()] = sycl::max(four.w(), four.lo().y()) + sycl::select(0, 1, i % 2 == 0);
        add += sycl::reduce_over_group(it.get_group(), i, sycl::plus<>()) / 16;
      });
    });
  }
  q.wait_and_throw();
  int expected = 0;
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)], 4 * i + (i % 2 == 0)) << i;
    const int first = i / 16 * 16;
    expected += (16 * first + 120) / 16;
  }
  EXPECT_EQ(sum, expected);
}
