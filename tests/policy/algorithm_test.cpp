// Operations whose variants are selected by measurements: with a
// prepared database, without any device.
#include "tests/wait.hpp"

#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace {

class algorithm_choice : public testing::Test {
protected:
  algorithm_choice()
      : m_file(testing::TempDir() + "prism_algorithm_" + std::to_string(getpid())),
        database(std::make_shared<prism::tuning_database>(m_file)) {
    gpu.name = "gpu one";
    gpu.device_type = "gpu";
    gpu.backend = "opencl";
    gpu.peak_gflops = {{"fp32", 1000}};
    gpu.memory_hierarchy = {{"global", std::uint64_t(1) << 33, 100}};
    cpu = gpu;
    cpu.name = "cpu one";
    cpu.device_type = "cpu";
    cpu.backend = "host";
    sum.add("library", [](sycl::queue&) { return 1; }, {"opencl"})
        .add("own", [](sycl::queue&) { return 2; }, {}, {}, 2)
        .fallback("serial", [](sycl::queue&) { return 3; });
    sum.use(database);
  }
  ~algorithm_choice() override {
    database.reset();
    for (const char* part : {"", "-wal", "-shm"}) std::remove((m_file + part).c_str());
  }
  prism::tuning_key key(const prism::device_description& d, double items) {
    return {"sum", d.name, "driver 1", "1", prism::size_class(items)};
  }
  void measured(const prism::device_description& d, const char* variant, double items, double seconds,
                bool correct = true) {
    database->record(key(d, items),
                     {prism::configuration{{"variant", std::string(variant)}, {"items", items}},
                      prism::seconds(seconds), correct, "", false});
  }
  std::string chosen(const prism::device_description& d, double items) {
    prism::workload w;
    w.items = items;
    w.flops = items;
    w.bytes = 4 * items;
    return sum.name_of(sum.choose(d, key(d, items), w));
  }

  std::string m_file;
  std::shared_ptr<prism::tuning_database> database;
  prism::device_description gpu, cpu;
  prism::algorithm<int(sycl::queue&)> sum{"sum"};
};
using performance_tiers = algorithm_choice;
using operation_choice = algorithm_choice;

} // namespace

TEST_F(algorithm_choice, models_decide_where_nothing_was_measured) {
  EXPECT_EQ(chosen(gpu, 1e6), "own") << "the model predicts twice the speed";
  EXPECT_EQ(chosen(cpu, 1e6), "own") << "the library supports OpenCL only";
}

TEST_F(algorithm_choice, the_choice_follows_later_trials_of_any_process) {
  measured(gpu, "library", 1e6, 1e-3);
  EXPECT_EQ(chosen(gpu, 1e6), "library");
  measured(gpu, "own", 1e6, 5e-4); // a new measurement invalidates cached choices immediately
  EXPECT_EQ(chosen(gpu, 1e6), "own");
  prism::tuning_database other(m_file); // a connection of its own, like that of another process
  other.record(key(gpu, 1e6), {prism::configuration{{"variant", std::string("library")}, {"items", 1e6}},
                               prism::seconds(1e-4), true, "", false});
  EXPECT_TRUE(prism_test::eventually([&] { return chosen(gpu, 1e6) == "library"; }));
  EXPECT_EQ(chosen(cpu, 1e6), "own") << "there is no measurement of another device";
}

TEST_F(algorithm_choice, the_choice_changes_with_the_database_and_the_device) {
  measured(gpu, "library", 1e6, 1e-3);
  measured(gpu, "own", 1e6, 2e-3);
  EXPECT_EQ(chosen(gpu, 1e6), "library");
  EXPECT_EQ(chosen(cpu, 1e6), "own") << "there is no measurement of another device";
  measured(gpu, "own", 1e6, 0.5e-3); // a faster kernel, measured again
  EXPECT_EQ(chosen(gpu, 1e6), "own");
  measured(gpu, "serial", 1e6, 0.1e-3);
  EXPECT_EQ(chosen(gpu, 1e6), "serial") << "a measured fallback is a variant like others";
}

TEST_F(algorithm_choice, wrong_results_and_other_drivers_do_not_count) {
  measured(gpu, "library", 1e6, 1e-9, false);
  measured(gpu, "own", 1e6, 2e-3);
  EXPECT_EQ(chosen(gpu, 1e6), "own");
  prism::tuning_key other = key(gpu, 1e6);
  other.driver = "driver 2";
  EXPECT_TRUE(prism::measured_variants(*database, other, 1e6).empty()) << "stale";
}

TEST_F(operation_choice, library_and_own_kernel_are_chosen_by_measurement_at_each_size) {
  measured(gpu, "own", 1 << 10, 1e-6);
  measured(gpu, "library", 1 << 10, 9e-6);
  measured(gpu, "own", 1 << 20, 9e-4);
  measured(gpu, "library", 1 << 20, 2e-4);
  EXPECT_EQ(chosen(gpu, 1500), "own");
  EXPECT_EQ(chosen(gpu, 1 << 12), "own") << "the nearest measured size class";
  EXPECT_EQ(chosen(gpu, 1 << 19), "library");
  EXPECT_EQ(chosen(gpu, 1e12), "own") << "too far from any measurement: the model";
  const auto choice = sum.choose(gpu, key(gpu, 1 << 21), [] {
    prism::workload w;
    w.items = 1 << 21;
    return w;
  }());
  EXPECT_NEAR(choice.predicted.count(), 4e-4, 1e-9) << "scaled to the size";
  EXPECT_NE(choice.explain().find("=> library: "), std::string::npos) << choice.explain();
  EXPECT_NE(choice.explain().find("serial: not measured"), std::string::npos) << choice.explain();
}

TEST_F(performance_tiers, thresholds_come_from_the_database) {
  measured(gpu, "own", 1 << 10, 1e-6);
  measured(gpu, "library", 1 << 10, 9e-6);
  measured(gpu, "own", 1 << 14, 1e-5);
  measured(gpu, "library", 1 << 14, 2e-5);
  measured(gpu, "own", 1 << 18, 9e-4);
  measured(gpu, "library", 1 << 18, 2e-4);
  const std::vector<prism::variant_tier> expected{{1024, "own"}, {262144, "library"}};
  EXPECT_EQ(prism::variant_tiers(*database, key(gpu, 1)), expected);
  EXPECT_TRUE(prism::variant_tiers(*database, key(cpu, 1)).empty());
}

TEST(measured_matrix, has_trials_of_present_devices_and_no_stale_ones) {
  const std::string file = testing::TempDir() + "prism_matrix_" + std::to_string(getpid());
  {
    auto database = std::make_shared<prism::tuning_database>(file);
    sycl::queue q{prism::by_name("host").device()};
    prism::algorithm<void(sycl::queue&, int*, int)> fill("fill");
    fill.add("once", [](sycl::queue& q, int* p, int n) { q.fill(p, 7, static_cast<std::size_t>(n)); });
    fill.add("wrong", [](sycl::queue& q, int* p, int n) { q.fill(p, 8, static_cast<std::size_t>(n)); });
    fill.add("throws", [](sycl::queue&, int*, int) { throw std::runtime_error("not today"); });
    fill.use(database);
    int* p = sycl::malloc_shared<int>(1000, q);
    prism::workload w;
    w.items = 1000;
    const auto trials = fill.measure(q, w, [&] { return p[999] == 7; }, p, 1000);
    ASSERT_EQ(trials.size(), 3u);
    EXPECT_TRUE(trials[0].correct);
    EXPECT_FALSE(trials[1].correct);
    EXPECT_EQ(trials[2].failure, "not today");
    EXPECT_EQ(fill.name_of(fill.choose(q.get_device(), w)), "once");
    prism::tuning_key stale = prism::key_for("fill", q.get_device(), "1", 1000);
    stale.driver = "an older one";
    database->record(stale, trials[0]);
    const auto matrix = prism::operation_matrix(*database, sycl::device::get_devices());
    ASSERT_EQ(matrix.size(), 1u);
    EXPECT_EQ(matrix[0].key, prism::key_for("fill", q.get_device(), "1", 1000));
    EXPECT_EQ(matrix[0].best.tried.text("variant"), "once");
    sycl::free(p, q);
  }
  for (const char* part : {"", "-wal", "-shm"}) std::remove((file + part).c_str());
}

TEST_F(algorithm_choice, the_device_is_selected_by_measurements) {
  prism::workload w;
  w.items = w.flops = 1e6;
  w.bytes = 4e6;
  const auto fastest = [&] { return sum.fastest({{gpu, key(gpu, 1e6)}, {cpu, key(cpu, 1e6)}}, w); };
  EXPECT_EQ(fastest(), 0u) << "the models predict the same: the first device";
  measured(cpu, "own", 1e6, 1e-3);
  EXPECT_EQ(fastest(), 1u) << "there is no measurement of the other device";
  measured(gpu, "library", 1e6, 0.5e-3);
  EXPECT_EQ(fastest(), 0u);
  measured(cpu, "serial", 1e6, 0.1e-3);
  EXPECT_EQ(fastest(), 1u);
  EXPECT_EQ(sum.fastest(std::vector<std::pair<prism::device_description, prism::tuning_key>>{}, w),
            prism::variant_choice::none);
}
