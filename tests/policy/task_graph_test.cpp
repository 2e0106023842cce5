// prism::task_graph: results, order, priorities, failures, cancellation, devices, stress.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <prism/task_graph.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

using prism_test::error_of;

namespace {

TEST(task_graph, hands_results_to_the_tasks_that_name_them) {
  prism::task_graph graph;
  const auto two = graph.add("two", [] { return 2; });
  const auto text = graph.add("text", [](int n) { return std::string(n, 'x'); }, two);
  std::atomic<bool> ran{false};
  const auto side = graph.add("side", [&] { ran = true; });
  const auto all = graph.add("all", [&](const std::string& t, int n) {
    return ran ? t + std::to_string(n) : "early";
  }, text, two, side);
  EXPECT_EQ(all.get(), "xx2");
  EXPECT_TRUE(all.is_done() && side.is_done());
  graph.wait();
  EXPECT_EQ(graph.statistics().completed, 4u);
  EXPECT_EQ(&text.get(), &text.get()) << "a result is stored once";
}

TEST(task_graph, tasks_may_add_tasks) {
  prism::task_graph graph;
  std::atomic<int> leaves{0};
  std::function<void(int)> split = [&](int depth) {
    if (depth == 0) return void(++leaves);
    for (int i = 0; i < 2; ++i) graph.add("half", [&, depth] { split(depth - 1); });
  };
  graph.add("root", [&] { split(10); });
  graph.wait();
  EXPECT_EQ(leaves, 1024);
}

TEST(task_graph, a_higher_priority_runs_first) {
  prism::task_graph_options one_thread;
  one_thread.threads = 1;
  prism::task_graph graph(one_thread);
  std::atomic<bool> open{false};
  const auto gate = graph.add("gate", [&] {
    while (!open) std::this_thread::yield();
  });
  std::mutex mutex;
  std::string order;
  const auto add = [&](char letter, prism::task_priority priority) {
    prism::task_options options;
    options.priority = priority;
    graph.add(options, [&, letter] {
      const std::lock_guard lock(mutex);
      order += letter;
    }, gate);
  };
  for (int i = 0; i < 3; ++i)
    add('l', prism::task_priority::low), add('n', prism::task_priority::normal),
        add('h', prism::task_priority::high);
  open = true;
  EXPECT_TRUE(prism_test::eventually([&] { return graph.statistics().completed == 10; }))
      << "runs without wait()";
  EXPECT_EQ(order, "hhhnnnlll");
}

TEST(task_graph, a_failure_reaches_all_that_depend_on_it) {
  prism::task_graph graph;
  const auto bad = graph.add("bad", []() -> int { throw std::runtime_error("disk full"); });
  std::atomic<int> ran{0};
  const auto next = graph.add("next", [&](int) { return ++ran; }, bad);
  const auto last = graph.add("last", [&](int) { ++ran; }, next);
  const auto other = graph.add("other", [] { return 5; });
  try {
    last.get();
    FAIL();
  } catch (const prism::task_error& e) {
    EXPECT_STREQ(e.what(), "task \"bad\": disk full");
    EXPECT_EQ(e.task(), "bad");
    EXPECT_THROW(std::rethrow_exception(e.cause()), std::runtime_error);
  }
  EXPECT_EQ(other.get(), 5);
  EXPECT_EQ(ran, 0);
  EXPECT_THROW(graph.wait(), prism::task_error);
  graph.wait(); // the error was reported
  const auto late = graph.add("late", [&](int) { ++ran; }, bad);
  EXPECT_THROW(late.get(), prism::task_error);
}

TEST(task_graph, cancelled_tasks_do_not_run) {
  prism::task_graph graph;
  std::atomic<bool> open{false};
  std::atomic<int> ran{0};
  const auto gate = graph.add("gate", [&] {
    while (!open) std::this_thread::yield();
    return ++ran;
  });
  const auto after = graph.add("after", [&](int) { ++ran; }, gate);
  ASSERT_TRUE(prism_test::eventually([&] { return !gate.is_done(); }));
  std::thread canceller([&] {
    graph.cancel();
    open = true;
  });
  try {
    after.get();
    FAIL();
  } catch (const prism::task_cancelled& e) {
    EXPECT_NE(std::string(e.what()).find("cancelled before it began"), std::string::npos) << e.what();
  }
  canceller.join();
  graph.wait(); // no error
  EXPECT_LE(ran, 1);
  EXPECT_EQ(graph.add("again", [] { return 1; }).get(), 1);
}

TEST(task_graph, runs_on_devices_and_is_complete_when_the_event_is) {
  prism::task_graph graph;
  sycl::buffer<int> data{sycl::range<1>(1000)};
  const auto fill = graph.add("fill", [&](sycl::queue& q) {
    return q.submit([&](sycl::handler& h) {
      sycl::accessor out(data, h, sycl::write_only, sycl::no_init);
      h.parallel_for(sycl::range<1>(1000), [=](sycl::id<1> i) { out[i] = int(i[0]); });
    });
  });
  static_assert(std::is_same_v<decltype(fill), const prism::task<void>>);
  const auto sum = graph.add("sum", [&] {
    const sycl::host_accessor in(data, sycl::read_only);
    return std::accumulate(in.begin(), in.end(), 0);
  }, fill);
  EXPECT_EQ(sum.get(), 499500);
  const auto failing = graph.add("failing", [](sycl::queue& q) {
    return q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("late"); }); });
  });
  try {
    failing.get();
    FAIL();
  } catch (const prism::task_error& e) {
    EXPECT_NE(std::string(e.what()).find("late"), std::string::npos) << e.what();
  }
  prism::task_options nowhere;
  nowhere.prefer = {"quantum"};
  EXPECT_THROW(graph.add(nowhere, [](sycl::queue&) {}), sycl::exception);
}

TEST(task_graph, refuses_what_could_never_end) {
  prism::task_graph graph, other;
  const auto one = graph.add("one", [] { return 1; });
  const auto waits = graph.add("waits", [&] { graph.wait(); });
  try {
    waits.get();
    FAIL();
  } catch (const prism::task_error& e) {
    EXPECT_NE(std::string(e.what()).find("a task waits for tasks of its own graph"), std::string::npos)
        << e.what();
  }
  EXPECT_EQ(error_of([&] { other.add("x", [](int) {}, one); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([&] { graph.add("x", [](int) {}, prism::task<int>()); }), sycl::errc::invalid);
  EXPECT_EQ(error_of([] { prism::task<int>().get(); }), sycl::errc::invalid);
}

/// Each task waits until as many run as there are threads, so all run only if all run at the same time.
TEST(task_graph, independent_tasks_run_on_all_cores_at_the_same_time) {
  const int threads = int(std::thread::hardware_concurrency());
  if (threads < 2) GTEST_SKIP() << "one core";
  prism::task_graph graph;
  std::atomic<int> running{0};
  std::vector<prism::task<bool>> met;
  for (int i = 0; i < threads; ++i)
    met.push_back(graph.add("meets the others", [&] {
      ++running;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (running < threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      return running == threads;
    }));
  graph.wait();
  for (const auto& each : met) EXPECT_TRUE(each.get());
}

TEST(task_graph, random_graphs_run_each_task_once_after_its_inputs) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    prism::task_graph graph;
    std::mt19937 random(seed);
    std::atomic<std::uint64_t> clock{0};
    std::vector<prism::task<std::uint64_t>> tasks;
    std::atomic<int> wrong{0}, ran{0};
    for (int i = 0; i < 500; ++i) {
      prism::task_options options;
      options.priority = static_cast<prism::task_priority>(random() % 3);
      const auto body = [&](auto... before) {
        ++ran;
        const std::uint64_t now = ++clock;
        wrong += ((before >= now) + ... + 0);
        return now;
      };
      const auto any = [&] { return tasks[random() % tasks.size()]; };
      switch (tasks.empty() ? 0 : random() % 4) {
        case 0: tasks.push_back(graph.add(options, [=] { return body(); })); break;
        case 1: tasks.push_back(graph.add(options, [=](auto a) { return body(a); }, any())); break;
        case 2:
          tasks.push_back(graph.add(options, [=](auto a, auto b) { return body(a, b); }, any(), any()));
          break;
        default:
          tasks.push_back(
              graph.add(options, [=](auto a, auto b, auto c) { return body(a, b, c); }, any(), any(), any()));
      }
    }
    graph.wait();
    EXPECT_EQ(wrong, 0) << seed;
    EXPECT_EQ(ran, 500) << seed;
    EXPECT_EQ(graph.statistics().completed, 500u) << seed;
  }
}

} // namespace
