// Plans of providers as commands of queues: right results between kernels, errors by name, threads within the
// budget.
#include "kernels/provider/operation.hpp"
#include "kernels/provider/run.hpp"
#include "kernels/provider/threads.hpp"
#include "tests/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <dlfcn.h>
#include <thread>

namespace prism::provider {
namespace {

prism_provider_operand matrix(std::int64_t rows, std::int64_t columns) {
  prism_provider_operand out{};
  out.type = PRISM_F32, out.rank = 2;
  out.extent[0] = rows, out.extent[1] = columns, out.stride[0] = columns, out.stride[1] = 1;
  return out;
}
prism_provider_operation gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  prism_provider_operation out{};
  out.struct_size = sizeof out, out.operand_size = sizeof(prism_provider_operand), out.operation = PRISM_GEMM,
  out.operand_count = 3;
  out.operand[0] = matrix(m, k), out.operand[1] = matrix(k, n), out.operand[2] = matrix(m, n);
  return out;
}
std::vector<device_plan> all_plans(const sycl::device& device, const prism_provider_operation& what) {
  std::vector<device_plan> out;
  for (const open_provider* one : process_registry().all())
    if (support_on(*one, device, what).supported) out.emplace_back(*one, device, what);
  return out;
}

TEST(provider_runs, are_ordered_between_the_kernels_around_them) {
  sycl::queue q;
  constexpr std::int64_t m = 40, n = 30, k = 20;
  const auto plans = all_plans(q.get_device(), gemm(m, n, k));
  if (plans.empty())
    GTEST_SKIP() << "no provider has gemm on " << q.get_device().get_info<sycl::info::device::name>();
  for (const device_plan& plan : plans) {
    sycl::buffer<float> a{sycl::range<1>(m * k)}, b{sycl::range<1>(k * n)}, c{sycl::range<1>(m * n)};
    for (int round = 1; round <= 3; ++round) {
      q.submit([&](sycl::handler& h) {
        h.fill(sycl::accessor(a, h, sycl::write_only, sycl::no_init), float(round));
      });
      q.submit(
          [&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only, sycl::no_init), 2.0f); });
      q.submit(
          [&](sycl::handler& h) { h.fill(sycl::accessor(c, h, sycl::write_only, sycl::no_init), 1.0f); });
      q.submit([&](sycl::handler& h) {
        sycl::accessor x(a, h, sycl::read_only);
        sycl::accessor y(b, h, sycl::read_only);
        sycl::accessor z(c, h, sycl::read_write);
        h.set_args(x, y, z);
        plan.submit(h, {1, 0}, {3, 0}, {0, 0, 0});
      });
      const sycl::host_accessor found(c, sycl::read_only);
      for (std::int64_t i = 0; i < m * n; ++i)
        ASSERT_EQ(found[std::size_t(i)], float(round * 2 * k + 3)) << plan.from().name << ", element " << i;
    }
  }
}

TEST(provider_runs, an_error_of_the_provider_names_it) {
  sycl::queue q;
  prism_provider_operation odd = gemm(4, 4, 4);
  for (auto& each : odd.operand) each.type = PRISM_S64; // oneDNN multiplies bfloat16 where the processor does
  for (const open_provider* one : process_registry().all()) {
    try {
      device_plan(*one, q.get_device(), odd);
      ADD_FAILURE() << one->name << " accepted int64";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::make_error_code(sycl::errc::kernel_not_supported));
      EXPECT_EQ(std::string(e.what()).rfind(one->name + " cannot do gemm int64 4x4", 0), 0u) << e.what();
    }
  }
}

TEST(provider_runs, mismatched_extents_are_rejected_before_the_provider_runs) {
  sycl::queue q;
  prism_provider_operation wrong = gemm(4, 5, 6);
  wrong.operand[1].extent[0] = 7;
  for (const open_provider* one : process_registry().all())
    EXPECT_THROW(device_plan(*one, q.get_device(), wrong), sycl::exception);
}

struct pinned {
  explicit pinned(const char* setting) { setenv("PRISM_PROVIDER", setting, 1); }
  ~pinned() { unsetenv("PRISM_PROVIDER"); }
};

TEST(provider_runs, a_pinned_provider_overrides_the_models) {
  sycl::queue q;
  for (const open_provider* one : process_registry().all()) {
    if (!support_on(*one, q.get_device(), gemm(64, 64, 64)).supported) continue;
    const pinned setting(("gemm=" + one->name).c_str());
    EXPECT_EQ(best_plan(q.get_device(), gemm(64, 64, 64)).from().name, one->name);
  }
}

TEST(provider_runs, a_missing_pinned_provider_is_named_in_the_error) {
  sycl::queue q;
  const pinned setting("missing");
  try {
    (void)best_plan(q.get_device(), gemm(4, 4, 4));
    ADD_FAILURE() << "another provider replaced the pinned one without an error";
  } catch (const sycl::exception& e) {
    EXPECT_NE(std::string(e.what()).find("missing: pinned by PRISM_PROVIDER, but missing"), std::string::npos)
        << e.what();
  }
}

TEST(provider_runs, a_general_pin_applies_to_the_operations_that_the_provider_has) {
  sycl::queue q;
  for (const open_provider* one : process_registry().all()) {
    const pinned setting(one->name.c_str());
    for (const operation_facts& facts : all_operations()) {
      const prism_provider_operation what = plain_operation(facts.id, PRISM_F32, 16);
      const bool has = has_operation(*one, facts.id),
                 serves = support_on(*one, q.get_device(), what).supported;
      EXPECT_TRUE(has || !serves) << one->name << ", " << facts.name;
      candidate own{"prism"};
      own.support.supported = 1;
      const std::vector<ranked_provider> all = ranking_on(q.get_device(), what, {own});
      const bool is_refused = !all.front().reason.empty();
      EXPECT_EQ(is_refused, has && !serves) << one->name << ", " << facts.name << ": " << explained(all);
      if (serves) {
        EXPECT_EQ(all.front().name, one->name) << facts.name << ": " << explained(all);
      }
    }
  }
}

TEST(provider_runs, a_setting_that_names_no_operation_is_an_error) {
  sycl::queue q;
  const pinned setting("gem=openblas");
  EXPECT_THROW((void)ranking_on(q.get_device(), gemm(4, 4, 4)), sycl::exception);
}

TEST(provider_runs, threads_are_assigned_once) {
  thread_budget budget(4);
  const thread_budget::grant first(budget, 3);
  EXPECT_EQ(first.threads(), 3u);
  {
    const thread_budget::grant second(budget, 3), third(budget, 2);
    EXPECT_EQ(second.threads(), 1u) << "the rest";
    EXPECT_EQ(third.threads(), 1u) << "at least one";
  }
  EXPECT_EQ(budget.used(), 3u);
  EXPECT_EQ(thread_budget::grant(budget, 0).threads(), 1u);
}

TEST(provider_runs, a_budget_that_is_known_from_a_part_of_the_processors_grows) {
  thread_budget budget(1);
  EXPECT_EQ(thread_budget::grant(budget, 4).threads(), 1u);
  budget.has(4);
  EXPECT_EQ(thread_budget::grant(budget, 4).threads(), 4u);
  budget.has(2);
  EXPECT_EQ(thread_budget::grant(budget, 4).threads(), 4u) << "a part of them again";
}

double processor_time() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

TEST(provider_runs, on_a_part_of_the_host_use_the_threads_of_this_part) {
  const sycl::device all = sycl::queue().get_device();
  if (all.get_backend() != sycl::backend::ext_prism_host ||
      all.get_info<sycl::info::device::max_compute_units>() < 2)
    GTEST_SKIP() << all.get_info<sycl::info::device::name>() << " cannot be divided into threads";
  std::string reason;
  const open_provider* const openblas = process_registry().find("openblas", &reason);
  if (!openblas) GTEST_SKIP() << reason;
  using sycl::info::partition_property;
  const sycl::device one = all.create_sub_devices<partition_property::partition_by_counts>({1}).front();
  void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  const auto set_threads =
      library ? reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads")) : nullptr;
  const auto get_threads =
      library ? reinterpret_cast<int (*)()>(dlsym(library, "openblas_get_num_threads")) : nullptr;
  constexpr std::int64_t n = 700;
  sycl::buffer<float> a{sycl::range<1>(n * n)}, c{sycl::range<1>(n * n)};
  const auto run_on = [&](const sycl::device& device) {
    sycl::queue q(device);
    const device_plan plan(*openblas, device, gemm(n, n, n));
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only);
      sycl::accessor z(c, h, sycl::read_write);
      h.set_args(x, x, z);
      plan.submit(h, {1, 0}, {0, 0}, {0, 0, 0});
    });
    q.wait_and_throw();
  };
  double fewest = 100; // processors used; other threads of the process may add to one turn
  for (int turn = 0; turn < 3; ++turn) {
    run_on(all);                                // its grant must not become that of the part
    if (set_threads != nullptr) set_threads(2); // nor a number that the program sets
    ASSERT_TRUE(prism_test::eventually([] {     // the library's threads wait actively for a while
      const double before = processor_time();
      prism_test::spend(std::chrono::milliseconds(5));
      return processor_time() - before < 0.001;
    }));
    const auto begin = std::chrono::steady_clock::now();
    const double before = processor_time();
    for (int i = 0; i < 5; ++i) run_on(one);
    const double used = processor_time() - before,
                 wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fewest = std::min(fewest, used / wall);
    if (get_threads != nullptr) {
      EXPECT_EQ(get_threads(), 2) << "the program's own number is there again";
    }
  }
  EXPECT_LT(fewest, 1.3);
}

/// Measures a call through a queue and the provider's own run alternately and prints both times. Fails only
/// if the queue is much slower.
TEST(provider_runs, cost_little_compared_with_the_call) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (q.get_backend() != sycl::backend::ext_prism_host) GTEST_SKIP() << "measured on the host";
  std::string reason;
  const open_provider* const openblas = process_registry().find("openblas", &reason);
  if (!openblas) GTEST_SKIP() << "openblas: " << reason;
  for (const std::int64_t n : {64, 128, 256, 512}) {
    const device_plan plan(*openblas, q.get_device(), gemm(n, n, n));
    std::vector<float> a(std::size_t(n * n), 1), b(std::size_t(n * n), 1), c(std::size_t(n * n), 0);
    float *pa = a.data(), *pb = b.data(), *pc = c.data();
    prism_provider_device host{};
    host.struct_size = sizeof host, host.native = PRISM_NATIVE_HOST, host.threads = 2, host.name = "host";
    prism_provider_plan* own = nullptr;
    const prism_provider_operation what = gemm(n, n, n);
    prism_message why{sizeof why, {}};
    ASSERT_EQ(openblas->table->plan(openblas->state, &host, &what, &own, &why), PRISM_OK);
    const prism_provider_memory memory[3] = {{pa, nullptr, 0, 0}, {pb, nullptr, 0, 0}, {pc, nullptr, 0, 0}};
    prism_provider_run run{};
    run.struct_size = sizeof run, run.native = PRISM_NATIVE_HOST, run.alpha[0] = 1, run.memory = memory;
    run.threads = std::min(plan.support().most_threads,
                           q.get_device().get_info<sycl::info::device::max_compute_units>());
    double direct = 1e9, queued = 1e9;
    const auto best = [](double& least, auto&& call) {
      const auto begin = std::chrono::steady_clock::now();
      call();
      least = std::min(
          least, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    };
    for (int i = 0; i < 200; ++i) {
      best(direct, [&] { openblas->table->run(own, &run, &why); });
      best(queued, [&] {
        q.submit([&](sycl::handler& h) {
          h.set_args(pa, pb, pc);
          plan.submit(h, {1, 0}, {0, 0}, {0, 0, 0});
        }).wait();
      });
    }
    openblas->table->drop(own);
    std::printf("gemm float %lld: %.1f us by itself, %.1f us through a queue, ratio %.3f\n",
                static_cast<long long>(n), direct, queued, direct / queued);
    EXPECT_LT(queued, 2 * direct + 50) << n;
    EXPECT_EQ(c[0], float(n));
  }
}

} // namespace
} // namespace prism::provider
