// Concurrent use by many threads, and the number of threads that a run may use.
#include "tests/providers/conformance/target.hpp"
#include "tests/wait.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <thread>

namespace provider_test {
namespace {

std::vector<job> supported_jobs(target& on, int count, std::uint64_t seed) {
  engine random(seed);
  std::vector<job> out;
  for (int i = 0; i < 400 && int(out.size()) < count; ++i) {
    const auto operations = prism::provider::blas_operations();
    job_wish w;
    w.operation = operations[random() % operations.size()].id;
    w.type = random() % 2 ? PRISM_F32 : PRISM_F64;
    w.m = std::int64_t(random() % 40 + 1), w.n = std::int64_t(random() % 40 + 1),
    w.k = std::int64_t(random() % 40 + 1);
    w.plain = random() % 2 == 0;
    job made = make_job(w, random);
    if (w.operation == PRISM_GEMM) made.alpha[0] = made.beta[0] = 1;
    if (query(on, made.what).supported) out.push_back(std::move(made));
  }
  return out;
}

/// Calls `one` from several threads and returns the first error.
template <typename One>
std::string from_many_threads(One&& one) {
  std::vector<std::string> wrong(6);
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      while (!go) std::this_thread::yield();
      for (int round = 0; round < 30 && wrong[t].empty(); ++round) wrong[t] = one(t, round);
    });
  go = true;
  for (std::thread& each : threads) each.join();
  for (const std::string& each : wrong)
    if (!each.empty()) return each;
  return {};
}

TEST(provider_threads, one_plan_is_run_by_many_threads_at_once) {
  for (const auto& on : all_targets()) {
    const std::vector<job> jobs = supported_jobs(*on, 4, 11);
    if (jobs.empty()) GTEST_SKIP() << "nothing supported was found";
    if (on->device().native != PRISM_NATIVE_HOST) continue; // opencl_test.cpp tests these
    for (const job& each : jobs) {
      const plan_ptr ready = plan(*on, each.what);
      ASSERT_TRUE(ready);
      EXPECT_EQ(from_many_threads([&](std::size_t, int) {
        std::vector<operand> after;
        std::string why;
        return on->run(ready.get(), each, 1, after, why) == PRISM_OK ? difference(each, after) : why;
      }),
                "");
    }
  }
}

TEST(provider_threads, many_threads_query_plan_and_run_different_operations) {
  for (const auto& on : all_targets()) {
    if (on->device().native != PRISM_NATIVE_HOST) continue;
    const std::vector<job> jobs = supported_jobs(*on, 24, 12);
    if (jobs.empty()) GTEST_SKIP() << "nothing supported was found";
    EXPECT_EQ(from_many_threads([&](std::size_t thread, int round) {
      return wrong_result(*on, jobs[(thread * 7 + std::size_t(round)) % jobs.size()],
                          1 + std::uint32_t(round) % 2);
    }),
              "");
  }
}

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
/// Processor time of all threads of this process except the caller, including ended ones.
double seconds_of_others() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

TEST(provider_threads, a_run_limited_to_one_thread_uses_one) {
  for (const auto& on : all_targets()) {
    if (on->device().native != PRISM_NATIVE_HOST) continue;
    engine random(13);
    job_wish w;
    w.m = w.n = w.k = 500, w.plain = true;
    job made = make_job(w, random);
    if (!query(*on, made.what).supported) GTEST_SKIP() << "it has no large gemm";
    const plan_ptr ready = plan(*on, made.what);
    ASSERT_TRUE(ready);
    std::vector<operand> after;
    std::string why;
    ASSERT_EQ(on->run(ready.get(), made, 2, after, why), PRISM_OK) << why;
    // The provider's threads exist now, and may spin for a while before they sleep.
    auto others_sleep = [last = 0.0]() mutable {
      const double now = seconds_of_others();
      return now - std::exchange(last, now) < 0.001;
    };
    ASSERT_TRUE(
        prism_test::eventually(others_sleep, std::chrono::seconds(20), std::chrono::milliseconds(100)));
    const double before = seconds_of_others();
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(600))
      ASSERT_EQ(on->run(ready.get(), made, 1, after, why), PRISM_OK) << why;
    const double others = seconds_of_others() - before;
    EXPECT_LT(others, 0.06) << "seconds of other threads while runs of one thread took 0.6 s";
  }
}

TEST(provider_threads, a_run_without_a_thread_is_refused) {
  for (const auto& on : all_targets()) {
    if (on->device().native != PRISM_NATIVE_HOST) continue;
    for (const job& each : supported_jobs(*on, 3, 14)) {
      const plan_ptr ready = plan(*on, each.what);
      ASSERT_TRUE(ready);
      std::vector<operand> after;
      std::string why;
      EXPECT_NE(on->run(ready.get(), each, 0, after, why), PRISM_OK);
      EXPECT_NE(why, "");
    }
  }
}

} // namespace
} // namespace provider_test
