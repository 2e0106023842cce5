// The registered operations on every device: each variant computes the right result, measurements select the
// variant, and tuned parameters are used.
#include "kernels/trials/glsl_gemm.hpp"
#include "kernels/trials/measure.hpp"
#include "kernels/trials/trial.hpp"
#include "tests/wait.hpp"

#include <cctype>
#include <prism/blas.hpp>
#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace pt = prism::trials;

/// Sets PRISM_CACHE_DIR to a new folder, which is removed at the end.
class own_cache_folder {
public:
  own_cache_folder() : m_folder(testing::TempDir() + "prism_measured_" + std::to_string(getpid())) {
    if (const char* before = std::getenv("PRISM_CACHE_DIR")) m_before = before;
    setenv("PRISM_CACHE_DIR", m_folder.c_str(), 1);
  }
  ~own_cache_folder() {
    m_before ? setenv("PRISM_CACHE_DIR", m_before->c_str(), 1) : unsetenv("PRISM_CACHE_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }
  own_cache_folder(const own_cache_folder&) = delete;
  std::filesystem::path measured() const { return std::filesystem::path(m_folder) / "measured"; }

private:
  const std::string m_folder;
  std::optional<std::string> m_before;
};

std::vector<sycl::queue> queues() {
  std::vector<sycl::queue> out;
  for (const sycl::device& d : sycl::device::get_devices())
    if (prism::describe(d).backend != "record") out.emplace_back(d);
  return out;
}

class with_database : public testing::Test {
protected:
  with_database()
      : database(std::make_shared<prism::tuning_database>(m_file)), all(pt::make_operations(database)) {}
  ~with_database() override {
    all = {};
    database.reset();
    for (const char* part : {"", "-wal", "-shm"}) std::remove((m_file + part).c_str());
  }
  std::string m_file = testing::TempDir() + "prism_operations_" + std::to_string(getpid());
  std::shared_ptr<prism::tuning_database> database;
  pt::operations all;
};
using native_language_variants = with_database;
using operation_families = with_database;
using library_or_own_kernel = with_database;
using measured_matrix = with_database;
using tuned_parameters = with_database;

std::size_t small_size(const std::string& operation) {
  return operation == "gemm" || operation == "gemm double" ? 40
         : operation == "smith-waterman"                   ? 1
         : operation == "fft"                              ? 120
                                                           : 1000;
}

void store(prism::tuning_database& database, const std::string& operation, const sycl::device& device,
           double items, const char* variant, double seconds) {
  database.record(prism::key_for(operation, device, prism::blas::measured_version, items),
                  {prism::configuration{{"variant", std::string(variant)}, {"items", items}},
                   prism::seconds(seconds), true, "", false});
}

} // namespace

TEST_F(operation_families, give_the_right_result_by_every_variant_on_every_device) {
  for (sycl::queue& q : queues())
    for (const std::string& operation : pt::trial_operations()) {
      if (!pt::runs_trials_of(q.get_device(), operation)) continue;
      SCOPED_TRACE(operation + " on " + q.get_device().get_info<sycl::info::device::name>());
      const auto job = pt::make_trial_job(operation, q, small_size(operation));
      const auto trials = job->measure(all);
      EXPECT_FALSE(trials.empty());
      for (const prism::trial& t : trials) EXPECT_TRUE(t.correct) << t.tried.to_text() << ": " << t.failure;
      EXPECT_FALSE(job->tiers(all).empty());
    }
}

TEST_F(native_language_variants, vulkan_uses_glsl_and_other_devices_the_library_s_own) {
  ASSERT_TRUE(pt::has_glsl()) << "the build requires glslangValidator";
  for (sycl::queue& q : queues()) {
    const bool vulkan = q.get_backend() == sycl::backend::ext_prism_vulkan;
    const prism::workload work = pt::gemm_work(33, 33, 33);
    for (const char* variant : {"glsl", "prism"})
      store(*database, "gemm", q.get_device(), work.items, variant, variant[0] == 'g' ? 1e-9 : 1e-3);
    EXPECT_EQ(all.gemm.name_of(all.gemm.choose(q.get_device(), work)), vulkan ? "glsl" : "prism")
        << all.gemm.choose(q.get_device(), work).explain();
    const float left[] = {1, 2, 3, 4, 5, 6}, right[] = {1, 10, 100, 1000, 10000, 100000};
    float result[] = {1, 1, 1, 1};
    {
      sycl::buffer<float, 2> a(left, {2, 3}), b(right, {3, 2}), c(result, {2, 2});
      if (vulkan) pt::gemm_glsl(q, 2, a, b, 1, c);
      else EXPECT_THROW(pt::gemm_glsl(q, 2, a, b, 1, c), sycl::exception);
    }
    for (int i = 0; i < 4; ++i) {
      const int row = i / 2, column = i % 2;
      float sum = 0;
      for (int k = 0; k < 3; ++k) sum += left[row * 3 + k] * right[k * 2 + column];
      EXPECT_EQ(result[i], vulkan ? 2 * sum + 1 : 1);
    }
  }
}

TEST_F(native_language_variants, providers_glsl_and_sycl_agree_where_they_run) {
  std::set<std::string> ran, backends;
  for (sycl::queue& q : queues()) {
    backends.insert(prism::describe(q.get_device()).backend);
    for (const prism::trial& t : pt::make_trial_job("gemm", q, 33)->measure(all)) {
      EXPECT_TRUE(t.correct) << t.tried.to_text() << ": " << t.failure;
      ran.insert(t.tried.text("variant"));
      if (q.get_backend() != sycl::backend::ext_prism_vulkan) {
        EXPECT_NE(t.tried.text("variant"), "glsl");
      }
    }
  }
  EXPECT_TRUE(ran.count("prism"));
  EXPECT_EQ(ran.count("glsl"), backends.count("vulkan"));
  for (const prism::blas::implementation& one : prism::blas::implementations()) {
    bool here =
        one.name == "prism"; // else a device for which the choice has a time: not every provider has gemm
    for (sycl::queue& q : queues()) {
      const std::string why = prism::blas::explain(q.get_device(), "gemm", "float", 33);
      const std::size_t at = why.find(" " + one.name + ": ");
      here = here || (at != std::string::npos && std::isdigit(why[at + one.name.size() + 3]));
    }
    EXPECT_EQ(ran.count(one.name) != 0, here) << one.name;
  }
}

TEST_F(library_or_own_kernel, follows_measurements_and_explicit_names) {
  for (sycl::queue& q : queues()) {
    if (q.get_backend() != sycl::backend::opencl) continue;
    const prism::workload work = pt::gemm_work(64, 64, 64);
    const auto chosen = [&] { return all.gemm.name_of(all.gemm.choose(q.get_device(), work)); };
    store(*database, "gemm", q.get_device(), work.items, "clblast", 1e-3);
    store(*database, "gemm", q.get_device(), work.items, "prism", 2e-3);
    EXPECT_EQ(chosen(), "clblast");
    store(*database, "gemm", q.get_device(), work.items, "prism", 0.5e-3);
    EXPECT_EQ(chosen(), "prism");
    setenv("PRISM_VARIANT", "gemm=clblast", 1);
    EXPECT_EQ(chosen(), "clblast");
    unsetenv("PRISM_VARIANT");
  }
}

TEST_F(operation_families, run_the_variant_that_they_select) {
  sycl::queue q;
  const std::vector<float> values(300, 2.0f);
  sycl::buffer<float> x(values.data(), sycl::range<1>(values.size())), sum{sycl::range<1>(1)};
  for (const char* variant : {"work groups", "chunks"}) {
    store(*database, "reduce", q.get_device(), double(values.size()), variant, 1e-9);
    all.reduce(q, pt::reduce_work(values.size()), x, sum);
    EXPECT_EQ(sycl::host_accessor(sum)[0], 600.0f) << variant;
    database->forget({"reduce", "", "", "", ""});
  }
}

TEST_F(measured_matrix, has_measured_trials_and_no_stale_ones) {
  sycl::queue q;
  pt::make_trial_job("scan", q, 1000)->measure(all);
  auto matrix = prism::operation_matrix(*database, sycl::device::get_devices());
  ASSERT_EQ(matrix.size(), 1u);
  EXPECT_EQ(matrix[0].key.operation, "scan");
  prism::tuning_key other = matrix[0].key;
  other.driver = "a driver of last year";
  database->record(other, matrix[0].best);
  EXPECT_EQ(prism::operation_matrix(*database, sycl::device::get_devices()).size(), 1u);
}

template <typename T>
void expect_stored_parameters_in_use(const char* operation) {
  const own_cache_folder folder;
  sycl::queue q{sycl::device{prism::by_name("host")}};
  prism::tuning_database database;
  const auto job = pt::make_trial_job(operation, q, 64);
  const prism::configuration best{{"method", std::string("registers")}, {"row_tiles", std::int64_t(8)},
                                  {"depth", std::int64_t(256)},         {"tile", std::int64_t(4)},
                                  {"group_y", std::int64_t(1)},         {"group_x", std::int64_t(2)}};
  ASSERT_TRUE(job->space()->contains(best)) << job->space()->objection(best);
  prism::tuning_options how;
  how.max_trials = 3;
  const auto result = prism::tune(*job->space(), job->initial(), [&](const prism::configuration& c) {
    return job->run(c);
  }, how, &database, job->key());
  EXPECT_TRUE(result.best) << "three configurations ran and one was right";
  const auto kernels_of_a_product = [&] {
    const prism::profile seen;
    const std::vector<T> ones(64 * 64, T(1));
    sycl::buffer<T, 2> a(ones.data(), {64, 64}), c({64, 64});
    const prism::blas::scoped_provider own("prism");
    prism::blas::gemm(q, 1, prism::view_of(a), prism::view_of(a), 0, prism::view_of(c)).wait();
    EXPECT_EQ(sycl::host_accessor(c, sycl::read_only)[sycl::id<2>(63, 63)], T(64));
    std::string names;
    for (const prism::kernel_profile& each : seen.kernels()) names += each.kernel + "\n";
    return names;
  };
  // The library looks for new measurements ten times a second.
  const auto runs_in_registers = [&](const prism::configuration& stored, bool expected) {
    database.forget({job->key().operation, "", "", "", ""});
    database.record(job->key(), {stored, prism::seconds(1e-6), true, "", false});
    return prism_test::eventually([&] {
      return (kernels_of_a_product().find("gemm_in_registers") != std::string::npos) == expected;
    }, std::chrono::seconds(20), std::chrono::milliseconds(20));
  };
  EXPECT_TRUE(runs_in_registers(best, true)) << kernels_of_a_product();
  EXPECT_TRUE(runs_in_registers(job->initial(), false)) << kernels_of_a_product();
}
TEST(tuned_parameters, are_used_by_products_after_one_search) {
  expect_stored_parameters_in_use<float>("gemm");
}
TEST(tuned_parameters, of_double_are_separate_from_those_of_float) {
  expect_stored_parameters_in_use<double>("gemm double");
  const sycl::device host{prism::by_name("host")};
  EXPECT_NE(prism::blas::gemm_parameters_key(host, 1e6, true).operation,
            prism::blas::gemm_parameters_key(host, 1e6).operation);
}

TEST(measured_implementations, decide_before_predictions_and_explanations_say_so) {
  const own_cache_folder folder;
  const sycl::device host{prism::by_name("host")};
  const auto explained = [&] { return prism::blas::explain(host, "gemm", "float", 64); };
  const auto comes_to_explain = [&](const char* text) {
    return prism_test::eventually([&] { return explained().find(text) != std::string::npos; });
  };
  EXPECT_EQ(explained().find(" measured"), std::string::npos) << explained();
  prism::tuning_database database;
  for (const auto& [name, time] : {std::pair<const char*, double>{"prism", 1e-6}, {"openblas", 2e-6}})
    store(database, "gemm", host, 64 * 64 * 64, name, time);
  EXPECT_TRUE(comes_to_explain(": prism: 1.0 us measured")) << explained();
  store(database, "gemm", host, 64 * 64 * 64, "prism", 3e-6);
  EXPECT_TRUE(comes_to_explain("prism: 3.0 us measured")) << explained();
  sycl::queue q(host);
  sycl::buffer<float, 2> a({64, 64}), c({64, 64});
  prism::blas::gemm(q, 0, prism::view_of(a), prism::view_of(a), 0, prism::view_of(c)).wait();
  const auto all = prism::blas::implementations();
  const bool has_openblas =
      std::any_of(all.begin(), all.end(), [](const auto& i) { return i.name == "openblas"; });
  EXPECT_EQ(prism::blas::last_choice(),
            std::string("gemm float 64x64, 64x64, 64x64: ") + (has_openblas ? "openblas" : "prism"))
      << explained();
  EXPECT_EQ(prism::blas::explain(host, "gemm", "float", 2048).find(" measured"), std::string::npos)
      << "2^33 multiplications are too many for a result of 2^18";
}

TEST(tuned_spaces, every_style_of_gemm_is_right_at_odd_sizes_on_every_device) {
  for (sycl::queue& q : queues())
    for (const prism::blas::block_family family :
         {prism::blas::block_family::powers_of_two, prism::blas::block_family::fibonacci}) {
      for (const std::string operation : {"gemm", "gemm double"}) {
        if (!pt::runs_trials_of(q.get_device(), operation)) continue;
        const auto job = pt::make_trial_job(operation, q, 37);
        const auto configurations = job->space(family)->all();
        ASSERT_TRUE(job->space(family)->contains(job->initial(family)));
        for (std::size_t i = 0; i < configurations.size(); i += configurations.size() / 7) {
          job->spoil();
          job->submit(configurations[i]);
          EXPECT_TRUE(job->is_right()) << operation << " with " << configurations[i].to_text() << " on "
                                       << q.get_device().get_info<sycl::info::device::name>();
        }
      }
    }
}

TEST(measured_descriptions, are_ignored_in_a_folder_that_other_users_can_write) {
  const own_cache_folder folder;
  const sycl::device device = sycl::queue().get_device();
  prism::forget_measurements(device);
  const double guess = prism::describe(device).launch_latency_us;
  prism::device_description measured = prism::describe(device);
  measured.launch_latency_us = guess + 1;
  const mode_t before = umask(0);
  prism::keep_measurements(device, measured);
  umask(before);
  EXPECT_EQ(prism::describe(device).launch_latency_us, guess + 1);
  const std::filesystem::path file = std::filesystem::directory_iterator(folder.measured())->path();
  struct stat info{};
  ASSERT_EQ(stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  for (const std::filesystem::path& made : {folder.measured(), folder.measured().parent_path()}) {
    ASSERT_EQ(stat(made.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << made;
  }
  prism::keep_measurements(device, measured); // and invalidates the cached description
  ASSERT_EQ(chmod(file.c_str(), 0606), 0);
  EXPECT_EQ(prism::describe(device).launch_latency_us, guess);
  prism::keep_measurements(device, measured);
  ASSERT_EQ(chmod(folder.measured().c_str(), 0777), 0);
  EXPECT_EQ(prism::describe(device).launch_latency_us, guess);
  EXPECT_THROW(prism::keep_measurements(device, measured), sycl::exception);
  ASSERT_EQ(chmod(folder.measured().c_str(), 0700), 0);
  prism::keep_measurements(device, measured);
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  alarm(20); // the test ends if opening the pipe waits for a writer
  EXPECT_EQ(prism::describe(device).launch_latency_us, guess);
  alarm(0);
  prism::forget_measurements(device);
}

TEST(measured_descriptions, survive_the_file_and_select_the_same) {
  const own_cache_folder folder;
  sycl::device device = sycl::queue().get_device();
  prism::forget_measurements(device);
  const prism::device_description guess = prism::describe(device);
  EXPECT_FALSE(guess.estimated.empty());
  const prism::device_description measured = pt::measure_rates(device);
  EXPECT_GT(measured.peak_gflops.at("fp32"), 0);
  double least = 1; // the time of the smallest command as measured here
  sycl::queue queue(device);
  sycl::buffer<int> cell{sycl::range<1>(1)};
  for (int i = 0; i < 100; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    queue
        .submit([&](sycl::handler& h) {
      h.fill(sycl::accessor(cell, h, sycl::write_only, sycl::no_init), i);
    }).wait();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_LT(measured.launch_latency_us * 1e-6, 20 * least);
  EXPECT_GT(measured.launch_latency_us * 1e-6, least / 50);
  prism::keep_measurements(device, measured);
  const prism::device_description now = prism::describe(device);
  EXPECT_EQ(now.peak_gflops, measured.peak_gflops);
  EXPECT_EQ(now.launch_latency_us, measured.launch_latency_us);
  EXPECT_EQ(now.sources.count("peak_gflops"), 1u);
  for (const sycl::device& other : sycl::device::get_devices()) {
    const prism::device_description before_it = prism::describe(other);
    if (before_it.backend == "record" || std::getenv("PRISM_WRAP") != nullptr) continue;
    EXPECT_EQ(before_it.build_ms > 0, before_it.backend != "host") << before_it.name;
    if (before_it.build_ms == 0) continue;
    prism::device_description rates =
        pt::measure_rates(other); // PRISM_CACHE_DIR is new, so the kernels are built
    EXPECT_GT(rates.build_ms, 1) << rates.name;
    EXPECT_LT(rates.build_ms, 30'000) << rates.name;
    EXPECT_NE(rates.build_ms, before_it.build_ms) << rates.name;
    EXPECT_EQ(rates.sources["build_ms"], "measured on this device") << rates.name;
    EXPECT_EQ(std::count(rates.estimated.begin(), rates.estimated.end(), "build_ms"), 0) << rates.name;
    const double again = pt::measure_rates(other).build_ms;
    // Already built, so the estimate stays; a busy machine may make the load of the program look like a
    // build.
    EXPECT_TRUE(again == before_it.build_ms || again < rates.build_ms / 4)
        << again << " and " << rates.build_ms;
    rates.build_ms = 123.25;
    prism::keep_measurements(other, rates);
    EXPECT_EQ(prism::describe(other).build_ms, 123.25);
    prism::forget_measurements(other);
    break; // one device is enough: measuring takes a second
  }
  const auto here = prism::describe(sycl::device::get_devices());
  const auto back = prism::parse_devices(prism::to_yaml(here));
  EXPECT_EQ(prism::to_json(back), prism::to_json(here));
  for (const double flops : {1e3, 1e12}) {
    prism::workload w;
    w.flops = flops;
    w.bytes = 1e6;
    EXPECT_EQ(prism::select({}, w, back).device().name, prism::select({}, w, here).device().name);
  }
  prism::forget_measurements(device);
  EXPECT_EQ(prism::describe(device).peak_gflops, guess.peak_gflops);
}
