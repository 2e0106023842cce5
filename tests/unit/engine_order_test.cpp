// Order, deferred work, failures, events.
#include "runtime/execution/scheduled_command.hpp"
#include "tests/unit/test_device.hpp"
#include "tests/wait.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

using namespace prism;
using namespace prism::test;
using namespace std::chrono_literals;

namespace {

std::mutex log_mutex;
std::vector<std::uint64_t> ran; // numbers of the kernels in the order of their execution

void record_number(const kernel_call& c) {
  const std::lock_guard lock(log_mutex);
  ran.push_back(c.argument<std::uint64_t>(0));
}
void fail(const kernel_call&) {
  throw devices::device_error(devices::error_category::lost, "TEST_LOST", "run the kernel");
}
test_kernel records(record_number, 0, 8), fails(fail, 0, 8);

command_group recording(std::uint64_t number, std::vector<command_ptr> after = {}) {
  auto g = kernel_on(records, 1, {}, {number});
  g.dependencies = std::move(after);
  return g;
}
command_group failing() { return kernel_on(fails, 1, {}, {0}); }
command_group host_task(std::function<void()> f, std::vector<command_ptr> after = {}) {
  command_group g;
  g.what = host_task_request{std::move(f)};
  g.dependencies = std::move(after);
  return g;
}

struct order : testing::Test {
  void SetUp() override {
    const std::lock_guard lock(log_mutex);
    ran.clear();
  }
};

/// A command completes before the objects that it retains are destroyed. The end of the process waits for
/// that as well.
TEST_F(order, worker_threads_end_after_destroying_retained_objects) {
  runtime::process_runtime& root = runtime::process_runtime::get();
  std::atomic<int> destroyed{0};
  prism_test::gate first, second;
  const auto ends_after = [&](prism_test::gate& gate) {
    return [&](void*) {
      gate.wait();
      prism_test::spend(20ms);
      ++destroyed;
    };
  };
  static int object = 0;
  runtime::command_ref done = runtime::make_command(nullptr, runtime::no_work{});
  done->retain(std::shared_ptr<void>(&object, ends_after(first)));
  root.deferred_work().post(std::move(done));
  root.deferred_work().catch_up(std::chrono::steady_clock::now() + 1ms);
  EXPECT_EQ(destroyed, 0) << "catch_up() must return at its deadline";
  first.open();
  root.deferred_work().catch_up(std::chrono::steady_clock::now() + 10s);
  EXPECT_EQ(destroyed, 1);

  root.workers().post([retained = std::shared_ptr<void>(&object, ends_after(second))] {});
  root.workers().catch_up(std::chrono::steady_clock::now() + 1ms);
  EXPECT_EQ(destroyed, 1);
  second.open();
  root.workers().catch_up(std::chrono::steady_clock::now() + 10s);
  EXPECT_EQ(destroyed, 2);
}

TEST_F(order, the_end_of_the_process_waits_for_worker_threads) {
  GTEST_FLAG_SET(death_test_style,
                 "threadsafe"); // a child process, because the threads that drain() ends do not start again
  const auto end = [] {
    static std::atomic<int> destroyed{0};
    const auto slow_end = [](void*) {
      prism_test::spend(100ms); // drain() has started by then
      ++destroyed;
    };
    static int object = 0;
    runtime::process_runtime& root = runtime::process_runtime::get();
    runtime::command_ref done = runtime::make_command(nullptr, runtime::no_work{});
    done->retain(std::shared_ptr<void>(&object, slow_end));
    root.deferred_work().post(std::move(done));
    root.workers().post([retained = std::shared_ptr<void>(&object, slow_end)] {});
    root.drain();
    std::_Exit(destroyed);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(2), "");
}

/// Destructors free memory and must not throw. The error is reported to the caller that waits for the work.
TEST_F(order, freeing_memory_does_not_report_a_lost_device) {
  const auto q = create_queue(far(0), {true, false});
  void* const p = usm_allocate(far(0), 64, 0, devices::memory_kind::device, nullptr);
  closed_gate gate;
  const auto c = submit(*q, recording(1));
  fail_next_wait();
  EXPECT_NO_THROW(usm_free(p, nullptr));
  EXPECT_FALSE(usm_find(p).has_value());
  gate.open();
  c->wait();
}

TEST_F(order, queues_are_flushed_only_if_the_device_needs_it) {
  const auto alone = create_queue(near(), {true, false}), q = create_queue(far(0), {true, false});
  closed_gate gate;
  const int far_before = counted.far_flushes, near_before = counted.near_flushes;
  submit(*alone, recording(1));
  submit(*q, recording(2));
  EXPECT_TRUE(prism_test::eventually([&] { return counted.far_flushes > far_before; }));
  EXPECT_EQ(counted.near_flushes, near_before); // its flush would have come first
  gate.open();
  alone->wait();
  q->wait();
}

TEST_F(order, an_in_order_queue_orders_kernels_and_host_tasks) {
  const auto q = create_queue(far(0), {true, false});
  for (std::uint64_t i = 0; i < 50; ++i) {
    if (i % 3 == 0)
      submit(*q, host_task([i] {
        const std::lock_guard lock(log_mutex);
        ran.push_back(i);
      }));
    else submit(*q, recording(i));
  }
  q->wait();
  ASSERT_EQ(ran.size(), 50u);
  for (std::uint64_t i = 0; i < 50; ++i) EXPECT_EQ(ran[i], i);
}

// The device of these tests runs a command before earlier ones of its queue, unless the engine passes it a
// dependency.
struct order_in_a_queue : order {
  queue_ptr queue = create_queue(far(0), {});
  static std::vector<std::uint64_t> order_of(const queue_ptr& q, std::uint64_t count) {
    q->wait();
    const std::lock_guard lock(log_mutex);
    EXPECT_EQ(ran.size(), count);
    return std::exchange(ran, {});
  }
  static std::size_t at(const std::vector<std::uint64_t>& all, std::uint64_t number) {
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), number) - all.begin());
  }
  static command_group barrier() {
    command_group g;
    g.barrier = true;
    return g;
  }
};

TEST_F(order_in_a_queue, commands_that_share_nothing_are_unordered) {
  closed_gate gate;
  for (std::uint64_t i = 0; i < 8; ++i) submit(*queue, recording(i));
  gate.open();
  const auto all = order_of(queue, 8);
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
}

TEST_F(order_in_a_queue, commands_follow_only_their_dependencies) {
  closed_gate gate;
  command_ptr even, odd;
  for (std::uint64_t i = 0; i < 12; ++i) {
    command_ptr& last = i % 2 == 0 ? even : odd;
    last = submit(*queue, recording(i, last != nullptr ? std::vector{last} : std::vector<command_ptr>{}));
  }
  gate.open();
  const auto all = order_of(queue, 12);
  for (std::uint64_t i = 2; i < 12; ++i) EXPECT_LT(at(all, i - 2), at(all, i));
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
}

TEST_F(order_in_a_queue, a_barrier_orders_all_earlier_and_later_commands) {
  closed_gate gate;
  for (std::uint64_t i = 0; i < 4; ++i) submit(*queue, recording(i));
  submit(*queue, barrier());
  for (std::uint64_t i = 4; i < 8; ++i) submit(*queue, recording(i));
  gate.open();
  const auto all = order_of(queue, 8);
  for (std::uint64_t i = 0; i < 4; ++i)
    for (std::uint64_t j = 4; j < 8; ++j) EXPECT_LT(at(all, i), at(all, j));
}

TEST_F(order_in_a_queue, an_in_order_queue_stays_in_order_after_a_failure) {
  const auto q = create_queue(far(0), {true, false});
  const auto bad = submit(*create_queue(near(), {}), failing());
  bad->wait();
  closed_gate gate;
  submit(*q, recording(0));
  submit(*q, recording(1));
  submit(*q, recording(2, {bad})); // ends without execution
  submit(*q, recording(3));
  gate.open();
  EXPECT_EQ(order_of(q, 3), (std::vector<std::uint64_t>{0, 1, 3}));
}

TEST_F(order_in_a_queue, a_failed_command_ends_after_its_dependencies) {
  const auto q = create_queue(far(0), {}), other = create_queue(far(0), {});
  const auto bad = submit(*create_queue(near(), {}), failing());
  bad->wait();
  closed_gate gate;
  const auto slow = submit(*q, recording(0));
  const auto failed = submit(*other, recording(1, {slow, bad})); // the device could wait for the first
  EXPECT_NE(failed->query(), command_node::status::complete);
  gate.open();
  EXPECT_NE(failure_of(failed).find("TEST_LOST"), std::string::npos);
  EXPECT_EQ(slow->query(), command_node::status::complete);
  EXPECT_EQ(ran, std::vector<std::uint64_t>{0});
}

TEST_F(order_in_a_queue, a_failed_command_does_not_bypass_an_earlier_host_task) {
  const auto q = create_queue(far(0), {true, false});
  const auto bad = submit(*create_queue(near(), {}), failing());
  bad->wait();
  std::promise<void> open;
  submit(*q, host_task([&] {
    open.get_future().wait();
    const std::lock_guard lock(log_mutex);
    ran.push_back(0);
  }));
  const auto failed = submit(*q, recording(1, {bad})); // could end at once, but is ordered second
  submit(*q, recording(2));
  EXPECT_NE(failed->query(), command_node::status::complete);
  open.set_value();
  EXPECT_EQ(order_of(q, 2), (std::vector<std::uint64_t>{0, 2}));
  EXPECT_NE(failure_of(failed).find("TEST_LOST"), std::string::npos);
}

TEST_F(order_in_a_queue, commands_follow_a_barrier_that_failed) {
  const auto bad = submit(*create_queue(near(), {}), failing());
  bad->wait();
  closed_gate gate;
  for (std::uint64_t i = 0; i < 4; ++i) submit(*queue, recording(i));
  command_group failed = barrier();
  failed.dependencies = {bad};
  submit(*queue, std::move(failed));
  submit(*queue, recording(4));
  gate.open();
  EXPECT_EQ(order_of(queue, 5).back(), 4u);
}

TEST_F(order_in_a_queue, kernels_follow_those_that_use_the_same_elements_of_a_buffer) {
  const auto a = int_buffer(16), b = int_buffer(16);
  test_kernel uses(+[](const kernel_call& c) {
    const std::lock_guard lock(log_mutex);
    ran.push_back(c.argument<std::uint64_t>(8));
  }, 1, 16);
  const auto writing = [&](const buffer_ptr& to, std::uint64_t number) {
    return kernel_on(uses, 1, {{to, access_mode::read_write, 16}}, {number});
  };
  submit(*queue, writing(a, 100));
  submit(*queue, writing(b, 101)); // the device has both now
  order_of(queue, 2);
  closed_gate gate;
  for (std::uint64_t i = 0; i < 5; ++i) submit(*queue, writing(a, i));
  submit(*queue, writing(b, 5));
  gate.open();
  const auto all = order_of(queue, 6);
  for (std::uint64_t i = 1; i < 5; ++i) EXPECT_LT(at(all, i - 1), at(all, i));
  EXPECT_LT(at(all, 5), at(all, 4));
}

struct order_of_known_uses : order_in_a_queue {
  template <std::uint32_t slots>
  struct known_kernel : test_kernel { // a kernel whose number follows its slots
    known_kernel()
        : test_kernel(+[](const kernel_call& c) {
            const std::lock_guard lock(log_mutex);
            ran.push_back(c.argument<std::uint64_t>(slots * 8));
          }, slots, slots * 8 + 8) {
      record.flags |= image::reaches_by_slots;
    }
  };
  known_kernel<1> known;
  std::array<buffer_ptr, 3> buffers = {int_buffer(16), int_buffer(16), int_buffer(16)};
  command_group writing(std::size_t buffer, std::uint64_t number) {
    return kernel_on(known, 1, {{buffers[buffer], access_mode::read_write, 16}}, {number});
  }
  /// Six kernels, each on one of three buffers, between two kernels that may use any memory. All memory is on
  /// the device.
  std::vector<std::uint64_t> six_between_two(const queue_ptr& q) {
    for (std::size_t b = 0; b < buffers.size(); ++b) submit(*q, writing(b, b));
    order_of(q, 3);
    closed_gate gate;
    submit(*q, recording(0));
    for (std::uint64_t i = 1; i < 7; ++i) submit(*q, writing(i % 3, i));
    submit(*q, recording(7));
    gate.open();
    return order_of(q, 8);
  }
};

TEST_F(order_of_known_uses, independent_kernels_of_an_in_order_queue_are_unordered) {
  const auto all = six_between_two(create_queue(far(0), {true, false}));
  EXPECT_EQ(all.front(), 0u);
  EXPECT_EQ(all.back(), 7u);
  for (std::uint64_t i = 1; i < 4; ++i) EXPECT_LT(at(all, i), at(all, i + 3));
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
}

TEST_F(order_of_known_uses, an_in_order_queue_is_in_order_as_seen_by_the_program) {
  const auto profiling = six_between_two(create_queue(far(0), {true, true}));
  EXPECT_TRUE(std::is_sorted(profiling.begin(), profiling.end()));
  const auto shared =
      create_queue(far(1), {true, false}); // far(0) would reuse the device queue in other tests
  (void)shared->native("queue");           // the program submits work of its own to it
  const auto with_native_work = six_between_two(shared);
  EXPECT_TRUE(std::is_sorted(with_native_work.begin(), with_native_work.end()));
}

TEST_F(order_of_known_uses, kernels_that_share_unnamed_memory_stay_in_order) {
  static const image::hidden_argument kinds[] = {
      {image::hidden_kind::device_global, 8, 8, 1, nullptr},
      {image::hidden_kind::specialization_constant, 8, 8, 1, nullptr}};
  for (const image::hidden_argument& kind : kinds) {
    known_kernel<1> with_hidden;
    with_hidden.record.hidden = &kind;
    with_hidden.record.hidden_count = 1;
    const auto q = create_queue(far(0), {true, false});
    for (std::size_t b = 0; b < buffers.size(); ++b) submit(*q, writing(b, b));
    order_of(q, 3);
    closed_gate gate;
    for (std::uint64_t i = 0; i < 3; ++i)
      submit(*q, kernel_on(with_hidden, 1, {{buffers[i], access_mode::read_write, 16}}, {i}));
    gate.open();
    const auto all = order_of(q, 3);
    EXPECT_EQ(std::is_sorted(all.begin(), all.end()), kind.what == image::hidden_kind::device_global);
  }
}

TEST_F(order_of_known_uses, a_usm_pointer_argument_may_reach_any_allocation) {
  known_kernel<2> with_pointer;
  void* const p = usm_allocate(far(0), 64, 0, devices::memory_kind::device, nullptr);
  const auto q = create_queue(far(0), {true, false});
  for (std::size_t b = 0; b < buffers.size(); ++b) submit(*q, writing(b, b));
  order_of(q, 3);
  for (const bool has_pointer : {true, false}) {
    closed_gate gate;
    for (std::uint64_t i = 0; i < 3; ++i)
      submit(*q, kernel_on(with_pointer, 1, {{buffers[i], access_mode::read_write, 16}},
                           {has_pointer ? reinterpret_cast<std::uintptr_t>(p) : 0, i}));
    gate.open();
    const auto all = order_of(q, 3);
    EXPECT_EQ(std::is_sorted(all.begin(), all.end()), has_pointer);
  }
  usm_free(p, nullptr);
}

TEST_F(order, dependencies_hold_across_devices_and_host_tasks) {
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(1), {}), q2 = create_queue(near(), {});
  command_ptr last;
  const queue_ptr queues[] = {q0, q1, q2};
  for (std::uint64_t i = 0; i < 60; ++i) {
    std::vector<command_ptr> after;
    if (last != nullptr) after.push_back(last);
    last = i % 7 == 0 ? submit(*queues[i % 3], host_task(
                                                   [i] {
      const std::lock_guard lock(log_mutex);
      ran.push_back(i);
    }, after))
                      : submit(*queues[i % 3], recording(i, after));
  }
  last->wait();
  ASSERT_EQ(ran.size(), 60u);
  for (std::uint64_t i = 0; i < 60; ++i) EXPECT_EQ(ran[i], i);
}

TEST_F(order, queues_of_one_device_pass_waits_to_the_driver) {
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(0), {});
  closed_gate gate;
  const auto first_one = submit(*q0, recording(1));
  const int before = counted.submissions;
  const auto second = submit(*q1, recording(2, {first_one}));
  EXPECT_EQ(counted.submissions, before + 1) << "the command was deferred";
  EXPECT_EQ(second->dependencies().size(), 1u);
  gate.open();
  second->wait();
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(order, a_barrier_waits_for_everything_before_it) {
  const auto q = create_queue(far(0), {});
  std::atomic<bool> done{false};
  submit(*q, host_task([&] {
    prism_test::spend(20ms); // a barrier that does not wait would be complete before
    done = true;
  }));
  command_group g;
  g.barrier = true;
  submit(*q, std::move(g))->wait();
  EXPECT_TRUE(done);
}

TEST_F(order, an_event_is_complete_only_when_its_command_is) {
  const auto q = create_queue(far(0), {});
  closed_gate gate;
  const auto c = submit(*q, recording(1));
  EXPECT_NE(c->query(), command_node::status::complete);
  EXPECT_FALSE(q->empty());
  gate.open();
  c->wait();
  EXPECT_EQ(c->query(), command_node::status::complete);
  EXPECT_TRUE(c->dependencies().empty());
  EXPECT_TRUE(q->empty());
}

TEST_F(order, an_empty_range_runs_nothing_and_completes_after_its_dependencies) {
  const auto q = create_queue(far(0), {});
  auto g = kernel_on(records, 0, {}, {1});
  closed_gate gate;
  g.dependencies.push_back(submit(*q, recording(5)));
  const auto c = submit(*q, std::move(g));
  EXPECT_NE(c->query(), command_node::status::complete);
  gate.open();
  c->wait();
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{5}));
}

#if defined(__SANITIZE_THREAD__)
constexpr bool under_thread_sanitizer = true;
#else
constexpr bool under_thread_sanitizer = false;
#endif

TEST_F(order, long_chains_of_events_are_destroyed_without_recursion) {
  constexpr std::size_t length = under_thread_sanitizer ? 4'000 : 20'000; // the longer chain takes minutes
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(0), {});
  command_ptr last;
  {
    closed_gate gate;
    for (std::uint64_t i = 0; i < length; ++i) {
      std::vector<command_ptr> after;
      if (last != nullptr) after.push_back(last);
      last = submit(i % 2 == 0 ? *q0 : *q1, recording(i, after));
    }
  }
  last->wait();
  q0->wait();
  EXPECT_EQ(ran.size(), length);
}

TEST_F(order, many_threads_may_submit_to_one_queue) {
  const auto q = create_queue(far(0), {});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 200; ++i) submit(*q, recording(i));
    });
  for (std::thread& t : threads) t.join();
  q->wait();
  EXPECT_EQ(ran.size(), 800u);
}

TEST_F(order, work_continues_after_its_queue_is_destroyed) {
  command_ptr c;
  {
    const auto q = create_queue(far(0), {});
    closed_gate gate;
    c = submit(*q, recording(9));
  }
  c->wait();
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{9}));
}

TEST_F(order, times_need_a_queue_with_profiling) {
  const auto plain = create_queue(far(0), {}), timed = create_queue(far(0), {false, true});
  EXPECT_THROW(submit(*plain, recording(1))->times(), error);
  const auto p = submit(*timed, recording(2))->times();
  EXPECT_LE(p.submitted_ns, p.started_ns);
  EXPECT_LT(p.started_ns, p.ended_ns);
  const auto h = submit(*timed, host_task([] { prism_test::spend(2ms); }))->times();
  EXPECT_GE(h.ended_ns - h.started_ns, 2'000'000u);
}

TEST_F(order, failures_go_to_the_queue_once) {
  const auto q = create_queue(far(0), {});
  const auto c = submit(*q, failing());
  EXPECT_NE(failure_of(c).find("TEST_LOST"), std::string::npos);
  EXPECT_EQ(q->take_failures().size(), 1u);
  EXPECT_TRUE(q->take_failures().empty());
}

TEST_F(order, a_failure_reaches_dependent_commands_with_its_cause) {
  const auto q0 = create_queue(far(0), {}), q1 = create_queue(far(1), {});
  const auto bad = submit(*q0, failing());
  const auto next = submit(*q1, recording(1, {bad})); // deferred, so it never runs
  const auto after = submit(*q1, host_task([] { FAIL() << "ran after a failure"; }, {next}));
  EXPECT_NE(failure_of(next).find("TEST_LOST"), std::string::npos);
  EXPECT_NE(failure_of(after).find("TEST_LOST"), std::string::npos);
  EXPECT_TRUE(ran.empty());
  EXPECT_EQ(q1->take_failures().size(), 2u);
}

TEST_F(order, a_failure_does_not_reach_commands_that_only_follow_it) {
  const auto q = create_queue(far(0), {true, false});
  submit(*q, failing());
  submit(*q, host_task([] { throw 42; }));
  const auto c = submit(*q, recording(3));
  EXPECT_EQ(failure_of(c), "");
  EXPECT_EQ(ran, (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(q->take_failures().size(), 2u);
}

TEST_F(order, a_host_tasks_exception_is_delivered) {
  const auto q = create_queue(far(0), {});
  const auto c = submit(*q, host_task([] { throw 42; }));
  c->wait();
  EXPECT_THROW(std::rethrow_exception(c->failure()), int);
}

TEST_F(order, a_host_task_sees_and_changes_buffers) {
  std::vector<int> data(10, 1);
  const auto b = int_buffer(10, data.data());
  const auto q = create_queue(far(0), {});
  static void* where = nullptr;
  auto g = host_task([] { static_cast<int*>(where)[3] = 77; });
  requirement r;
  r.buffer = b;
  r.mode = access_mode::read_write;
  r.region = first(10);
  r.on_host = true;
  r.host_pointer = &where;
  g.requirements.push_back(r);
  submit(*q, std::move(g));
  EXPECT_EQ(contents(b, 10)[3], 77);
}

TEST_F(order, use_in_a_forked_child_is_refused) {
  if (under_thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer does not support a child of a process with threads: it hangs";
  create_queue(far(0), {});
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      platforms();
    } catch (const error& e) {
      code = std::string(e.what()).find("fork") != std::string::npos ? 0 : 2;
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
