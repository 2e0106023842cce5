// Order and time: events, in-order queues, profiling, host tasks, asynchronous errors, reductions, several
// threads.
#include "tests/sycl/common.hpp"
#include "tests/sycl/running.hpp"
#include "tests/wait.hpp"

#include <cstdio>
#include <future>

#include <complex>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

using prism_test::counted;
using prism_test::error_log;
using prism_test::error_of;

namespace {

TEST(queue, in_order_runs_commands_in_sequence) {
  sycl::queue q{sycl::property::queue::in_order()};
  sycl::buffer<int> b{sycl::range<1>(1)};
  std::vector<int> seen;
  for (int i = 0; i < 20; ++i)
    q.submit([&](sycl::handler& h) { h.host_task([&seen, i] { seen.push_back(i); }); });
  q.wait();
  EXPECT_EQ(seen, counted(20));
}

/// How often the other threads of this process have fallen asleep.
long sleeps_of_others() {
  long sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0) sum += std::stol(line.substr(line.find(':') + 1));
  }
  return sum;
}

// The host device runs a kernel on the thread that waits for it. Other threads that wake up meanwhile only
// interrupt it.
TEST(queue, a_waiting_thread_is_rarely_interrupted_by_others) {
  sycl::queue q{sycl::property::queue::in_order()};
  if (q.get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << "only the host device runs all work on the waiting thread";
  const auto run_for = [&](std::chrono::milliseconds time) {
    int kernels = 0;
    const auto end = std::chrono::steady_clock::now() + time;
    for (; std::chrono::steady_clock::now() < end; ++kernels)
      q.single_task([] {
        for (int i = 0; i < 300'000; ++i)
          sycl::atomic_fence(sycl::memory_order::acq_rel, sycl::memory_scope::device);
      }).wait();
    return kernels;
  };
  run_for(std::chrono::milliseconds(100));
  const long before = sleeps_of_others();
  const auto begin = std::chrono::steady_clock::now();
  const int kernels = run_for(std::chrono::milliseconds(400));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(double(sleeps_of_others() - before), took.count())
      << kernels << " kernels"; // waking up every half millisecond would give twice as many
}

// A program may poll memory that kernels write: without other submissions, soon after other work, and, in the
// last rounds, after many commands that were waited for.
TEST(queue, work_starts_though_no_thread_waits) {
  sycl::queue q{sycl::property::queue::in_order()};
  SKIP_WITHOUT(q, usm_host_allocations);
  constexpr int rounds = 20, several = 40;
  int* const done = sycl::malloc_host<int>(1, q);
  *done = 0;
  const auto add = [=](int count) {
    sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*done) += count;
  };
  const auto seen = [=] { return __atomic_load_n(done, __ATOMIC_RELAXED); };
  q.single_task([=] { add(0); }).wait(); // builds the kernel
  for (int round = 1; round <= rounds; ++round) {
    const int count = round % 2 ? 1 : several, before = seen();
    const auto long_enough =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(round > rounds - 4 ? 50 : 0);
    while (std::chrono::steady_clock::now() < long_enough) q.single_task([=] { add(0); }).wait();
    for (int i = 0; i < count; ++i) q.single_task([=] { add(1); });
    ASSERT_TRUE(prism_test::eventually([&] { return seen() == before + count; }, std::chrono::seconds(20),
                                       std::chrono::microseconds(round * 100)))
        << "iteration " << round << ": " << seen() - before << " of " << count << " kernels have run";
  }
  q.wait();
  sycl::free(done, q);
}

TEST(queue, an_empty_group_gives_an_event) {
  sycl::queue q;
  sycl::event e = q.submit([](sycl::handler&) {});
  e.wait();
  EXPECT_EQ(e.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
}

TEST(queue, can_be_destroyed_with_work_in_flight) {
  std::atomic<bool> go{false}, ran{false};
  sycl::event e;
  {
    sycl::queue q;
    e = q.submit([&](sycl::handler& h) {
      h.host_task([&] {
        while (!go) std::this_thread::yield();
        ran = true;
      });
    });
  }
  EXPECT_FALSE(ran);
  go = true;
  e.wait();
  EXPECT_TRUE(ran);
}

TEST(event, commands_wait_for_their_dependencies) {
  sycl::queue q1, q2;
  std::atomic<int> order{0};
  int first = -1, second = -1;
  sycl::event a = q1.submit([&](sycl::handler& h) {
    h.host_task([&] {
      prism_test::spend(std::chrono::milliseconds(20)); // a second task that does not wait would overtake
      first = order++;
    });
  });
  sycl::event b = q2.submit([&](sycl::handler& h) {
    h.depends_on(a);
    h.host_task([&] { second = order++; });
  });
  b.wait();
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
  q2.submit([&](sycl::handler& h) {
    h.depends_on(std::vector<sycl::event>{a, b});
    h.single_task([] {});
  }).wait();
}

TEST(event, profiling_gives_rising_times) {
  sycl::queue plain;
  EXPECT_EQ(error_of([&] {
    plain.single_task([] {}).get_profiling_info<sycl::info::event_profiling::command_start>();
  }),
            sycl::errc::invalid);
  SKIP_WITHOUT(plain, queue_profiling);
  sycl::queue q{sycl::property::queue::enable_profiling()};
  sycl::buffer<float> b{sycl::range<1>(10000)};
  sycl::event e = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(10000, [=](sycl::id<1> i) { a[i] = sycl::sqrt(float(i[0])); });
  });
  const auto submit = e.get_profiling_info<sycl::info::event_profiling::command_submit>(),
             start = e.get_profiling_info<sycl::info::event_profiling::command_start>(),
             end = e.get_profiling_info<sycl::info::event_profiling::command_end>();
  EXPECT_GT(submit, 0u);
  EXPECT_LE(submit, start);
  EXPECT_LE(start, end);
}

// PRISM converts device times to the host's clock. 20 ms tolerate a busy machine.
TEST(event, profiling_times_are_of_the_hosts_clock) {
  sycl::queue q;
  SKIP_WITHOUT(q, queue_profiling);
  const auto now = [] {
    return std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                             std::chrono::steady_clock::now().time_since_epoch())
                             .count());
  };
  constexpr std::uint64_t tolerance = 20'000'000;
  sycl::queue measures{sycl::property::queue::enable_profiling()};
  sycl::buffer<int> b{sycl::range<1>(1000)};
  std::uint64_t end_before = 0;
  for (int round = 0; round < 5; ++round) {
    const std::uint64_t before = now();
    sycl::event e = measures.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(1000, [=](sycl::id<1> i) { a[i] += 1; });
    });
    e.wait();
    const std::uint64_t after = now();
    const auto submit = e.get_profiling_info<sycl::info::event_profiling::command_submit>(),
               start = e.get_profiling_info<sycl::info::event_profiling::command_start>(),
               end = e.get_profiling_info<sycl::info::event_profiling::command_end>();
    EXPECT_GE(submit + tolerance, before);
    EXPECT_LE(end, after + tolerance);
    EXPECT_LE(submit, start);
    EXPECT_GE(start + 1000, end_before) << "it waited for the previous iteration";
    end_before = end;
  }
}

TEST(host_task, sees_the_buffers_of_its_accessors) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(100)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(100, [=](sycl::id<1> i) { a[i] = int(i[0]); });
  });
  int total = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write_host_task);
    std::vector<decltype(a)> in_a_container{a};
    h.host_task([=, &total] {
      for (int i = 0; i < 100; ++i) total += a[i];
      in_a_container[0][7] = 1000;
      static_assert(std::is_same_v<decltype(a.get_pointer()), int*>);
    });
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(100, [=](sycl::id<1> i) { a[i] += 1; });
  });
  sycl::host_accessor a(b, sycl::read_only);
  EXPECT_EQ(total, 4950);
  EXPECT_EQ(a[7], 1001);
  EXPECT_EQ(a[8], 9);
}

TEST(host_task, without_the_handle_reads_and_writes_through_device_accessors) {
  sycl::queue q;
  auto data = counted(20);
  {
    sycl::buffer<int> b(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.parallel_for(20, [=](sycl::id<1> i) { a[i] += 1; });
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor from(b, h, sycl::read_only_host_task);
      sycl::accessor to(b, h, sycl::write_only);
      h.host_task([=] {
        for (int i = 0; i < 20; ++i) to[i] = from[i] * 10;
      });
    });
  }
  EXPECT_EQ(data.front(), 10);
  EXPECT_EQ(data.back(), 200);
}

TEST(host_task, of_a_ranged_accessor_gets_the_buffers_start) {
  sycl::queue q;
  auto data = counted(20);
  sycl::buffer<int> b(data);
  int at = 0, start = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::range<1>(5), sycl::id<1>(10), sycl::read_only_host_task);
    h.host_task([=, &at, &start] {
      at = a[2];
      start = a.get_pointer()[3];
    });
  });
  q.wait();
  EXPECT_EQ(at, 12);
  EXPECT_EQ(start, 3);
}

TEST(host_task, gets_an_interop_handle_when_it_asks) {
  sycl::queue q;
  bool right = false;
  q.submit([&](sycl::handler& h) {
    h.host_task([&](const sycl::interop_handle& i) { right = i.get_backend() == q.get_backend(); });
  }).wait();
  EXPECT_TRUE(right);
}

TEST(host_task, with_an_interop_handle_reads_elements_through_accessors_of_host_tasks) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] = int(i[0]) + 5; });
  });
  int sum = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> a(b, h);
    h.host_task([=, &sum](sycl::interop_handle) {
      sum = a[0] + a[1] + a[2] + a[3];
      a[0] = 100;
    });
  });
  q.wait();
  EXPECT_EQ(sum, 5 + 6 + 7 + 8);
  EXPECT_EQ(sycl::host_accessor(b)[0], 100);
}

TEST(event, the_wait_list_holds_the_events_that_were_named) {
  sycl::queue q;
  std::atomic<bool> go{false};
  const sycl::event first = q.submit([&](sycl::handler& h) {
    h.host_task([&] {
      while (!go) std::this_thread::yield();
    });
  });
  sycl::event second = q.submit([&](sycl::handler& h) {
    h.depends_on(first);
    h.single_task([] {});
  });
  const std::vector<sycl::event> list = second.get_wait_list();
  go = true;
  EXPECT_EQ(list, std::vector<sycl::event>{first});
  second.wait();
}

TEST(errors, of_a_host_task_do_not_stop_independent_commands) {
  prism_test::error_log log;
  sycl::queue q(log.handler());
  const sycl::event failed =
      q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("first"); }); });
  q.submit([&](sycl::handler& h) {
    h.depends_on(failed);
    h.host_task([] { throw std::runtime_error("second"); });
  });
  q.wait_and_throw();
  std::sort(log.texts.begin(), log.texts.end());
  EXPECT_EQ(log.texts, (std::vector<std::string>{"first", "second"}));
}

TEST(errors, of_host_tasks_reach_the_handler_once) {
  error_log log;
  sycl::queue q(log.handler());
  q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("from the task"); }); });
  q.wait();
  EXPECT_TRUE(log.texts.empty()) << "wait must not deliver";
  q.wait_and_throw();
  ASSERT_EQ(log.texts.size(), 1u);
  EXPECT_EQ(log.texts[0], "from the task");
  q.throw_asynchronous();
  EXPECT_EQ(log.texts.size(), 1u);
}

TEST(errors, go_to_the_contexts_handler_when_the_queue_has_none) {
  error_log log;
  sycl::context c(sycl::device(), log.handler());
  sycl::queue q(c, sycl::device());
  sycl::event e = q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("x"); }); });
  e.wait_and_throw();
  EXPECT_EQ(log.texts.size(), 1u);
}

TEST(errors, pending_at_destruction_are_delivered) {
  error_log log;
  {
    sycl::queue q(log.handler());
    q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("late"); }); }).wait();
  }
  EXPECT_EQ(log.texts.size(), 1u);
}

TEST(errors, after_the_queues_end_are_delivered_by_another_queue) {
  error_log log;
  std::atomic<bool> go{false};
  sycl::event e;
  {
    sycl::queue q(log.handler());
    e = q.submit([&](sycl::handler& h) {
      h.host_task([&] {
        while (!go) std::this_thread::yield();
        throw std::runtime_error("orphan");
      });
    });
  }
  go = true;
  e.wait();
  sycl::queue other;
  other.wait_and_throw();
  ASSERT_EQ(log.texts.size(), 1u);
  EXPECT_EQ(log.texts[0], "orphan");
}

TEST(errorsDeathTest, without_a_handler_end_the_process_with_a_message) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        sycl::queue q;
        q.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("no handler"); }); });
        q.wait_and_throw();
      },
      "no handler");
}

TEST(reduction, over_a_range_adds_to_the_old_value) {
  sycl::queue q;
  auto data = counted(10000);
  int sum = 5;
  {
    sycl::buffer<int> b(data), s(&sum, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_only);
      h.parallel_for(10000, sycl::reduction(s, h, sycl::plus<>()),
                     [=](sycl::id<1> i, auto& r) { r += a[i]; });
    });
  }
  EXPECT_EQ(sum, 5 + 9999 * 5000);
}

// Added in sequence, a few hundred thousand such values lose their fourth digit.
TEST(reduction, of_millions_of_floats_keeps_its_digits) {
  sycl::queue q;
  constexpr std::size_t n = 1 << 22;
  sycl::buffer<float> sum(sycl::range<1>(1));
  q.submit([&](sycl::handler& h) {
    h.parallel_for(
        sycl::range<1>(n),
        sycl::reduction(sum, h, sycl::plus<>(), sycl::property::reduction::initialize_to_identity()),
        [=](sycl::id<1>, auto& r) { r += 0.3f; });
  });
  const double exact = double(0.3f) * n;
  EXPECT_NEAR(sycl::host_accessor(sum)[0], exact, 1e-4 * exact);
}

TEST(reduction, several_in_one_nd_range) {
  sycl::queue q;
  auto data = counted(1024);
  sycl::buffer<int> b(data), low{sycl::range<1>(1)}, high{sycl::range<1>(1)};
  const sycl::property_list fresh{sycl::property::reduction::initialize_to_identity()};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_only);
    h.parallel_for(sycl::nd_range<1>(1024, 64), sycl::reduction(low, h, sycl::minimum<int>(), fresh),
                   sycl::reduction(high, h, sycl::maximum<int>(), fresh),
                   [=](sycl::nd_item<1> i, auto& lo, auto& hi) {
      const int v = (a[i.get_global_id(0)] * 37) % 1009 - 300;
      lo.combine(v);
      hi.combine(v);
    });
  });
  EXPECT_EQ(sycl::host_accessor(low, sycl::read_only)[0], -300);
  EXPECT_EQ(sycl::host_accessor(high, sycl::read_only)[0], 708);
}

TEST(reduction, takes_the_function_objects_of_std) {
  sycl::queue q;
  int sum = 5, bits = 0;
  std::complex<float> product(1, 0), total(0, 1);
  {
    sycl::buffer<int> s(&sum, 1), b(&bits, 1);
    sycl::buffer<std::complex<float>> p(&product, 1), t(&total, 1);
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(100), sycl::reduction(s, h, std::plus<>()),
                     sycl::reduction(b, h, std::bit_or<int>()), [=](sycl::id<1> i, auto& adds, auto& joins) {
        adds += int(i[0]);
        joins |= 1 << (i[0] % 8);
      });
    });
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(6), sycl::reduction(t, h, std::plus<>()),
                     sycl::reduction(p, h, std::multiplies<>()),
                     [=](sycl::id<1> i, auto& adds, auto& multiplies) {
        adds += std::complex<float>(float(i[0]), 1);
        multiplies *= std::complex<float>(0, 1);
      });
    });
  }
  EXPECT_EQ(sum, 4955);
  EXPECT_EQ(bits, 255);
  EXPECT_EQ(total, std::complex<float>(15, 7));
  EXPECT_EQ(product, std::complex<float>(-1, 0));
}

TEST(reduction, adds_over_an_nd_range_into_a_span) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* sums = sycl::malloc_shared<int>(3, q);
  for (int i = 0; i < 3; ++i) sums[i] = 100 * i;
  q.parallel_for(sycl::nd_range<1>(48, 16), sycl::reduction(sycl::span<int, 3>(sums, 3), sycl::plus<>()),
                 [=](sycl::nd_item<1> it, auto& r) {
    r[it.get_global_id(0) % 3] += int(it.get_group(0)) + 1;
  }).wait();
  EXPECT_EQ(std::vector<int>(sums, sums + 3), (std::vector<int>{31, 132, 233}));
  sycl::free(sums, q);
}
TEST(reduction, counts_by_increments_into_a_span) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* counts = sycl::malloc_shared<int>(4, q);
  std::fill_n(counts, 4, 0);
  q.parallel_for(sycl::range<1>(100), sycl::reduction(sycl::span<int, 4>(counts, 4), sycl::plus<>()),
                 [=](sycl::id<1> i, auto& r) {
    r[i[0] % 4]++;
    ++r[0];
  }).wait();
  EXPECT_EQ(std::vector<int>(counts, counts + 4), (std::vector<int>{125, 25, 25, 25}));
  sycl::free(counts, q);
}

struct smaller_pair {
  std::pair<float, int> operator()(const std::pair<float, int>& a, const std::pair<float, int>& b) const {
    return a.first < b.first || (a.first == b.first && a.second < b.second) ? a : b;
  }
};

TEST(reduction, finds_the_index_of_the_minimum) {
  sycl::queue q;
  std::vector<float> data(1000);
  for (int i = 0; i < 1000; ++i) data[i] = float((i * 37) % 1009);
  data[637] = -1.0f;
  sycl::buffer<float> b(data);
  sycl::buffer<std::pair<float, int>> least{sycl::range<1>(1)};
  const std::pair<float, int> none{1e30f, -1};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_only);
    h.parallel_for(
        sycl::range<1>(1000),
        sycl::reduction(least, h, none, smaller_pair(), sycl::property::reduction::initialize_to_identity()),
        [=](sycl::id<1> i, auto& r) { r.combine({a[i], int(i[0])}); });
  });
  sycl::host_accessor found(least, sycl::read_only);
  EXPECT_EQ(found[0].first, -1.0f);
  EXPECT_EQ(found[0].second, 637);
}

TEST(reduction, into_usm_by_a_queue_shortcut) {
  sycl::queue q;
  SKIP_WITHOUT(q, usm_shared_allocations);
  int* sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(sycl::range<1>(777), sycl::reduction(sum, sycl::plus<int>()), [=](sycl::id<1> i, auto& r) {
    r += int(i[0]);
  }).wait();
  EXPECT_EQ(*sum, 776 * 777 / 2);
  sycl::free(sum, q);
}

TEST(threads, share_one_queue_and_one_buffer) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(64)};
  q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 0); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        q.submit([&](sycl::handler& h) {
          sycl::accessor a(b, h);
          h.parallel_for(64, [=](sycl::id<1> k) { a[k] += 1; });
        });
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[63], 100);
}

// A kernel can count the host device's threads that run it: as many as there are cores serve queues, and one
// less share the work-groups of a kernel. Threads of the program that wait run work too; here none waits.
TEST(threads, of_the_host_device_do_not_increase_with_the_number_of_commands) {
  const sycl::device device;
  if (device.get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << prism_test::name_of(device) << " chooses its threads itself";
  const std::size_t cores = device.get_info<sycl::info::device::max_compute_units>(), many = 8 * cores + 8;
  std::vector<sycl::queue> queues(many);
  int* const counters = sycl::malloc_shared<int>(2, queues[0]);
  counters[0] = counters[1] = 0; // running now; maximum
  const auto kernel = [=](sycl::nd_item<1>) { prism_test::count_running(counters); };
  std::vector<sycl::event> events;
  for (sycl::queue& q : queues) events.push_back(q.parallel_for(sycl::nd_range<1>(50, 1), kernel));
  const auto is_complete = [](const sycl::event& e) {
    namespace info = sycl::info;
    return e.get_info<info::event::command_execution_status>() == info::event_command_status::complete;
  };
  ASSERT_TRUE(prism_test::eventually([&] { return std::all_of(events.begin(), events.end(), is_complete); }));
  EXPECT_LE(std::size_t(counters[1]), std::max<std::size_t>(2, cores) + cores - 1);
  EXPECT_GE(counters[1], 1);
  sycl::free(counters, queues[0]);
}

// The first launch of a kernel runs a work-group alone, to see whether threads are worth waking.
TEST(threads, of_the_host_device_run_two_expensive_work_groups_at_once) {
  const sycl::device device;
  if (device.get_backend() != sycl::backend::ext_prism_host)
    GTEST_SKIP() << prism_test::name_of(device) << " chooses its threads itself";
  if (device.get_info<sycl::info::device::max_compute_units>() < 2)
    GTEST_SKIP() << "one thread on " << prism_test::name_of(device);
  sycl::queue q;
  int* const counters = sycl::malloc_shared<int>(2, q);
  counters[0] = counters[1] = 0; // running now; maximum
  const auto launch = [&] {
    q.parallel_for(sycl::nd_range<1>(2, 1), [=](sycl::nd_item<1>) {
      for (int k = 0; k < 50; ++k) prism_test::count_running(counters); // longer than a thread takes to wake
    });
    q.wait();
    return counters[1] == 2;
  };
  EXPECT_TRUE(prism_test::eventually(launch));
  sycl::free(counters, q);
}

// With PRISM_TIMEOUT=1 (a test of its own in CMakeLists.txt) the wait ends and names what it was for.
TEST(watchdog, a_wait_beyond_the_limit_ends_with_an_exception_that_names_the_command) {
  if (!std::getenv("PRISM_TIMEOUT")) GTEST_SKIP() << "run with PRISM_TIMEOUT";
  sycl::queue q;
  std::promise<void> may_end;
  sycl::event slow =
      q.submit([&](sycl::handler& h) { h.host_task([end = may_end.get_future().share()] { end.wait(); }); });
  sycl::event after = q.submit([&](sycl::handler& h) {
    h.depends_on(slow);
    h.single_task([] {});
  });
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { after.wait(); }, &text), sycl::errc::runtime);
  std::puts(text.c_str());
  may_end.set_value();
  after.wait();
}

/// Whether this is a test entry with PRISM_WAIT_WARNING=1.
bool reports_long_waits() { return std::getenv("PRISM_WAIT_WARNING") != nullptr; }
/// How often the text contains the other one.
std::size_t times(const std::string& text, const std::string& other) {
  std::size_t found = 0;
  for (std::size_t at = text.find(other); at != text.npos; at = text.find(other, at + 1)) ++found;
  return found;
}

/// What was logged since a prism_test::logged_text captures standard error.
std::string logged_so_far() {
  std::ifstream file("/proc/self/fd/2");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(long_wait, behind_a_live_host_accessor_is_reported_once_with_the_accessors_line) {
  if (!reports_long_waits()) GTEST_SKIP() << "run with PRISM_WAIT_WARNING=1";
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(4)};
  prism_test::logged_text log;
  auto live = std::optional(sycl::host_accessor(b));
  const std::string line = ":" + std::to_string(__LINE__ - 1) + ")";
  sycl::event blocked = q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.single_task<class needs_the_buffer>([=] { a[0] = 1; });
  });
  std::thread later([&] {
    const auto reports_are = [](std::size_t count) {
      return [count] { return times(logged_so_far(), "a thread has waited") == count; };
    };
    EXPECT_TRUE(prism_test::eventually(reports_are(1)));
    EXPECT_TRUE(prism_test::never_within(std::chrono::milliseconds(2500), reports_are(2)));
    live.reset();
  });
  blocked.wait();
  q.wait();
  later.join();
  const std::string text = log.take();
  EXPECT_EQ(times(text, "a thread has waited 1 seconds"), 1u) << text;
  EXPECT_EQ(times(text, "needs_the_buffer (" __FILE__ ":"), 1u) << text;
  EXPECT_NE(text.find("queued behind the host accessor (" __FILE__ + line), std::string::npos) << text;
}

TEST(long_wait, for_commands_that_complete_one_after_another_is_not_reported) {
  if (!reports_long_waits()) GTEST_SKIP() << "run with PRISM_WAIT_WARNING=1";
  sycl::queue q;
  prism_test::logged_text log;
  sycl::event last;
  for (int i = 0; i < 10; ++i)
    last = q.submit([&](sycl::handler& h) {
      h.depends_on(last);
      h.host_task([] { prism_test::spend(std::chrono::milliseconds(300)); });
    });
  last.wait();
  EXPECT_EQ(log.take(), "");
}

// With a device that hangs (PRISM_WRAP=fault(hang=2), test entries of their own) the wait reports the kernel,
// which never ends.
TEST(hanging, kernels_are_named_and_the_process_still_ends) {
  const char* wrap = std::getenv("PRISM_WRAP");
  if (wrap == nullptr || !std::strstr(wrap, "hang")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  sycl::queue q;
  q.single_task<class ends>([] {}).wait();
  sycl::event hangs = q.single_task<class never_ends>([] {});
  std::string text;
  EXPECT_EQ(prism_test::error_of([&] { hangs.wait(); }, &text), sycl::errc::runtime);
  std::puts(text.c_str());
  EXPECT_NE(text.find("the device is lost"), std::string::npos) << text;
  EXPECT_EQ(hangs.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
}

} // namespace
