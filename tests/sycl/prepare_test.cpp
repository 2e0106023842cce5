// prism::prepare: kernels built in the background before they are launched.
#include "tests/sycl/common.hpp"

#include <prism/prepare.hpp>

#include <algorithm>
#include <thread>

using prism_test::counted;

namespace {

template <int Number>
class scaled;

template <int Number>
void scale(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for<scaled<Number>>(100, [=](sycl::id<1> i) { a[i] = a[i] * Number + 1; });
  });
}

void scale_by_all(sycl::queue& q, sycl::buffer<int>& b) {
  scale<2>(q, b);
  scale<3>(q, b);
  scale<4>(q, b);
}

int expected(int i) { return ((i * 2 + 1) * 3 + 1) * 4 + 1; }

void expect_scaled(sycl::buffer<int>& b) {
  const sycl::host_accessor a(b, sycl::read_only);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a[std::size_t(i)], expected(i));
}

class with_doubles;
void launch_with_doubles(sycl::queue& q, double* to) {
  q.single_task<with_doubles>([=] { *to = *to * 1.5; });
}
void (*volatile launches_with_doubles)(sycl::queue&,
                                       double*) = &launch_with_doubles; // otherwise it would not be compiled

TEST(prepare, named_kernels_are_built_after_a_wait) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  sycl::queue q;
  const prism::preparation p =
      prism::prepare(q.get_device(), {sycl::get_kernel_id<scaled<2>>(), sycl::get_kernel_id<scaled<3>>()});
  EXPECT_EQ(p.kernels(), 2u);
  p.wait();
  EXPECT_EQ(p.done(), 2u);
  EXPECT_EQ(p.failures(), std::vector<std::string>());
  const std::vector<int> data = counted(100);
  sycl::buffer<int> b(data);
  scale_by_all(q, b);
  expect_scaled(b);
}

TEST(prepare, without_names_builds_all_kernels_of_the_device) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  const sycl::device d;
  const std::vector<sycl::kernel_id> all = sycl::get_kernel_ids();
  const auto can = std::count_if(all.begin(), all.end(),
                                 [&](const sycl::kernel_id& k) { return sycl::is_compatible({k}, d); });
  const prism::preparation p = prism::prepare(d);
  p.wait();
  EXPECT_GE(p.kernels(), 3u);
  EXPECT_LE(p.kernels(), std::size_t(can)) << "the host device runs kernels that need no build";
  EXPECT_EQ(p.done(), p.kernels());
}

TEST(prepare, an_unsupported_kernel_is_refused_only_if_it_is_named) {
  SKIP_UNLESS_COMPILED("how to build kernels");
  const sycl::device d;
  if (d.has(sycl::aspect::fp64)) GTEST_SKIP() << prism_test::name_of(d) << " has fp64";
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { prism::prepare(d, {sycl::get_kernel_id<with_doubles>()}); }, &text),
            sycl::errc::kernel_not_supported);
  EXPECT_NE(text.find("with_doubles"), std::string::npos) << text;
  prism::prepare(d).wait();
}

TEST(prepare, works_while_threads_launch_the_same_kernels) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      sycl::queue q;
      const prism::preparation p = prism::prepare(q.get_device());
      const std::vector<int> data = counted(100);
      sycl::buffer<int> b(data);
      scale_by_all(q, b);
      expect_scaled(b);
      EXPECT_LE(p.done(), p.kernels());
    });
  for (std::thread& t : threads) t.join();
}

TEST(prepare, of_no_kernels_completes_immediately) {
  const prism::preparation p = prism::prepare(sycl::device(), {});
  p.wait();
  EXPECT_EQ(p.kernels(), 0u);
}

} // namespace
