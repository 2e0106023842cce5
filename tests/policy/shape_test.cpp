// The example that the documentation promises: the block between the two rules is the one of the issue that
// asked for selection. It must compile and run verbatim.
#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <sstream>

class my_kernel;

namespace {

/// The kernel my_kernel: the block asks for the compiler's counts of it.
void run_my_kernel(sycl::queue q, float* data) {
  q.parallel_for<my_kernel>(sycl::range<1>(64), [=](sycl::id<1> i) { data[i] = data[i] * 2 + 1; }).wait();
}

struct shape {
  prism::selection s;
  std::vector<prism::device_description> fleet, here;
  sycl::device device;
  bool two;
  prism::workload k;
};

// clang-format off
shape run_the_shape() {
// ---------------------------------------------------------------------------------------------------------------------
for (const prism::backend_info& b : prism::backends())         // name, display_name, version, priority, available, reason
  std::cout << b.name << ' ' << b.available << ' ' << b.reason << '\n';
std::vector<prism::device_description> fleet = prism::load_devices("fleet.yaml");
prism::execution_policy cheap;
cheap.priority = prism::priority::cost;                        // speed, latency, throughput, cost, energy
cheap.max_latency = std::chrono::milliseconds(500);            // each constraint is a std::optional
cheap.max_cost_per_hour = 10.0;
cheap.require = {"fp64"};
prism::workload w; w.operation = "smith-waterman"; w.flops = 4.5e9; w.bytes = 1e9; w.bytes_to_move = 1e8; w.items = 1e6;
prism::selection s = prism::select(cheap, w, fleet);           // prism::no_candidate (a sycl::exception) when nothing fits
std::cout << s.device().name << ' ' << s.predicted_time().count() << " s\n" << s.explain();
std::vector<prism::device_description> here = prism::describe(sycl::device::get_devices());
sycl::queue q{prism::selector(cheap, w)};                      // a policy is a SYCL device selector
bool two = prism::capabilities(q.get_device()).has_feature("subgroups", 2);
{ prism::scoped_policy scope(cheap); sycl::queue r; }          // the default device inside the scope; scoped_device, set_default likewise
prism::workload k = prism::workload_of<my_kernel>(sycl::range<1>(1 << 20));  // from the compiler's own counts
// ---------------------------------------------------------------------------------------------------------------------
  return {s, fleet, here, q.get_device(), two, k};
}
// clang-format on

} // namespace

TEST(documented_example, compiles_verbatim_and_explains_its_choice) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(PRISM_SOURCE "/samples/fleet");
  std::ostringstream printed;
  std::streambuf* const usual = std::cout.rdbuf(printed.rdbuf());
  std::optional<shape> done;
  try {
    done = run_the_shape();
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  std::cout.rdbuf(usual);
  std::filesystem::current_path(before);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->s.device().name, "EPYC 9654");
  EXPECT_EQ(done->fleet.size(), 7u);
  EXPECT_NE(printed.str().find("host 1 "), std::string::npos) << printed.str();
  EXPECT_NE(printed.str().find(
                "EPYC 9654 0.00217314 s\npolicy: priority=cost; max_latency=0.5s; max_cost_per_hour=10; "
                "require=fp64\n"),
            std::string::npos)
      << printed.str();
  for (const prism::device_description& d : done->fleet)
    EXPECT_NE(printed.str().find(d.name), std::string::npos) << printed.str();
  EXPECT_EQ(done->here.size(), sycl::device::get_devices().size());
  EXPECT_TRUE(done->device.has(sycl::aspect::fp64)) << "the policy requires it";
  EXPECT_EQ(done->two, prism::capabilities(done->device).meets("subgroups>=2"));
  EXPECT_EQ(done->k.items, 1 << 20);
  EXPECT_NEAR(done->k.flops, 2.0 * (1 << 20), 0.1 * (1 << 20));
  EXPECT_NEAR(done->k.bytes, 8.0 * (1 << 20), 0.8 * (1 << 20));
  std::vector<float> data(64, 1.0f);
  sycl::queue q{prism::by_name("host")};
  float* shared = sycl::malloc_shared<float>(64, q);
  q.copy(data.data(), shared, 64).wait();
  run_my_kernel(q, shared);
  EXPECT_EQ(shared[63], 3.0f);
  sycl::free(shared, q);
}
