// prism::profile: sums by kernel and device of the launches during its lifetime.
#include "tests/sycl/common.hpp"

#include <prism/graph.hpp>
#include <prism/prism.hpp>

#include <algorithm>

class profiled_axpy;
class profiled_other;

namespace {

constexpr std::size_t n = 4096;

void axpy(sycl::queue& q, sycl::buffer<float>& x, sycl::buffer<float>& y, int times) {
  for (int k = 0; k < times; ++k)
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(x, h, sycl::read_only);
      sycl::accessor to(y, h, sycl::read_write);
      h.parallel_for<profiled_axpy>(n, [=](sycl::id<1> i) { to[i] = 3.f * from[i] + to[i]; });
    });
}

const prism::kernel_profile* find(const std::vector<prism::kernel_profile>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const prism::kernel_profile& k) { return k.kernel == name; });
  return found == all.end() ? nullptr : &*found;
}

class profiles : public ::testing::Test {
protected:
  std::vector<float> m_ones = std::vector<float>(n, 1.f);
  sycl::buffer<float> m_x{m_ones.data(), sycl::range<1>(n)}, m_y{sycl::range<1>(n)};
  void SetUp() override {
    const sycl::host_accessor y(m_y, sycl::write_only);
    for (std::size_t i = 0; i < n; ++i) y[i] = 0;
  }
};

TEST_F(profiles, sum_the_launches_of_each_kernel) {
  const prism::profile profile;
  sycl::queue q;
  axpy(q, m_x, m_y, 7);
  q.parallel_for<profiled_other>(sycl::range<1>(8), [=](sycl::id<1>) {});
  q.wait();
  const auto all = profile.kernels();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_GE(all[0].total, all[1].total);
  const prism::kernel_profile* k = find(all, "profiled_axpy");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->calls, 7u);
  EXPECT_EQ(k->device, q.get_device());
  if (!q.get_device().has(sycl::aspect::queue_profiling)) return;
  if (k->timed == 0) {
    EXPECT_NE(profile.text().find("not timed"), std::string::npos);
    GTEST_SKIP() << q.get_device().get_info<sycl::info::device::driver_version>() << " of "
                 << q.get_device().get_info<sycl::info::device::name>() << " reports no times of commands";
  }
  EXPECT_EQ(k->timed, 7u);
  EXPECT_GT(k->total.count(), 0);
  EXPECT_LE(k->shortest, k->longest);
  EXPECT_LE(k->longest, k->total);
  EXPECT_LE(k->total, k->longest * 7.001);
#ifdef PRISM_TEST_COMPILED
  EXPECT_EQ(k->flops, 7. * 2 * n);
  EXPECT_EQ(k->bytes, 7. * 12 * n);
  ASSERT_TRUE(k->share_of_peak);
  EXPECT_GT(*k->share_of_peak, 0);
#endif
}

TEST_F(profiles, time_each_kernel_of_a_graph) {
  for (const bool fused : {false, true}) {
    sycl::queue recorded;
    prism::command_graph graph(recorded);
    graph.begin_recording(recorded);
    axpy(recorded, m_x, m_y, 2);
    graph.end_recording();
    auto ready = fused ? graph.finalize(prism::property::graph::perform_fusion()) : graph.finalize();
    const prism::profile profile;
    sycl::queue q;
    for (int run = 0; run < 3; ++run) prism::execute_graph(q, ready);
    q.wait();
    const bool one_launch = ready.describe().find("2 kernels fused") != std::string::npos;
    const auto all = profile.kernels();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].calls, one_launch ? 3u : 6u) << ready.describe();
    EXPECT_NE(all[0].kernel.find("profiled_axpy"), std::string::npos) << all[0].kernel;
    if (all[0].timed) EXPECT_GT(all[0].total.count(), 0);
  }
  const sycl::host_accessor y(m_y, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(y[i], 36.f); // 2 graphs, 3 runs, 2 kernels, 3 each
}

TEST_F(profiles, count_launches_of_older_queues_without_timing_them) {
  sycl::queue before;
  before.wait();
  const prism::profile profile;
  axpy(before, m_x, m_y, 3);
  before.wait();
  const auto all = profile.kernels();
  const prism::kernel_profile* k = find(all, "profiled_axpy");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->calls, 3u);
  if (k->timed == 0)
    EXPECT_NE(profile.text().find("not timed"),
              std::string::npos); // otherwise the queue measured for another reason
}

TEST_F(profiles, that_overlap_share_their_sums) {
  {
    const prism::profile first;
    sycl::queue q;
    axpy(q, m_x, m_y, 2);
    q.wait();
    const prism::profile second;
    axpy(q, m_x, m_y, 2);
    q.wait();
    EXPECT_EQ(find(second.kernels(), "profiled_axpy")->calls, 4u);
  }
  sycl::queue q;
  axpy(q, m_x, m_y, 2); // no profile is active
  q.wait();
  const prism::profile third;
  EXPECT_TRUE(third.kernels().empty());
}

TEST_F(profiles, print_as_a_table) {
  const prism::profile profile;
  sycl::queue q;
  axpy(q, m_x, m_y, 1);
  q.wait();
  const std::string text = profile.text();
  EXPECT_NE(text.find("profiled_axpy"), std::string::npos) << text;
  EXPECT_NE(text.find(q.get_device().get_info<sycl::info::device::name>()), std::string::npos) << text;
}

} // namespace
