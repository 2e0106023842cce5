// Lifetimes: events, memory and failures after their queue was destroyed; pointers after free; a full device.
#include "tests/sycl/common.hpp"

#include <future>
#include <memory>
#include <optional>

using prism_test::counted;
using prism_test::error_log;
using prism_test::error_of;

namespace {

TEST(after_the_queue, its_events_answer_every_query) {
  const bool profiling = sycl::device().has(sycl::aspect::queue_profiling);
  sycl::event first, e;
  sycl::buffer<int> b{sycl::range<1>(64)};
  {
    sycl::queue q(profiling ? sycl::property_list{sycl::property::queue::enable_profiling()}
                            : sycl::property_list{});
    const auto set = [&](int value) {
      return q.submit([&](sycl::handler& h) {
        h.depends_on(first);
        sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
        h.parallel_for(64, [=](sycl::id<1> i) { a[i] = value; });
      });
    };
    first = set(1);
    e = set(2);
  }
  e.wait();
  EXPECT_EQ(e.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  for (const sycl::event& before : e.get_wait_list())
    before.get_info<sycl::info::event::command_execution_status>();
  if (profiling) {
    EXPECT_LE(e.get_profiling_info<sycl::info::event_profiling::command_start>(),
              e.get_profiling_info<sycl::info::event_profiling::command_end>());
  }
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[63], 2);
}

TEST(after_the_queue, its_events_order_the_work_of_another) {
  sycl::buffer<int> b{sycl::range<1>(1)};
  std::optional<sycl::queue> destroyed{sycl::queue()};
  bool ran = false;
  const sycl::event e = destroyed->submit([&](sycl::handler& h) { h.host_task([&] { ran = true; }); });
  destroyed.reset();
  sycl::queue q;
  bool in_order = false;
  q.submit([&](sycl::handler& h) {
    h.depends_on(e);
    h.host_task([&] { in_order = ran; });
  }).wait_and_throw();
  EXPECT_TRUE(in_order);
}

TEST(after_the_queue, usm_of_its_context_is_used_and_freed_by_another) {
  const sycl::context c{sycl::device()};
  sycl::queue q(c, sycl::device());
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = nullptr;
  {
    const sycl::queue first(c, sycl::device());
    p = sycl::malloc_device<int>(8, first);
  }
  q.fill(p, 3, 8).wait();
  int value = 0;
  q.copy(p + 7, &value, 1).wait();
  EXPECT_EQ(value, 3);
  sycl::free(p, c);
}

TEST(after_the_queue, a_copy_of_it_works_on) {
  auto first = std::make_unique<sycl::queue>();
  sycl::queue second = *first;
  first.reset();
  int value = 0;
  {
    sycl::buffer<int> b(&value, 1);
    second.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      h.single_task([=] { a[0] = 6; });
    });
  }
  EXPECT_EQ(value, 6);
}

TEST(after_free, a_pointer_is_refused_wherever_it_is_named) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  std::vector<int> host(1024);
  int* p = sycl::malloc_device<int>(1024, q);
  sycl::free(p, q);
  std::string text;
  EXPECT_EQ(error_of([&] { q.memcpy(host.data(), p, 4096); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("free"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { q.memcpy(p + 5, host.data(), 8); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.fill(p, 1, 10); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.memset(p, 1, 10); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { q.prefetch(p, 10); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { sycl::free(p, q); }), sycl::errc::invalid);
  EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), sycl::usm::alloc::unknown);
  EXPECT_EQ(error_of([&] { sycl::get_pointer_device(p, q.get_context()); }), sycl::errc::invalid);
}

TEST(after_free, a_kernel_that_captured_the_pointer_is_refused) {
#if !defined(PRISM_TEST_COMPILED)
  GTEST_SKIP() << "only prism++ knows which words of a kernel are pointers";
#endif
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  int* p = sycl::malloc_device<int>(1024, q);
  sycl::free(p, q);
  std::string text;
  EXPECT_EQ(error_of([&] { q.single_task([=] { p[3] = 1; }); }, &text), sycl::errc::invalid);
  EXPECT_NE(text.find("free"), std::string::npos) << text;
}

TEST(after_free, the_memory_serves_again) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_device_allocations);
  for (int round = 0; round < 50; ++round) {
    int* p = sycl::malloc_device<int>(1 << 16, q);
    ASSERT_NE(p, nullptr);
    int value = 0;
    q.single_task([=] { p[(1 << 16) - 1] = round; }).wait();
    q.copy(p + (1 << 16) - 1, &value, 1).wait();
    EXPECT_EQ(value, round);
    sycl::free(p, q);
  }
}

TEST(errors, of_a_group_leave_buffers_and_queue_as_they_were) {
  error_log log;
  sycl::queue q(log.handler());
  std::vector<int> data = counted(16);
  sycl::buffer<int> b(data);
  for (int round = 0; round < 8; ++round) {
    EXPECT_THROW(q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h);
      sycl::local_accessor<int> l(4, h);
      if (round % 2 == 0) throw std::runtime_error("of the user");
      h.parallel_for(sycl::nd_range<1>(16, 5), [=](sycl::nd_item<1> i) { a[i.get_global_id(0)] = l[0]; });
    }),
                 std::exception);
  }
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(16, [=](sycl::id<1> i) { a[i] += 1; });
  });
  q.wait_and_throw();
  EXPECT_TRUE(log.texts.empty());
  const sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(std::vector<int>(a.begin(), a.end()), counted(16, 1));
}

TEST(errors, of_a_host_task_reach_commands_that_need_its_data) {
  error_log log;
  sycl::queue q(log.handler());
  sycl::buffer<int> b{sycl::range<1>(4)};
  std::promise<void> both;
  const std::future<void> submitted = both.get_future();
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only_host_task);
    h.host_task([&] {
      submitted.wait();
      throw std::runtime_error("no data today");
    });
  });
  sycl::event dependent = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 1; });
  });
  both.set_value();
  dependent.wait();
  q.wait_and_throw();
  ASSERT_EQ(log.texts.size(), 2u);
  EXPECT_EQ(log.texts[0], "no data today");
  EXPECT_NE(log.texts[1].find("no data today"), std::string::npos) << log.texts[1];
}

} // namespace
