// Many queues and events at the same time, many commands in sequence, long waits. All must work, memory must
// not grow, and waits must not use a core.
#include "tests/sycl/common.hpp"
#include "tests/wait.hpp"

#include <prism/graph.hpp>

#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <time.h>

namespace {

/// Smaller counts for tools that check every call (PRISM_TEST_QUICK=1) and for slow drivers
/// (PRISM_TEST_QUICK=10).
std::size_t at_most(std::size_t count) {
  const char* quick = std::getenv("PRISM_TEST_QUICK");
  if (quick == nullptr) return count;
  const std::size_t times = std::strtoull(quick, nullptr, 10);
  return count / (times > 1 ? times : 50);
}

std::size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  status >> total >> resident;
  return resident * 4096;
}

double thread_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

sycl::event increment(sycl::queue& q, sycl::buffer<int>& b) {
  return q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h);
    h.single_task([=] { a[0] += 1; });
  });
}

/// The mixed commands of long jobs; counts them.
class mixed_work {
public:
  mixed_work() : m_graph(recorded()) {
    if (m_has_usm) m_x = sycl::malloc_device<unsigned>(elements, m_queue), m_queue.fill(m_x, 0u, elements);
  }
  ~mixed_work() {
    if (m_x != nullptr) sycl::free(m_x, m_queue);
  }
  mixed_work(const mixed_work&) = delete;
  std::size_t commands() const { return m_commands; }

  void round() {
    for (int i = 0; i < 40; ++i) {
      use_buffers();
      if (m_has_usm) use_memory();
    }
    chain_events();
    prism::execute_graph(m_queue, m_graph);
    fail();
    if (++m_rounds % 50 == 0) work_elsewhere();
    m_queue.wait_and_throw();
    m_other.wait_and_throw();
    m_commands += 8;
  }
  /// Checks that each command ran exactly once.
  void check() {
    EXPECT_EQ(sycl::host_accessor(m_long_lived, sycl::read_only)[0], m_long_lived_expected);
    EXPECT_EQ(m_failures, m_rounds);
    if (!m_has_usm) return;
    std::vector<unsigned> got(elements);
    m_queue.copy(m_x, got.data(), elements).wait();
    EXPECT_EQ(got, std::vector<unsigned>(elements, m_x_expected));
  }

private:
  static constexpr std::size_t elements = 256;
  static void add(sycl::queue& q, sycl::buffer<unsigned>& to) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor a(to, h);
      h.parallel_for(to.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
    });
  }
  void use_buffers() {
    for (int i = 0; i < 5; ++i) add(m_queue, m_long_lived);
    sycl::buffer<unsigned> made{sycl::range<1>(elements)};
    m_queue.submit(
        [&](sycl::handler& h) { h.fill(sycl::accessor(made, h, sycl::write_only, sycl::no_init), 1u); });
    add(m_queue, made);
    m_queue.submit([&](sycl::handler& h) {
      const sycl::accessor a(m_long_lived, h, sycl::read_write_host_task);
      h.host_task([=] { a[0] += 1; });
    });
    m_long_lived_expected += 6;
    m_commands += 8;
  }
  void use_memory() {
    unsigned* const x = m_x;
    for (int i = 0; i < 5; ++i)
      m_queue.parallel_for(sycl::range<1>(elements), [=](sycl::id<1> k) { x[k] += 1; });
    unsigned* const made = sycl::malloc_device<unsigned>(elements, m_queue);
    m_queue.copy(x, made, elements);
    m_queue.copy(made, x, elements).wait();
    sycl::free(made, m_queue);
    m_x_expected += 5;
    m_commands += 7;
  }
  void chain_events() {
    std::vector<sycl::event> all;
    for (int i = 0; i < 50; ++i)
      all.push_back(m_other.submit([&](sycl::handler& h) {
        if (i > 1) h.depends_on({all[all.size() - 1], all[all.size() - 2]});
        h.single_task([] {});
      }));
    m_commands += all.size();
  }
  void fail() {
    m_other.submit([](sycl::handler& h) { h.host_task([] { throw std::runtime_error("as it should"); }); });
  }
  void work_elsewhere() {
    std::thread([this] {
      sycl::queue q;
      add(q, m_long_lived);
      q.wait();
    }).join();
    ++m_long_lived_expected;
    ++m_commands;
  }
  prism::command_graph<prism::graph_state::executable> recorded() {
    prism::command_graph graph(m_queue);
    for (int i = 0; i < 5; ++i) graph.add([](sycl::handler& h) { h.single_task([] {}); });
    return graph.finalize();
  }

  sycl::queue m_queue{sycl::property::queue::in_order()};
  std::size_t m_failures = 0, m_rounds = 0, m_commands = 0;
  sycl::queue m_other{[this](sycl::exception_list all) { m_failures += all.size(); }};
  const bool m_has_usm = m_queue.get_device().has(sycl::aspect::usm_device_allocations);
  unsigned m_long_lived_expected = 0, m_x_expected = 0, *m_x = nullptr;
  const std::vector<unsigned> m_zero = std::vector<unsigned>(elements);
  sycl::buffer<unsigned> m_long_lived{m_zero};
  prism::command_graph<prism::graph_state::executable> m_graph;
};

// This test runs first: memory that other tests freed would hide a leak. PRISM_SOAK=86400 runs as many
// commands as a program that submits a hundred a second does in a day. Sanitizers retain freed memory and
// records of it, so resident memory is not measured with them; AddressSanitizer has its own leak checker.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WITH_SANITIZERS() GTEST_SKIP() << "the sanitizer retains freed memory"
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SKIP_WITH_SANITIZERS() GTEST_SKIP() << "the sanitizer retains freed memory"
#endif
#endif
#ifndef SKIP_WITH_SANITIZERS
#define SKIP_WITH_SANITIZERS() static_cast<void>(0)
#endif

TEST(endurance, memory_does_not_grow_over_a_day_of_mixed_commands) {
  SKIP_WITH_SANITIZERS();
  const char* asked = std::getenv("PRISM_SOAK");
  if (asked == nullptr)
    GTEST_SKIP() << "PRISM_SOAK is unset: ./prism test --soak 86400 runs as many commands as a day has";
  const std::size_t wanted = 100 * std::strtoull(asked, nullptr, 10);
  mixed_work work;
  std::size_t first = 0;
  for (std::size_t hour = 1; hour <= 24; ++hour) {
    while (work.commands() < wanted / 24 * hour) work.round();
    std::printf("after %zu commands: %zu kB\n", work.commands(), resident_bytes() / 1024);
    if (hour == 2) first = resident_bytes(); // caches and pools are full
  }
  work.check();
  EXPECT_LT(resident_bytes(), first + 2 * wanted + (std::size_t(4) << 20)); // less than two bytes a command
}

TEST(endurance, memory_does_not_grow_over_many_commands) {
  SKIP_WITH_SANITIZERS();
  const std::size_t count = at_most(8'000);
  sycl::queue q;
  sycl::buffer<int> long_lived{sycl::range<1>(256)};
  const auto work = [&] {
    for (std::size_t i = 0; i < count; ++i) {
      sycl::buffer<int> made{sycl::range<1>(64)};
      sycl::event e = increment(q, i % 2 == 0 ? long_lived : made);
      if (i % 100 == 99) e.wait();
    }
    q.wait_and_throw();
  };
  work(); // caches and pools are full
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 3; ++round) work();
  // A leaked command would be 500 bytes or more.
  EXPECT_LT(resident_bytes(), before + 3 * count * 200 + (std::size_t(4) << 20));
}

// Test entries in CMakeLists.txt run this with a device that fails (PRISM_WRAP).
TEST(endurance, memory_does_not_grow_though_commands_fail) {
  SKIP_WITH_SANITIZERS();
  const char* wrap = std::getenv("PRISM_WRAP");
  if (wrap == nullptr || !std::strstr(wrap, "fail=")) GTEST_SKIP() << "PRISM_WRAP has no fault";
  const int count = int(at_most(4'000));
  prism_test::error_log errors;
  sycl::queue q(errors.handler());
  sycl::buffer<int> long_lived{sycl::range<1>(1)};
  int failures = 0;
  const auto work = [&] {
    for (int i = 0; i < count; ++i) {
      sycl::buffer<int> made{sycl::range<1>(1024)};
      try {
        increment(q, made);
        q.submit([&](sycl::handler& h) { // fails because of its dependency
          const sycl::accessor from(made, h, sycl::read_only);
          const sycl::accessor to(long_lived, h, sycl::write_only, sycl::no_init);
          h.single_task([=] { to[0] = from[0]; });
        });
      } catch (const sycl::exception&) {
        ++failures;
      }
      if (i % 100 == 99) {
        q.wait_and_throw();
        failures += int(std::exchange(errors.texts, {}).size());
      }
    }
  };
  work(); // caches and pools are full
  const std::size_t before = resident_bytes();
  for (int round = 0; round < 3; ++round) work();
  EXPECT_GT(failures, count / 10);
  // A buffer that each failed command retained would be 4096 bytes.
  EXPECT_LT(resident_bytes(), before + std::size_t(failures) * 500 + (std::size_t(4) << 20))
      << failures << " failures";
}

TEST(endurance, a_thousand_queues_work_at_one_time) {
  const std::size_t count = at_most(1000);
  const sycl::context c{sycl::device()};
  std::vector<sycl::queue> queues;
  sycl::buffer<int> b{sycl::range<1>(count)};
  for (std::size_t i = 0; i < count; ++i) queues.emplace_back(c, sycl::device());
  for (int round = 1; round <= 2; ++round)
    for (std::size_t i = 0; i < count; ++i)
      queues[i].submit([&](sycl::handler& h) {
        const sycl::accessor a(b, h, sycl::range<1>(1), sycl::id<1>(i));
        h.single_task([=] { a[0] = round * int(i); });
      });
  for (sycl::queue& q : queues) q.wait_and_throw();
  const sycl::host_accessor a(b, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(a[i], 2 * int(i));
}

TEST(endurance, a_hundred_thousand_events_live_at_one_time) {
  const std::size_t count = at_most(100'000);
  sycl::queue q{sycl::property::queue::in_order()};
  const int zero = 0;
  sycl::buffer<int> b(&zero, 1);
  std::vector<sycl::event> events;
  for (std::size_t i = 0; i < count; ++i) events.push_back(increment(q, b));
  events.front().wait();
  events.back().wait();
  for (const sycl::event& e : events)
    ASSERT_EQ(e.get_info<sycl::info::event::command_execution_status>(),
              sycl::info::event_command_status::complete);
  EXPECT_EQ(std::size_t(sycl::host_accessor(b, sycl::read_only)[0]), count);
}

TEST(endurance, a_wait_for_kernels_uses_no_processor_time) {
  sycl::queue q;
  if (q.get_backend() == sycl::backend::ext_prism_host)
    GTEST_SKIP() << "the waiting thread itself runs the kernels of the host device";
  sycl::buffer<float> b{sycl::range<1>(4096)};
  const auto run = [&](int kernels, int repeats) {
    for (int i = 0; i < kernels; ++i)
      q.submit([&](sycl::handler& h) {
        const sycl::accessor a(b, h, sycl::write_only);
        h.parallel_for(4096, [=](sycl::id<1> k) {
          float x = float(k[0]);
          for (int repeat = 0; repeat < repeats; ++repeat)
            for (int round = 0; round < 30000; ++round) x = x * 0.999f + 1.0f;
          a[k] = x;
        });
      });
  };
  const auto platform = q.get_device().get_platform().get_info<sycl::info::platform::name>();
  if (platform == "NVIDIA CUDA") GTEST_SKIP() << "NVIDIA's OpenCL driver waits awake";
  // Measured on two processors: clWaitForEvents computes half of the kernels on the calling thread. A wait by
  // a callback leaves them to the driver's one other thread.
  if (platform == "Intel(R) OpenCL")
    GTEST_SKIP() << "the waiting thread itself runs the kernels of Intel's OpenCL driver for processors";
  run(1, 1);
  q.wait(); // the kernel is built
  // A GPU runs short kernels as fast as they are submitted, llvmpipe stops long ones.
  for (int kernels = 2, repeats = 1;; (kernels < 64 ? kernels : repeats) *= 2) {
    run(kernels, repeats);
    const auto begin = std::chrono::steady_clock::now();
    const double before = thread_seconds();
    q.wait();
    const double waited = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (waited < 0.3) continue;
    EXPECT_LT(thread_seconds() - before, waited / 10) << "of " << waited << " seconds";
    break;
  }
}

TEST(endurance, a_wait_uses_no_processor_time) {
  sycl::queue q;
  sycl::buffer<int> b{sycl::range<1>(1)};
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(b, h, sycl::write_only_host_task);
    h.host_task([=] {
      prism_test::spend(std::chrono::seconds(1));
      a[0] = 1;
    });
  });
  sycl::event e = increment(q, b);
  const double before = thread_seconds();
  e.wait();
  EXPECT_LT(thread_seconds() - before,
            0.05); // seconds; a thread that polls gets at least twice that, even on a busy machine
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 2);
}

} // namespace
