// The performance model, with machines whose true times are known (rows 19, 20, 21 and 36 of the feature
// list).
#include "tests/policy/fleet.hpp"

#include <algorithm>
#include <cstdio>
#include <random>

using namespace prism_test;

namespace {

/// A machine that is slower than its roofline, by a different factor for each pattern, with noise.
struct true_machine {
  double overhead, slow;
  std::mt19937 random{9};
  prism::seconds run(const prism::performance_model& m, const std::string& name,
                     const prism::device_description& d, double items) {
    const prism::prediction p = prism::predict(d, m.workload_of(name, items));
    std::normal_distribution<> noise(1, 0.06);
    return prism::seconds((overhead + slow * (p.total - p.launch).count()) * std::max(0.7, noise(random)));
  }
};

prism::performance_model twelve_patterns() {
  prism::performance_model m;
  for (int i = 0; i < 12; ++i) {
    prism::pattern p;
    p.flops = double(1 << i);
    p.bytes = 4.0 * (12 - i);
    p.bytes_to_move = i % 2 != 0 ? 4 : 0;
    m.register_pattern("kernel " + std::to_string(i), p);
  }
  return m;
}

} // namespace

TEST(performance_model, is_the_roofline_before_the_first_run) {
  const auto m = twelve_patterns();
  const auto d = fleet()[1];
  EXPECT_DOUBLE_EQ(m.predict("kernel 5", d, 1e6).total.count(),
                   prism::predict(d, m.workload_of("kernel 5", 1e6)).total.count());
  EXPECT_THROW(m.predict("kernel 99", d, 1), sycl::exception);
}

TEST(performance_model, only_the_first_run_includes_the_build_time) {
  prism::performance_model m;
  prism::pattern what{4000, 8};
  what.builds = 1;
  m.register_pattern("built", what);
  auto d = fleet()[1];
  d.build_ms = 80;
  const auto later = prism::predict(d, m.workload_of("built", 1e6)).total;
  EXPECT_NEAR(m.predict("built", d, 1e6).total.count(), later.count() + 0.08, 1e-9);
  EXPECT_EQ(m.best("built", 1e6, {fleet()[0], d}), 0u) << "80 ms are longer than a run on the processor";
  EXPECT_NEAR(prism::performance_model::from_json(m.to_json()).predict("built", d, 1e6).building.count(),
              0.08, 1e-12);
  m.observe("built", d, 1e6, later);
  EXPECT_NEAR(m.predict("built", d, 1e6).total.count(), later.count(), 1e-9) << "the kernel is built by then";
  EXPECT_EQ(m.best("built", 1e6, {fleet()[0], d}), 1u);
}

TEST(performance_model, observed_runs_reduce_the_error_below_25_percent) {
  auto m = twelve_patterns();
  std::vector<double> errors;
  int covered = 0, count = 0;
  for (const auto& device : {fleet()[0], fleet()[1], fleet()[2]}) {
    true_machine machine{50e-6, 2.7};
    for (const std::string& name : m.patterns()) {
      for (int i = 0; i < 8; ++i) {
        const double items = std::pow(10, 4 + i % 4);
        m.observe(name, device, items, machine.run(m, name, device, items));
      }
      for (const double items : {3e4, 4e5, 2e6, 5e6}) { // sizes that were not measured
        const prism::prediction p = m.predict(name, device, items);
        const prism::seconds measured = machine.run(m, name, device, items);
        errors.push_back(std::abs(p.total / measured - 1));
        covered += p.lower <= measured && measured <= p.upper;
        ++count;
      }
    }
  }
  std::nth_element(errors.begin(), errors.begin() + std::ptrdiff_t(errors.size() / 2), errors.end());
  EXPECT_LE(errors[errors.size() / 2], 0.25);
  EXPECT_GE(double(covered) / count, 0.9);
}

TEST(performance_model, runs_of_other_patterns_calibrate_a_device) {
  auto m = twelve_patterns();
  const auto d = fleet()[1];
  const double before = m.predict("kernel 11", d, 1e7).total.count();
  for (double items : {1e6, 1e7})
    m.observe("kernel 3", d, items, 3 * prism::predict(d, m.workload_of("kernel 3", items)).total);
  EXPECT_NEAR(m.predict("kernel 11", d, 1e7).total.count(), 3 * before, 0.01 * before);
  EXPECT_DOUBLE_EQ(m.predict("kernel 11", d, 1e7, "another driver").total.count(), before)
      << "runs count for one driver only";
}

TEST(performance_model, few_similar_runs_on_an_unsteady_device_keep_a_wide_interval) {
  const auto d = fleet()[1];
  const auto width = [&](double unsteadiness, int calm_rounds) {
    auto m = twelve_patterns();
    std::mt19937 random(4);
    std::uniform_real_distribution<double> off(1 - unsteadiness, 1 + unsteadiness);
    for (const char* other : {"kernel 1", "kernel 2", "kernel 3"})
      for (int round = 0; round < 8; ++round)
        for (const double items : {1e5, 1e6, 1e7})
          m.observe(other, d, items, prism::predict(d, m.workload_of(other, items)).total * off(random));
    for (int round = 0; round < calm_rounds; ++round)
      for (const double items : {1e5, 1e6, 1e7, 1e8})
        m.observe("kernel 11", d, items, prism::predict(d, m.workload_of("kernel 11", items)).total);
    const prism::prediction p = m.predict("kernel 11", d, 3e6);
    return (p.upper - p.lower) / p.total;
  };
  EXPECT_LT(width(0.001, 2), 0.2) << "steady times everywhere";
  EXPECT_GT(width(0.4, 2), 2 * width(0.001, 2));
  EXPECT_LT(width(0.4, 16), width(0.4, 2) / 2) << "many runs of the operation itself count more";
}

TEST(performance_model, predicts_lists_of_hardware_and_counts) {
  auto m = twelve_patterns();
  const auto d = fleet()[1];
  const double one = m.predict("kernel 11", {{d, 1}}, 1e10).total.count();
  EXPECT_NEAR(m.predict("kernel 11", {{d, 4}}, 1e10).total.count(), one / 4, 0.05 * one);
  EXPECT_LT(m.predict("kernel 11", {{d, 4}, {fleet()[0], 2}}, 1e10).total.count(),
            m.predict("kernel 11", {{d, 4}}, 1e10).total.count());
}

TEST(performance_tiers, follow_the_runs) {
  auto m = twelve_patterns();
  const auto devices = fleet();
  const auto tiers = m.tiers("kernel 10", devices, 10, 1e8);
  ASSERT_EQ(tiers.size(), 2u);
  EXPECT_EQ(devices[tiers[0].device].name, "workstation");
  EXPECT_EQ(devices[tiers[1].device].name, "cloud gpu");
  EXPECT_NE(m.best("kernel 10", tiers[1].from_items * 0.97, devices),
            m.best("kernel 10", tiers[1].from_items * 1.03, devices))
      << "break-even";
  for (double items : {1e3, 1e5, 1e7})
    m.observe("kernel 10", devices[1], items, prism::seconds(1 + items)); // it is slow in fact
  const auto learned = m.tiers("kernel 10", devices, 10, 1e8);
  EXPECT_EQ(devices[learned.front().device].name, "workstation");
  EXPECT_EQ(devices[learned.back().device].name, "tensor unit");
  for (const prism::tier& t : learned) EXPECT_NE(devices[t.device].name, "cloud gpu");
}

TEST(measured_matrix, survives_the_file_and_flips_the_choice) {
  auto m = twelve_patterns();
  const auto devices = fleet();
  EXPECT_EQ(m.best("kernel 10", 1e8, devices), 1u);
  for (double items : {1e6, 1e8}) m.observe("kernel 10", devices[1], items, prism::seconds(items));
  const std::string file = testing::TempDir() + "prism-model.json";
  m.save(file);
  const auto back = prism::performance_model::load(file);
  std::remove(file.c_str());
  EXPECT_EQ(back.to_json(), m.to_json());
  EXPECT_NE(back.best("kernel 10", 1e8, devices), 1u);
  EXPECT_EQ(back.observed("kernel 10", devices[1]), 2u);
  EXPECT_EQ(back.observed("kernel 10", devices[1], "new driver"), 0u) << "stale entries do not count";
  for (const char* wrong : {"", "{", "{\"schema\": 7}", "{\"schema\":1,\"patterns\":[{}],\"runs\":[]}", "[1]",
                            "{\"schema\":1,\"patterns\":[],\"runs\":[{\"pattern\":3}]}"})
    EXPECT_THROW(prism::performance_model::from_json(wrong), sycl::exception) << wrong;
  EXPECT_THROW(prism::performance_model::load("/no/such/file"), sycl::exception);
}

TEST(measured_thresholds, follow_the_measured_runs) {
  auto m = twelve_patterns();
  const std::vector<prism::device_description> devices = {fleet()[1], fleet()[0]};
  for (const double items : {1e3, 1e4, 1e5, 1e6, 1e7}) {
    m.observe("kernel 3", devices[0], items, prism::seconds(1e-6 + items * 1e-8));
    m.observe("kernel 3", devices[1], items, prism::seconds(1e-3 + items * 1e-9));
  }
  const auto tiers = m.tiers("kernel 3", devices, 1e3, 1e8);
  ASSERT_EQ(tiers.size(), 2u);
  EXPECT_EQ(tiers[0].device, 0u);
  EXPECT_EQ(tiers[1].device, 1u);
  EXPECT_NEAR(tiers[1].from_items, 1e-3 / 9e-9, 0.1 * 1e-3 / 9e-9) << "independent of the descriptions";
}

TEST(measured_thresholds, take_the_first_name_of_equal_devices) {
  auto m = twelve_patterns();
  auto a = fleet()[1], b = fleet()[1];
  a.name = "gpu a", b.name = "gpu b";
  EXPECT_EQ(m.best("kernel 3", 1e6, {a, b}), 0u);
  EXPECT_EQ(m.best("kernel 3", 1e6, {b, a}), 1u);
}

TEST(measured_thresholds, reject_impossible_values) {
  auto m = twelve_patterns();
  EXPECT_THROW(m.observe("kernel 1", fleet()[0], 0, prism::seconds(1)), sycl::exception);
  EXPECT_THROW(m.observe("kernel 1", fleet()[0], 1, prism::seconds(-1)), sycl::exception);
  EXPECT_THROW(m.tiers("kernel 1", fleet(), 10, 1), sycl::exception);
  prism::pattern bad;
  bad.flops = -1;
  EXPECT_THROW(m.register_pattern("bad", bad), sycl::exception);
}
