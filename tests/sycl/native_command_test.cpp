// prism::native_command: the program's own driver calls as a command of a queue.
#include "common.hpp"
#include "tests/wait.hpp"

#include <prism/native.hpp>
#include <prism/profile.hpp>
#include <sycl/backend/opencl.hpp>
#include <sycl/detail/direct.hpp>

#include <atomic>
#include <cstdlib>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

namespace {

using prism_test::error_of;

bool on_host(const sycl::queue& q) { return q.get_backend() == sycl::backend::ext_prism_host; }
bool takes_native_work(const sycl::queue& q) {
  return on_host(q) || q.get_backend() == sycl::backend::opencl;
}

/// Copies `bytes` from the first argument to the second.
void* copy_natively(const prism::native_work& w, std::size_t bytes) {
  const prism::native_argument &from = w.arguments[0], &to = w.arguments[1];
  if (!w.queue) return std::memcpy(to.pointer, from.pointer, bytes), nullptr;
  cl_event done = nullptr;
  const cl_int code = clEnqueueCopyBuffer(
      static_cast<cl_command_queue>(w.queue), static_cast<cl_mem>(from.object),
      static_cast<cl_mem>(to.object), from.offset, to.offset, bytes, cl_uint(w.wait_count),
      w.wait_count ? reinterpret_cast<const cl_event*>(w.waits) : nullptr, &done);
  if (code != CL_SUCCESS) throw std::runtime_error("clEnqueueCopyBuffer gave " + std::to_string(code));
  return done;
}

#define SKIP_WHERE_THERE_IS_NONE(q)                                                                          \
  if (!takes_native_work(q)) GTEST_SKIP() << "the backend takes no native work"

TEST(native_command, is_ordered_between_the_kernels_around_it) {
  sycl::queue q;
  SKIP_WHERE_THERE_IS_NONE(q);
  constexpr std::size_t n = 1000;
  sycl::buffer<int> a{sycl::range<1>(n)}, b{sycl::range<1>(n)};
  for (int round = 0; round < 20; ++round) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::write_only);
      h.parallel_for(n, [=](sycl::id<1> i) { x[i] = int(i[0]) + round; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h, sycl::read_only);
      sycl::accessor y(b, h, sycl::write_only);
      prism::native_command(h, [](const prism::native_work& w) { return copy_natively(w, n * sizeof(int)); },
                            x, y);
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor y(b, h, sycl::read_write);
      h.parallel_for(n, [=](sycl::id<1> i) { y[i] *= 2; });
    });
  }
  const sycl::host_accessor found(b, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], 2 * (int(i) + 19)) << i;
}

TEST(native_command, can_use_usm_pointers) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WHERE_THERE_IS_NONE(q);
  if (!q.get_device().has(sycl::aspect::usm_device_allocations)) GTEST_SKIP() << "the device has no USM";
  constexpr std::size_t n = 300;
  int* const a = sycl::malloc_device<int>(n, q);
  int* const b = sycl::malloc_device<int>(n, q);
  q.parallel_for(n, [=](sycl::id<1> i) { a[i] = int(i[0]), b[i] = -1; });
  q.submit([&](sycl::handler& h) {
    prism::native_command(h, [](const prism::native_work& w) { return copy_natively(w, 100 * sizeof(int)); },
                          a + 50, b + 7);
  });
  std::vector<int> found(n);
  q.memcpy(found.data(), b, n * sizeof(int)).wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], i >= 7 && i < 107 ? int(i) + 43 : -1) << i;
  sycl::free(a, q);
  sycl::free(b, q);
}

TEST(native_command, waits_for_events_of_other_queues_and_other_drivers) {
  sycl::queue q, other;
  SKIP_WHERE_THERE_IS_NONE(q);
  sycl::buffer<int> a{sycl::range<1>(64)}, b{sycl::range<1>(64)};
  std::atomic<bool> may{false};
  const sycl::event gate = other.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!may) std::this_thread::yield();
    });
  });
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(a, h, sycl::write_only), 5); });
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 6); });
  std::atomic<bool> began{false};
  const sycl::event done = q.submit([&](sycl::handler& h) {
    h.depends_on(gate);
    sycl::accessor x(a, h, sycl::read_only);
    sycl::accessor y(b, h, sycl::write_only);
    prism::native_command(h, [&](const prism::native_work& w) {
      return began = true, copy_natively(w, 64 * sizeof(int));
    }, x, y);
  });
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] { return began.load(); }))
      << "it started before its dependency was complete";
  may = true;
  sycl::event(done).wait();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[63], 5);
}

TEST(native_command, its_function_is_destroyed_at_its_completion) {
  sycl::queue q;
  SKIP_WHERE_THERE_IS_NONE(q);
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owned;
  sycl::event done = q.submit([&](sycl::handler& h) {
    prism::native_command(h, [owned](const prism::native_work&) -> void* { return nullptr; });
  });
  owned.reset();
  done.wait();
  done = sycl::event();
  q.wait();
  EXPECT_TRUE(prism_test::eventually([&] { return watch.expired(); }));
}

TEST(native_command, reports_what_its_function_throws) {
  prism_test::error_log log;
  sycl::queue q{sycl::default_selector_v, log.handler()};
  SKIP_WHERE_THERE_IS_NONE(q);
  std::string text;
  const auto code = error_of([&] {
    q.submit([&](sycl::handler& h) {
      prism::native_command(
          h, [](const prism::native_work&) -> void* { throw std::runtime_error("no such kernel"); });
    });
    q.wait_and_throw();
  }, &text);
  if (!log.texts.empty()) text = log.texts.front();
  EXPECT_TRUE(code != sycl::errc::success || !log.texts.empty());
  EXPECT_NE(text.find("no such kernel"), std::string::npos) << text;
  EXPECT_NO_THROW(q.single_task([] {}).wait()) << "the queue must still work";
}

TEST(native_command, is_refused_if_the_backend_has_no_native_commands) {
  sycl::queue q;
  if (takes_native_work(q)) GTEST_SKIP() << "the backend takes native work";
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      prism::native_command(h, [](const prism::native_work&) -> void* { return nullptr; });
    });
  }),
            sycl::errc::feature_not_supported);
}

TEST(native_command, refuses_set_arg) {
  sycl::queue q;
  SKIP_WHERE_THERE_IS_NONE(q);
  EXPECT_EQ(error_of([&] {
    q.submit([&](sycl::handler& h) {
      h.set_arg(0, 5);
      h.prism_native([](const prism::native_work&) -> void* { return nullptr; });
    });
  }),
            sycl::errc::kernel_argument);
}

constexpr char only_host[] = "only the host device runs work without a command, and PRISM_CHECK observes it";
bool runs_without_a_command(const sycl::queue& q) { return on_host(q) && !std::getenv("PRISM_CHECK"); }

TEST(work_without_a_command, covers_each_unit_once_on_the_host_device_and_does_not_run_on_others) {
  sycl::queue q{sycl::property::queue::in_order()};
  for (const std::uint64_t units : {1, 7, 5000}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(units));
    const bool ran = sycl::detail::run_parts(q, units, [&](std::uint64_t begin, std::uint64_t end) {
      for (; begin < end; ++begin) ++runs[static_cast<std::size_t>(begin)];
    });
    EXPECT_EQ(ran, runs_without_a_command(q));
    for (const auto& each : runs) EXPECT_EQ(each, ran ? 1 : 0);
  }
}

TEST(work_without_a_command, does_not_run_while_something_observes_commands) {
  sycl::queue q{sycl::property::queue::in_order()};
  const prism::profile observes;
  EXPECT_FALSE(sycl::detail::run_parts(q, 1, [](std::uint64_t, std::uint64_t) { ADD_FAILURE(); }));
}

TEST(work_without_a_command, throws_what_a_part_throws) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (!runs_without_a_command(q)) GTEST_SKIP() << only_host;
  EXPECT_THROW(
      sycl::detail::run_parts(q, 1, [](std::uint64_t, std::uint64_t) { throw std::runtime_error("no"); }),
      std::runtime_error);
}

TEST(work_without_a_command, has_the_threads_of_a_part_of_the_device) {
  const sycl::device whole;
  if (!runs_without_a_command(sycl::queue(whole))) GTEST_SKIP() << only_host;
  const sycl::device one =
      whole.create_sub_devices<sycl::info::partition_property::partition_by_counts>({1}).front();
  sycl::queue q{one, sycl::property::queue::in_order()};
  std::mutex lock;
  std::set<std::thread::id> threads;
  ASSERT_TRUE(sycl::detail::run_parts(q, 64, [&](std::uint64_t begin, std::uint64_t end) {
    std::this_thread::sleep_for(std::chrono::microseconds(50 * (end - begin)));
    const std::lock_guard guard(lock);
    threads.insert(std::this_thread::get_id());
  }));
  EXPECT_EQ(threads.size(), 1u);
}

} // namespace
