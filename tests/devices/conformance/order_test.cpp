// Order inside and between queues, timelines, callbacks, profiling.
#include "tests/devices/conformance/kit.hpp"

#include "devices/api/backend.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <thread>

namespace prism::devices {
const backend& record_backend();
}

namespace prism::devices::conformance {
namespace {

class order_test : public kit {
protected:
  command fill(memory& m, int value) { return fill_command{&m, 0, m.size(), {std::byte(value)}}; }
  command copy(memory& from, memory& to) { return copy_command{{&from}, {&to}, to.size()}; }
};

TEST_F(order_test, points_count_from_one) {
  const command nothing = barrier_command{};
  for (std::uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(m_queue->submit({&nothing, 1}, {}), i);
  finish(*m_queue, 5);
  EXPECT_EQ(m_queue->points().completed(), 5u);
}

TEST_F(order_test, an_empty_submission_completes) { finish(*m_queue, m_queue->submit({}, {})); }

TEST_F(order_test, commands_of_one_submission_run_in_order) {
  const auto a = make(4096), b = make(4096);
  std::vector<command> commands;
  for (int i = 1; i <= 20; ++i) {
    commands.push_back(fill(*a, i));
    commands.push_back(copy(*a, *b));
    if (i % 4 == 0) commands.push_back(barrier_command{});
    commands.push_back(fill(*a, 200));
  }
  finish(*m_queue, m_queue->submit(commands, {}));
  EXPECT_EQ(read(*b), std::vector<std::byte>(4096, std::byte(20)));
  EXPECT_EQ(read(*a), std::vector<std::byte>(4096, std::byte(200)));
}

TEST_F(order_test, submissions_of_one_queue_run_in_order) {
  const auto a = make(4096), b = make(4096);
  std::uint64_t last = 0;
  for (int i = 1; i <= 100; ++i) {
    const command commands[] = {fill(*a, i), copy(*a, *b)};
    m_queue->submit({commands, 1}, {});
    last = m_queue->submit({commands + 1, 1}, {});
  }
  finish(*m_queue, last);
  EXPECT_EQ(read(*b), std::vector<std::byte>(4096, std::byte(100)));
}

TEST_F(order_test, a_queue_waits_for_points_of_another) {
  const auto other = m_device.create_queue({});
  ASSERT_TRUE(m_device.can_wait_for(other->points()));
  const auto a = make(4096), b = make(4096);
  timeline_point last{};
  for (int i = 1; i <= 60; ++i) { // each queue reads what the other one wrote
    queue& writer = i % 2 ? *m_queue : *other;
    queue& copier = i % 2 ? *other : *m_queue;
    const auto one = fill(*a, i), two = copy(*a, *b);
    const timeline_point written{&writer.points(), writer.submit({&one, 1}, {&last, last.owner ? 1u : 0u})};
    last = {&copier.points(), copier.submit({&two, 1}, {&written, 1})};
  }
  EXPECT_TRUE(last.owner->wait(last.value, std::chrono::minutes(1)));
  EXPECT_EQ(read(*b), std::vector<std::byte>(4096, std::byte(60)));
}

TEST_F(order_test, one_submission_waits_for_several_queues) {
  std::vector<std::unique_ptr<queue>> queues;
  std::vector<std::unique_ptr<memory>> parts;
  std::vector<timeline_point> waits;
  const auto whole = make(8 * 512);
  std::vector<command> gather;
  for (int i = 0; i < 8; ++i) {
    queues.push_back(m_device.create_queue({}));
    parts.push_back(make(512));
    const auto write = fill(*parts.back(), i + 1);
    waits.push_back({&queues.back()->points(), queues.back()->submit({&write, 1}, {})});
    gather.push_back(copy_command{{parts.back().get()}, {whole.get(), nullptr, std::uint64_t(i) * 512}, 512});
  }
  finish(*m_queue, m_queue->submit(gather, waits));
  const auto bytes = read(*whole);
  for (int i = 0; i < 8 * 512; ++i) ASSERT_EQ(bytes[i], std::byte(i / 512 + 1)) << i;
}

TEST_F(order_test, waits_on_own_and_long_completed_points_are_met) {
  const command nothing = barrier_command{};
  const auto first = m_queue->submit({&nothing, 1}, {});
  finish(*m_queue, first);
  const timeline_point own{&m_queue->points(), first};
  const auto second = m_queue->submit({&nothing, 1}, {&own, 1});
  const timeline_point pending{&m_queue->points(), second};
  finish(*m_queue, m_queue->submit({}, {&pending, 1}));
}

TEST_F(order_test, points_of_another_devices_timeline_are_rejected) {
  auto foreign =
      record_backend().open(); // the last driver differs from the first, which may be the one under test
  const auto theirs = foreign.back()->create_queue({});
  EXPECT_FALSE(m_device.can_wait_for(theirs->points()));
}

TEST_F(order_test, completion_is_monotonic_and_visible_without_waiting) {
  const auto m = make(1 << 20);
  const auto write = fill(*m, 3);
  for (int i = 0; i < 20; ++i) m_queue->submit({&write, 1}, {});
  m_queue->flush();
  std::uint64_t seen = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (seen < 20 && std::chrono::steady_clock::now() < limit) {
    const auto now = m_queue->points().completed();
    ASSERT_GE(now, seen);
    seen = now;
    std::this_thread::yield();
  }
  EXPECT_EQ(seen, 20u);
  EXPECT_FALSE(m_queue->points().failure(20));
  EXPECT_TRUE(m_queue->points().wait(20, std::chrono::nanoseconds(0)));
}

TEST_F(order_test, a_wait_with_a_timeout_returns) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(m_queue->points().wait(1, std::chrono::milliseconds(20))) << "nothing was submitted";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(order_test, many_threads_wait_for_one_point) {
  const auto m = make(8 << 20);
  const auto write = fill(*m, 3);
  std::uint64_t point = 0;
  for (int i = 0; i < 10; ++i) point = m_queue->submit({&write, 1}, {});
  std::atomic<int> woken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { woken += m_queue->points().wait(point - i % 3); });
  for (auto& t : threads) t.join();
  EXPECT_EQ(woken, 8);
}

TEST_F(order_test, callbacks_run_once_for_pending_and_completed_points) {
  std::atomic<int> calls{0};
  const auto count = [](void* context) { ++*static_cast<std::atomic<int>*>(context); };
  const auto m = make(1 << 20);
  const auto write = fill(*m, 3);
  std::uint64_t point = 0;
  for (int i = 0; i < 10; ++i) {
    point = m_queue->submit({&write, 1}, {});
    m_queue->points().on_completion(point, count, &calls);
  }
  finish(*m_queue, point);
  m_queue->points().on_completion(1, count, &calls);
  EXPECT_TRUE(prism_test::eventually([&] { return calls >= 11; }));
  EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(20), [&] { return calls > 11; }));
}

TEST_F(order_test, a_callback_runs_though_no_thread_waits) {
  std::atomic<int> calls{0};
  const command nothing = barrier_command{};
  const auto point = m_queue->submit({&nothing, 1}, {});
  m_queue->flush();
  m_queue->points().on_completion(point, [](void* c) { ++*static_cast<std::atomic<int>*>(c); }, &calls);
  EXPECT_TRUE(prism_test::eventually([&] { return calls == 1; }));
}

TEST_F(order_test, destroying_a_queue_finishes_its_work) {
  const auto m = make(4 << 20);
  {
    const auto short_lived = m_device.create_queue({});
    const auto write = fill(*m, 77);
    for (int i = 0; i < 5; ++i) short_lived->submit({&write, 1}, {});
  }
  EXPECT_EQ(read(*m, (4 << 20) - 1, 1).front(), std::byte(77));
}

TEST_F(order_test, profiling_times_are_ordered) {
  if (!m_device.info().profiling) GTEST_SKIP() << "the device does not measure times";
  const auto timed = m_device.create_queue({true});
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  constexpr long long tolerance = 20'000'000; // device clocks are calibrated, not shared
  const auto m = make(4 << 20);
  const auto before = now();
  std::uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    const auto write = fill(*m, i);
    last = timed->submit({&write, 1}, {});
  }
  finish(*timed, last);
  const auto after = now();
  std::uint64_t end_before = 0;
  for (std::uint64_t point = 1; point <= last; ++point) {
    const auto t = timed->points().times(point);
    EXPECT_GE((long long)t.submitted_ns, before - tolerance);
    EXPECT_LE(t.submitted_ns, t.started_ns) << point;
    EXPECT_LE(t.started_ns, t.ended_ns) << point;
    EXPECT_LE((long long)t.ended_ns, after + tolerance) << point;
    EXPECT_GE(t.ended_ns + 1000, end_before) << point;
    end_before = t.ended_ns;
  }
}

TEST_F(order_test, trace_times_do_not_overlap) {
  if (!m_device.info().profiling) GTEST_SKIP() << "the device does not measure times";
  const auto timed = m_device.create_queue({.profiling = true, .for_trace = true});
  const auto m = make(4 << 20);
  std::uint64_t last = 0;
  for (int i = 0; i < 600; ++i) {
    const auto write = fill(*m, i % 100);
    last = timed->submit({&write, 1}, {});
    if (i % 50 == 49) finish(*timed, last); // the next command does not wait for earlier ones
  }
  std::uint64_t end_before = 0;
  for (std::uint64_t point = 1; point <= last; ++point) {
    const auto t = timed->points().times(point);
    EXPECT_GT(t.started_ns, 0u) << point;
    EXPECT_LE(t.started_ns, t.ended_ns) << point;
    EXPECT_GE(t.started_ns + 1000, end_before) << point;
    if (t.starts_at_end_before) {
      EXPECT_NE(point % 50, 1u) << point << " comes after a command that the host waited for";
      EXPECT_GE(t.started_ns, end_before) << point;
    }
    end_before = t.ended_ns;
  }
}

} // namespace
} // namespace prism::devices::conformance
