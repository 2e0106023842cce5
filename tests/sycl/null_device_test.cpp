// PRISM's own code under several threads, on the null device of samples/backends/null. That device completes
// each command during its submission and has no threads, so every report of a sanitizer concerns PRISM's code
// or this file. Copies and fills move data and are checked; kernels do nothing.
#include "tests/sycl/common.hpp"

#include <prism/backend.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

extern "C" const prism::devices::backend* prism_backend_entry(); // of samples/backends/null/null_backend.cpp

namespace {

using namespace sycl;
namespace experimental = sycl::ext::oneapi::experimental;

/// For PRISM_DEVICE_SELECTOR=null.
[[maybe_unused]] const bool has_null_device = (prism::register_backend(*prism_backend_entry()), true);

constexpr unsigned users = 4;
constexpr int rounds = 200;
constexpr std::size_t items = 64;

const property_list orders[] = {{property::queue::in_order{}}, {}};

/// Runs `use(number)` on one thread each; the threads start together.
template <typename Use>
void on_threads(const Use& use) {
  std::atomic<unsigned> arrived{0};
  std::vector<std::thread> threads;
  for (unsigned me = 0; me < users; ++me)
    threads.emplace_back([&, me] {
      arrived.fetch_add(1);
      while (arrived.load() < users) std::this_thread::yield();
      try {
        use(me);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  for (std::thread& each : threads) each.join();
}

/// A kernel if the build has a compiler for it, else a copy.
event read_and_write(queue& q, buffer<int>& from, buffer<int>& to, const std::vector<event>& after = {}) {
  return q.submit([&](handler& h) {
    h.depends_on(after);
    accessor x(from, h, read_only);
    accessor y(to, h, read_write);
#if defined(PRISM_TEST_COMPILED)
    h.parallel_for(range<1>(items), [=](id<1> i) { y[i] += x[i]; });
#else
    h.copy(x, y);
#endif
  });
}

event fill(queue& q, buffer<int>& what, int value) {
  return q.submit([&](handler& h) { h.fill(accessor(what, h, write_only, no_init), value); });
}

event copy(queue& q, buffer<int>& from, buffer<int>& to) {
  return q.submit([&](handler& h) { h.copy(accessor(from, h, read_only), accessor(to, h, write_only)); });
}

event copy(queue& q, buffer<int>& from, std::vector<int>& to) {
  return q.submit([&](handler& h) { h.copy(accessor(from, h, read_only), to.data()); });
}

void expect_all(const std::vector<int>& found, int value) {
  EXPECT_EQ(std::count(found.begin(), found.end(), value), std::ptrdiff_t(found.size())) << value;
}

TEST(null_device, is_the_default_device) { EXPECT_EQ(prism_test::name_of(device()), "null device"); }

TEST(null_device, several_threads_submit_to_one_queue) {
  for (const property_list& order : orders) {
    queue common(order);
    on_threads([&](unsigned me) {
      queue q = common;
      buffer<int> first{range<1>(items)}, second{range<1>(items)}, unused{range<1>(items)};
      for (int round = 0; round < rounds; ++round) {
        const int value = int(me) * rounds + round;
        std::vector<int> found(items);
        fill(q, first, value);
        read_and_write(q, first, unused);
        copy(q, first, second);
        event back = copy(q, second, found);
        if (round % 3 == 0) q.wait_and_throw();
        else back.wait_and_throw();
        expect_all(found, value);
      }
    });
  }
}

TEST(null_device, queues_of_several_threads_share_buffers) {
  for (const property_list& order : orders) {
    buffer<int> constant{range<1>(items)}, common{range<1>(items)};
    queue first;
    fill(first, constant, 7);
    on_threads([&](unsigned me) {
      queue q(order);
      buffer<int> mine{range<1>(items)};
      for (int round = 0; round < rounds; ++round) {
        fill(q, mine, int(me));
        read_and_write(q, mine, common); // unordered among the threads
        copy(q, constant, mine);
        if (round % 4 != 0) continue;
        const host_accessor found(mine, read_only);
        EXPECT_EQ(found[0], 7);
        EXPECT_EQ(found[items - 1], 7);
      }
      q.wait_and_throw();
    });
    EXPECT_EQ(host_accessor(constant, read_only)[items - 1], 7);
    host_accessor(common, read_write)[0] = 0; // ordered after all of them
  }
}

// Only PRISM orders the tasks: they share an ordinary variable.
TEST(null_device, events_order_tasks_that_several_threads_submit) {
  std::mutex turn; // orders the submissions, not the tasks
  event last;
  int sum = 0;
  on_threads([&](unsigned) {
    queue q;
    buffer<int> from{range<1>(items)}, to{range<1>(items)};
    for (int round = 0; round < rounds; ++round) {
      const std::lock_guard mine(turn);
      const event used = read_and_write(q, from, to, {last});
      last = q.submit([&](handler& h) {
        h.depends_on(used);
        h.host_task([&sum] { ++sum; });
      });
    }
    q.wait_and_throw();
  });
  EXPECT_EQ(sum, int(users) * rounds);
}

TEST(null_device, queues_and_buffers_are_destroyed_with_work_in_flight) {
  std::atomic<int> tasks{0};
  on_threads([&](unsigned) {
    std::vector<event> events;
    for (int round = 0; round < rounds; ++round) {
      queue q(orders[round % 2]);
      buffer<int> from{range<1>(items)}, to{range<1>(items)};
      fill(q, from, round);
      q.submit([&](handler& h) {
        const accessor held(from, h, read_only);
        h.host_task([&tasks] { ++tasks; });
      });
      read_and_write(q, from, to);
      events.push_back(q.ext_oneapi_submit_barrier());
    }
    event::wait(events);
  });
  EXPECT_EQ(tasks, int(users) * rounds);
}

TEST(null_device, several_threads_execute_graphs) {
  queue common;
  on_threads([&](unsigned me) {
    queue own{property::queue::in_order{}};
    buffer<int> from{range<1>(items)}, to{range<1>(items)};
    experimental::command_graph recording(own.get_context(), own.get_device());
    recording.begin_recording(own);
    fill(own, from, int(me));
    read_and_write(own, from, to);
    copy(own, from, to);
    recording.end_recording(own);
    auto ready = recording.finalize();
    for (int round = 0; round < rounds; ++round) {
      queue& q = round % 2 ? own : common;
      q.ext_oneapi_graph(ready).wait_and_throw();
      std::vector<int> found(items);
      copy(q, to, found).wait_and_throw();
      expect_all(found, int(me));
    }
  });
}

} // namespace
