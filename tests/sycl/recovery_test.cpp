// A device is lost in the middle of a program (PRISM_WRAP=fault(lost=3): its third submission and all later
// ones). Buffers that are current elsewhere continue on the next device; those that were only on the lost
// device are named. A device that completes nothing within PRISM_TIMEOUT is lost in the same way
// (PRISM_WRAP=fault(hang=2+): its second submission and all later ones never end).
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <prism/policy.hpp>
#include <prism/recovery.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

using prism_test::counted;
using prism_test::error_log;
using prism_test::error_of;

namespace {

constexpr int n = 1000;

void add_one(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(from, h, sycl::read_only);
    const sycl::accessor b(to, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
}

void add_both(sycl::queue& q, sycl::buffer<int>& from, sycl::buffer<int>& to, sycl::buffer<int>& other) {
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(from, h, sycl::read_only);
    const sycl::accessor b(to, h, sycl::write_only, sycl::no_init),
        c(other, h, sycl::write_only, sycl::no_init);
    h.parallel_for(n, [=](sycl::id<1> i) { b[i] = c[i] = a[i] + 1; });
  });
}

bool hangs() {
  const char* wrap = std::getenv("PRISM_WRAP");
  return wrap != nullptr && std::strstr(wrap, "hang") != nullptr;
}
bool is_lost_by_fault() {
  const char* wrap = std::getenv("PRISM_WRAP");
  return wrap != nullptr && std::strstr(wrap, "lost") != nullptr;
}

TEST(lost_device, reports_lost_buffers_and_keeps_the_others) {
  if (!is_lost_by_fault()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one device only";
  error_log errors;
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), only_there{sycl::range<1>(n)}, on_both{sycl::range<1>(n)}, z{sycl::range<1>(n)};
  sycl::queue first(devices[0], errors.handler()), next(devices[1], errors.handler());
  add_both(first, x, only_there, on_both);
  first.wait_and_throw();
  add_one(next, on_both, z); // copies it there as well
  next.wait_and_throw();
  ASSERT_TRUE(errors.texts.empty()) << errors.texts[0];
  for (int submission = 2; submission <= 3; ++submission)
    add_one(first, x, z); // the copy above may have been one of its submissions
  first.wait_and_throw();
  ASSERT_FALSE(errors.texts.empty());
  EXPECT_NE(errors.texts[0].find("recovery_test.cpp:"), std::string::npos) << errors.texts[0];
  errors.texts.clear();

  for (const sycl::device& other : devices) // on the host, and on the second next device if there is one
    if (other != devices[0]) {
      sycl::queue q(other, errors.handler());
      add_one(q, on_both, z);
      q.wait_and_throw();
      EXPECT_TRUE(errors.texts.empty()) << prism_test::name_of(other) << ": " << errors.texts[0];
      EXPECT_EQ(sycl::host_accessor(z, sycl::read_only)[n - 1], n + 1);
    }
  add_one(next, x, z);
  next.wait_and_throw();
  EXPECT_TRUE(errors.texts.empty()) << errors.texts[0];
  EXPECT_EQ(sycl::host_accessor(z, sycl::read_only)[n - 1], n);

  const std::string lost = "4000 bytes of a buffer of 4000 bytes are lost: they existed only on ";
  std::string text;
  EXPECT_EQ(error_of([&] { const sycl::host_accessor a(only_there, sycl::read_only); }, &text),
            sycl::errc::runtime);
  EXPECT_NE(text.find(lost), std::string::npos) << text;
  EXPECT_NE(text.find(prism_test::name_of(devices[0])), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { add_one(next, only_there, z); }, &text), sycl::errc::runtime);
  EXPECT_NE(text.find(lost), std::string::npos) << text;
}

TEST(lost_device, is_an_error_and_causes_no_fallback_in_plain_sycl) {
  if (!is_lost_by_fault()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one device only";
  const std::uint64_t fallbacks = prism::fallback_count();
  error_log errors;
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), z{sycl::range<1>(n)};
  z.set_final_data(nullptr);
  sycl::queue q(devices[0], errors.handler());
  constexpr int launches = 8, before_the_loss = 3; // at most
  int refused = 0;
  for (int i = 0; i < launches; ++i) {
    refused += error_of([&] { add_one(q, x, z); }) != sycl::errc::success;
    q.wait_and_throw();
  }
  EXPECT_GE(errors.texts.size() + std::size_t(refused), std::size_t(launches - before_the_loss));
  for (const std::string& text : errors.texts) EXPECT_NE(text.find("lost"), std::string::npos) << text;
  EXPECT_TRUE(q.get_device() == devices[0]);
  EXPECT_EQ(prism::fallback_count(), fallbacks);
  EXPECT_NE(error_of([&] { sycl::host_accessor found(z, sycl::read_only); }), sycl::errc::success)
      << "work of the lost device must not run on another one";
}

// Its first submission ends, and no other one.
TEST(hanging_device, is_lost_by_name_and_the_next_device_does_the_work) {
  if (!hangs()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const std::vector<sycl::device> devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "one device only";
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), y{sycl::range<1>(n)}, z{sycl::range<1>(n)};
  const prism::recovery_report report =
      prism::run_with_fallback({devices[0], devices[1]}, [&](sycl::queue& q) {
    add_one(q, x, y);
    add_one(q, y, z); // waits for a command that never ends
    q.wait_and_throw();
  });
  ASSERT_EQ(report.steps.size(), 1u);
  EXPECT_EQ(report.steps[0].why, prism::failure_class::device_lost);
  EXPECT_NE(report.steps[0].text.find("PRISM_TIMEOUT"), std::string::npos) << report.steps[0].text;
  EXPECT_NE(report.steps[0].text.find("recovery_test.cpp:"), std::string::npos) << report.steps[0].text;
  EXPECT_EQ(sycl::host_accessor(z, sycl::read_only)[n - 1], n + 1);

  // All later work of the device fails at once, with the same name.
  error_log errors;
  sycl::queue again(devices[0], errors.handler());
  std::string text;
  if (error_of([&] { add_one(again, x, y); }, &text) == sycl::errc::success) {
    again.wait_and_throw();
    ASSERT_FALSE(errors.texts.empty());
    text = errors.texts[0];
  }
  EXPECT_NE(text.find("the device is lost"), std::string::npos) << text;

  bool excludes_it = false;
  for (const prism::candidate& c : prism::selector(prism::execution_policy()).selection().candidates())
    excludes_it |= !c.fits && c.reason.find("it is lost") == 0;
  EXPECT_TRUE(excludes_it) << "no policy chooses it again";
}

TEST(hanging_device, fails_the_commands_that_it_has_and_leaves_their_memory) {
  if (!hangs()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  error_log errors;
  sycl::queue q(sycl::device::get_devices()[0], errors.handler());
  const std::vector<int> data = counted(n);
  sycl::buffer<int> x(data), y{sycl::range<1>(n)}, z{sycl::range<1>(n)};
  add_one(q, x, y);
  sycl::event second, third;
  second = q.submit([&](sycl::handler& h) {
    const sycl::accessor a(y, h, sycl::read_only);
    const sycl::accessor b(z, h, sycl::write_only, sycl::no_init);
    h.parallel_for<class never_completes>(n, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
  third = q.submit([&](sycl::handler& h) {
    h.depends_on(second);
    h.host_task([] {});
  });
  std::string text;
  EXPECT_EQ(error_of([&] { third.wait(); }, &text), sycl::errc::runtime);
  // If the first submission completed during that wait, nothing has outlasted the limit yet.
  if (text.find("the device is lost") == std::string::npos)
    EXPECT_EQ(error_of([&] { third.wait(); }, &text), sycl::errc::runtime);
  EXPECT_NE(text.find("the device is lost"), std::string::npos) << text;
  second.wait(); // complete, and failed
  EXPECT_EQ(second.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  third.wait();
  q.wait_and_throw();
  EXPECT_TRUE(std::any_of(errors.texts.begin(), errors.texts.end(), [](const std::string& each) {
    return each.find("never_completes") != std::string::npos &&
           each.find("the device is lost") != std::string::npos;
  }));
  EXPECT_EQ(error_of([&] { const sycl::host_accessor a(z, sycl::read_only); }), sycl::errc::runtime);
}

TEST(hanging_device, frees_the_memory_that_a_command_uses) {
  if (!hangs()) GTEST_SKIP() << "PRISM_WRAP has no fault";
  error_log errors;
  sycl::queue q(sycl::device::get_devices()[0], errors.handler());
  SKIP_WITHOUT(q, usm_device_allocations);
  const auto free_it = [&](int* memory) { sycl::free(memory, q); };
  {
    const std::unique_ptr<int, decltype(free_it)> memory(sycl::malloc_device<int>(n, q), free_it);
    for (int submission = 1; submission <= 2; ++submission) q.fill(memory.get(), submission, n);
    // its destructor waits until the limit; an exception there would end the process
  }
  q.wait_and_throw();
  ASSERT_FALSE(errors.texts.empty());
  EXPECT_NE(errors.texts.back().find("the device is lost"), std::string::npos) << errors.texts.back();
}

// A kernel that the device executes until the host sets a flag in memory that both reach.
TEST(long_kernel, that_outlasts_the_limit_loses_its_device_and_may_still_use_its_memory) {
  if (!std::getenv("PRISM_TIMEOUT") || std::getenv("PRISM_WRAP") != nullptr)
    GTEST_SKIP() << "run with PRISM_TIMEOUT";
  error_log errors;
  sycl::queue q(errors.handler());
  SKIP_WITHOUT(q, usm_atomic_host_allocations);
  if (prism_test::name_of(q.get_device()).find("llvmpipe") != std::string::npos)
    GTEST_SKIP() << prism_test::name_of(q.get_device()) << " ends long loops";
  int* const flag = sycl::malloc_host<int>(2, q);
  int* const data = sycl::malloc_host<int>(n, q);
  flag[0] = flag[1] = 0;
  data[n - 1] = 0;
  const auto set = [](int& at) {
    return sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::system>(at);
  };
  const sycl::event running = q.single_task<class outlasts>([=] {
    const sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::system> may_end(flag[0]),
        has_ended(flag[1]);
    while (may_end.load() == 0) {}
    data[n - 1] = 7;
    has_ended.store(1);
  });
  std::string text;
  EXPECT_EQ(error_of([&] { sycl::event(running).wait(); }, &text), sycl::errc::runtime);
  EXPECT_NE(text.find("the device is lost"), std::string::npos) << text;
  EXPECT_NE(text.find("outlasts"), std::string::npos) << text;
  EXPECT_NE(error_of([&] {
    q.single_task([] {});
    q.wait_and_throw();
    if (!errors.texts.empty()) throw sycl::exception(sycl::errc::runtime, errors.texts.back());
  }),
            sycl::errc::success)
      << "the device takes no more work";
  sycl::free(data, q); // the kernel still writes there
  set(flag[0]).store(1);
  EXPECT_TRUE(prism_test::eventually([&] { return set(flag[1]).load() == 1; }));
}

} // namespace
