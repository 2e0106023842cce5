// Wrappers around devices: described, fault, trace, and all of them stacked. Wrappers are set before the
// first device is opened, so every test runs in a child process.
#include "tests/policy/child_process.hpp"

#include <prism/prism.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <unistd.h>

namespace {

constexpr std::size_t n = 1 << 20;
const std::string fleet = PRISM_SOURCE "/samples/fleet/fleet.yaml";

void in_a_process_with(const std::string& wrappers, const std::function<void()>& test) {
  in_a_child_process("under " + wrappers, [&] {
    prism::set_wrappers(wrappers);
    test();
  });
}

std::vector<float> twice_plus_one(sycl::queue& q, std::size_t count = n) {
  std::vector<float> data(count);
  std::iota(data.begin(), data.end(), 0.0f);
  {
    sycl::buffer<float> b(data.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for<class scale_add>(sycl::range<1>(count),
                                      [=](sycl::id<1> i) { a[i] = a[i] * 2.0f + 1.0f; });
    });
  }
  return data;
}
bool is_right(const std::vector<float>& data) {
  for (std::size_t i = 0; i < data.size(); ++i)
    if (data[i] != static_cast<float>(i) * 2.0f + 1.0f) return false;
  return true;
}

sycl::device device_of(const char* name) { return prism::by_name(name).device(); }
/// wait_and_throw() throws the errors; without a handler they would end the program.
sycl::queue throwing_queue(const char* name) {
  return sycl::queue(device_of(name), [](const sycl::exception_list& all) {
    for (const std::exception_ptr& each : all) std::rethrow_exception(each);
  }, sycl::property::queue::in_order());
}
bool there_is(const char* backend) { return prism::is_available(backend); }

double simulated_seconds(const sycl::event& e) {
  return 1e-9 * static_cast<double>(e.get_profiling_info<sycl::info::event_profiling::command_end>() -
                                    e.get_profiling_info<sycl::info::event_profiling::command_start>());
}

const prism::device_description& machine(const char* name) {
  static const auto all = prism::load_devices(fleet);
  for (const auto& d : all)
    if (d.name == name) return d;
  throw std::runtime_error(name);
}

} // namespace

TEST(simulated_device, has_the_properties_of_its_description_and_computes_right) {
  in_a_process_with("host:described(" + fleet + ", A100 40GB)", [] {
    sycl::queue q{device_of("host")};
    const sycl::device d = q.get_device();
    EXPECT_EQ(d.get_info<sycl::info::device::name>(), "A100 40GB");
    EXPECT_TRUE(d.is_gpu());
    EXPECT_EQ(d.get_info<sycl::info::device::max_compute_units>(), 108u);
    EXPECT_EQ(d.get_info<sycl::info::device::global_mem_size>(), std::uint64_t(40) << 30);
    EXPECT_TRUE(d.has(sycl::aspect::fp64));
    EXPECT_EQ(prism::describe(d).price_per_hour, machine("A100 40GB").price_per_hour);
    EXPECT_TRUE(prism::capabilities(d).has_feature("tensor_cores", 3));
    EXPECT_TRUE(is_right(twice_plus_one(q)));
  });
  in_a_process_with("host:described(" + fleet + ", TPU v4)", [] {
    EXPECT_FALSE(device_of("host").has(sycl::aspect::fp64))
        << "a feature that the description lacks is hidden";
    EXPECT_TRUE(device_of("host").is_accelerator());
  });
}

TEST(simulated_device, kernels_take_the_predicted_time_in_every_run) {
  in_a_process_with("host:described(" + fleet + ", A100 40GB)", [] {
    sycl::queue q{device_of("host"),
                  {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()}};
    float* data = sycl::malloc_device<float>(n, q);
    q.fill(data, 1.0f, n).wait();
    const auto run = [&] {
      return q.parallel_for<class grow>(sycl::range<1>(n),
                                        [=](sycl::id<1> i) { data[i] = data[i] * 3.0f + 2.0f; });
    };
    const double first = simulated_seconds(run()), second = simulated_seconds(run());
    EXPECT_EQ(first, second) << "simulated time does not depend on this machine";
    const prism::prediction p =
        prism::predict(machine("A100 40GB"), prism::workload_of<class grow>(sycl::range<1>(n)));
    EXPECT_NEAR(first, p.total.count(), 2e-9);
    std::vector<float> host(n);
    const double copied = simulated_seconds(q.copy(data, host.data(), n));
    EXPECT_NEAR(copied, n * sizeof(float) / 31.5e9, 2e-9);
    EXPECT_EQ(host[5], (1.0f * 3 + 2) * 3 + 2);
    sycl::free(data, q);
  });
}

TEST(cost_metering, price_and_energy_follow_the_simulated_clock) {
  in_a_process_with("host:described(" + fleet + ", A100 40GB)", [] {
    sycl::queue q{device_of("host")};
    ASSERT_TRUE(is_right(twice_plus_one(q)));
    const auto used = prism::usage_of(q.get_device());
    ASSERT_TRUE(used);
    EXPECT_EQ(used->kernels, 1u);
    EXPECT_EQ(used->moved_bytes, 2 * n * sizeof(float)) << "to the device and back";
    EXPECT_GT(used->busy.count(), 2 * n * sizeof(float) / 31.5e9);
    EXPECT_NEAR(used->cost, used->busy.count() * 4.1 / 3600, 1e-15);
    EXPECT_NEAR(used->energy_joules, used->busy.count() * 400, 1e-9);
    EXPECT_GE(prism::simulated_now().count(), used->busy.count() * 0.999) << "the host waited for the device";
  });
}

TEST(simulated_device, policies_select_among_described_devices) {
  if (!there_is("opencl")) GTEST_SKIP() << "a second device needs an OpenCL driver";
  in_a_process_with("host:described(" + fleet + ", EPYC 9654) opencl:described(" + fleet + ", H100 SXM)", [] {
    prism::workload w;
    w.flops = 1e12;
    w.bytes = 1e9;
    w.bytes_to_move = 1e6;
    prism::execution_policy policy;
    EXPECT_EQ(sycl::queue(prism::selector(policy, w)).get_device().get_info<sycl::info::device::name>(),
              "H100 SXM");
    policy.priority = prism::priority::cost;
    EXPECT_EQ(sycl::queue(prism::selector(policy, w)).get_device().get_info<sycl::info::device::name>(),
              "EPYC 9654");
    for (const sycl::device& d : sycl::device::get_devices()) {
      sycl::queue q{d};
      EXPECT_TRUE(is_right(twice_plus_one(q))) << d.get_info<sycl::info::device::name>();
    }
  });
}

TEST(scaling, devices_overlap_on_the_simulated_clock) {
  if (!there_is("opencl")) GTEST_SKIP() << "a second device needs an OpenCL driver";
  in_a_process_with("host:described(" + fleet + ", A100 40GB) opencl:described(" + fleet + ", A100 40GB)",
                    [] {
    sycl::queue a{device_of("host")}, b{device_of("opencl:0")};
    float* x = sycl::malloc_device<float>(n, a);
    float* y = sycl::malloc_device<float>(n, b);
    const double begin = prism::simulated_now().count();
    const auto work = [](sycl::queue& q, float* p) { return q.fill(p, 1.0f, n); };
    sycl::event one = work(a, x), two = work(b, y);
    one.wait();
    two.wait();
    const double together = prism::simulated_now().count() - begin;
    work(a, x).wait();
    const double alone = prism::simulated_now().count() - begin - together;
    EXPECT_NEAR(together, alone, 1e-8) << "two machines together take as long as one alone";
    sycl::free(x, a), sycl::free(y, b);
  });
}

TEST(fallback, injected_failures_happen_at_the_named_calls) {
  in_a_process_with("host:fault(fail=2)", [] {
    sycl::queue q = throwing_queue("host");
    int* p = sycl::malloc_device<int>(4, q);
    EXPECT_NO_THROW(q.fill(p, 1, 4).wait_and_throw());
    EXPECT_THROW(q.fill(p, 2, 4).wait_and_throw(), sycl::exception);
    EXPECT_NO_THROW(q.fill(p, 3, 4).wait_and_throw()) << "the third submission succeeds";
    int back[4] = {};
    q.copy(p, back, 4).wait_and_throw();
    EXPECT_EQ(back[3], 3);
  });
  in_a_process_with("host:fault(memory=1)", [] {
    sycl::queue q = throwing_queue("host");
    int* none = sycl::malloc_device<int>(100000, q);
    EXPECT_EQ(none, nullptr) << "USM reports it by a null pointer";
  });
  in_a_process_with("host:fault(memory=1+)", [] {
    sycl::queue q = throwing_queue("host");
    try {
      sycl::buffer<int> b(100000);
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] = 1; });
      }).wait_and_throw();
      ADD_FAILURE() << "the allocation succeeded";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::memory_allocation) << e.what();
      EXPECT_NE(std::string(e.what()).find("injected"), std::string::npos) << e.what();
    }
  });
  in_a_process_with("host:fault(lost=2)", [] {
    sycl::queue q = throwing_queue("host");
    int* p = sycl::malloc_device<int>(4, q);
    EXPECT_NO_THROW(q.fill(p, 1, 4).wait_and_throw());
    EXPECT_THROW(q.fill(p, 1, 4).wait_and_throw(), sycl::exception);
    EXPECT_THROW(q.fill(p, 1, 4).wait_and_throw(), sycl::exception) << "a lost device stays lost";
  });
}

TEST(fallback, a_lost_device_is_replaced_and_reported) {
  if (!there_is("opencl")) GTEST_SKIP() << "a second device needs an OpenCL driver";
  in_a_process_with("opencl:fault(lost=1)", [] {
    std::vector<float> result;
    const auto report =
        prism::run_with_fallback({device_of("opencl:0"), device_of("host")}, [&](sycl::queue& q) {
      result = twice_plus_one(q);
      q.wait_and_throw();
    });
    EXPECT_TRUE(is_right(result));
    ASSERT_EQ(report.steps.size(), 1u);
    EXPECT_NE(report.steps[0].text.find("lost"), std::string::npos) << report.steps[0].text;
    EXPECT_EQ(prism::fallback_count(), 1u);
  });
}

TEST(fallback, a_device_that_is_unplugged_is_replaced_and_not_chosen_again) {
  if (!there_is("opencl")) GTEST_SKIP() << "a second device needs an OpenCL driver";
  in_a_process_with("opencl:fault(lost=1)", [] {
    prism::execution_policy policy;
    policy.prefer = {"opencl"};
    EXPECT_EQ(prism::selector(policy).device().get_backend(), sycl::backend::opencl);
    std::vector<float> result;
    const auto report = prism::run_with_fallback(policy, prism::typical_workload(), [&](sycl::queue& q) {
      result = twice_plus_one(q);
      q.wait_and_throw();
    });
    EXPECT_TRUE(is_right(result));
    EXPECT_GE(report.steps.size(), 1u);
    const auto chosen = prism::selector(policy);
    EXPECT_NE(chosen.device().get_backend(), sycl::backend::opencl);
    bool says_so = false;
    for (const prism::candidate& c : chosen.selection().candidates())
      says_so |=
          c.reason ==
          "it is lost: its driver reported a reset or an unplugged device, or PRISM_TIMEOUT has passed";
    EXPECT_TRUE(says_so);
    sycl::queue next(chosen.device());
    EXPECT_TRUE(is_right(twice_plus_one(next)));
  });
}

TEST(priority_chain, a_masked_feature_makes_the_operation_fall_through_the_chain) {
  if (!there_is("opencl")) GTEST_SKIP() << "a second device needs an OpenCL driver";
  in_a_process_with("opencl:mask(fp64)", [] {
    std::vector<double> out(64);
    const auto report =
        prism::run_with_fallback(std::vector<std::string>{"gpu", "opencl", "host"}, [&](sycl::queue& q) {
      sycl::buffer<double> b(out.data(), out.size());
      q.submit([&](sycl::handler& h) {
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.parallel_for<class in_fp64>(sycl::range<1>(64), [=](sycl::id<1> i) { a[i] = double(i[0]) / 3; });
      });
    });
    EXPECT_EQ(report.device, "host:0");
    ASSERT_GE(report.steps.size(), 1u) << "every OpenCL device is tried";
    for (const prism::recovery_step& s : report.steps) {
      EXPECT_EQ(s.device.rfind("opencl:", 0), 0u) << s.device;
      EXPECT_EQ(s.why, prism::failure_class::unsupported) << s.text;
      EXPECT_NE(s.text.find("fp64"), std::string::npos) << s.text;
    }
    EXPECT_EQ(out[2], 2.0 / 3);
  });
}

TEST(fallback, a_wrong_result_is_never_hidden) {
  in_a_process_with("host:fault(skip=1)", [] {
    sycl::queue q{device_of("host")};
    EXPECT_FALSE(is_right(twice_plus_one(q))) << "the results must show that the wrapper dropped a kernel";
    EXPECT_TRUE(is_right(twice_plus_one(q)));
  });
}

TEST(trace_wrapper, a_trace_names_each_call_and_how_it_ended) {
  const std::string file = testing::TempDir() + "prism_trace_" + std::to_string(getpid());
  in_a_process_with("host:fault(fail=4) host:trace(" + file + ")", [] {
    sycl::queue q = throwing_queue("host");
    EXPECT_TRUE(is_right(twice_plus_one(q)));
    int* p = sycl::malloc_device<int>(1000, q);
    try {
      for (int i = 0; i < 5; ++i) q.fill(p, i, 1000).wait_and_throw();
    } catch (const sycl::exception&) {}
  });
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  for (const char* part : {"make queue 0", "scale_add", "fill 4000 bytes", " complete",
                           "failed: run a submission: it failed (an injected fault)"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " in\n" << text.str();
  std::remove(file.c_str());
}

TEST(kernel_requirements, wrappers_stack_around_every_device) {
  const std::string file = testing::TempDir() + "prism_stack_" + std::to_string(getpid());
  in_a_process_with("mask(fp64) fault(memory=100000) described(" + fleet + ", A100 40GB) trace(" + file + ")",
                    [] {
    for (const sycl::device& d : sycl::device::get_devices()) {
      EXPECT_EQ(d.get_info<sycl::info::device::name>(), "A100 40GB");
      EXPECT_FALSE(d.has(sycl::aspect::fp64))
          << "the inner mask hides it, so the description cannot offer it";
      sycl::queue q{d};
      EXPECT_TRUE(is_right(twice_plus_one(q)));
      EXPECT_GE(prism::usage_of(d)->kernels, 1u);
    }
  });
  std::remove(file.c_str());
}

TEST(simulated_device, wrong_wrapper_settings_are_rejected) {
  const auto error_of_setting = [](const std::string& wrappers) -> std::string {
    try {
      prism::set_wrappers(wrappers);
    } catch (const sycl::exception& e) {
      return e.what();
    }
    return "(taken)";
  };
  EXPECT_NE(error_of_setting("mask(fp64) fualt(fail=1)").find("position 12: there is no wrapper \"fualt\""),
            std::string::npos)
      << error_of_setting("mask(fp64) fualt(fail=1)");
  EXPECT_NE(error_of_setting("fault(fial=1)").find("fault \"fial=1\""), std::string::npos);
  EXPECT_NE(error_of_setting("fault(fail=0)").find("number from 1"), std::string::npos);
  EXPECT_NE(error_of_setting("mask(fp65)").find("mask \"fp65\""), std::string::npos);
  EXPECT_NE(error_of_setting("mask").find("position 1"), std::string::npos);
}
