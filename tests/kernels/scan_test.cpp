// Reduction and prefix sums, compared with the standard library.
#include "tests/sycl/common.hpp"

#include <prism/kernels/scan.hpp>

namespace {

using prism_test::error_of;

std::vector<int> numbers(std::size_t n) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = int(i * 2654435761u % 1000) - 300;
  return v;
}

class scan : public testing::TestWithParam<std::size_t> {};

TEST_P(scan, inclusive_is_partial_sum) {
  std::vector<int> in = numbers(GetParam()), out(in.size()), expected(in.size());
  std::partial_sum(in.begin(), in.end(), expected.begin());
  {
    sycl::queue queue;
    sycl::buffer<int> from(in), to(out.data(), sycl::range<1>(out.size()));
    prism::kernels::inclusive_scan(queue, from, to);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(scan, exclusive_is_shifted) {
  std::vector<int> in = numbers(GetParam()), out(in.size()), expected(in.size());
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0);
  {
    sycl::queue queue;
    sycl::buffer<int> from(in), to(out.data(), sycl::range<1>(out.size()));
    prism::kernels::exclusive_scan(queue, from, to);
  }
  EXPECT_EQ(out, expected);
}

// One element; less than, equal to and more than one group; two and three levels.
INSTANTIATE_TEST_SUITE_P(sizes, scan, testing::Values(1, 255, 256, 257, 10000, 70000));

TEST(sums, reduce_adds_all) {
  for (const std::size_t n : {1, 300, 100000}) {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = float(i % 8); // exact in float in any order
    sycl::queue queue;
    sycl::buffer<float> in(x), sum(sycl::range<1>(1));
    prism::kernels::reduce(queue, in, sum);
    EXPECT_EQ(sycl::host_accessor(sum)[0], std::accumulate(x.begin(), x.end(), 0.0f)) << n;
  }
}

TEST(sums, bad_sizes_are_refused) {
  sycl::queue queue;
  sycl::buffer<int> three(sycl::range<1>(3)), four(sycl::range<1>(4));
  EXPECT_EQ(error_of([&] { prism::kernels::inclusive_scan(queue, three, four); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { prism::kernels::inclusive_scan(queue, three, three); }), sycl::errc::invalid);
}

} // namespace
