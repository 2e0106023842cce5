// Calls that reach the Vulkan driver, counted by a layer (vulkan_calls/): in-order commands are submitted in
// batches, command buffers are reused, a queue has one timeline semaphore, barriers are only between commands
// that share memory, and executing a graph records nothing.
#include "tests/sycl/common.hpp"
#include "tests/sycl/vulkan_calls/calls.hpp"

#include <prism/graph.hpp>

#include <dlfcn.h>

#include <future>
#include <optional>

namespace {

using namespace sycl;
using prism_test::vulkan_calls;

/// The layer's counts since its construction.
class counts {
public:
  explicit counts(vulkan_calls& all) : m_all(all), m_before(now()) {}
  struct numbers {
    std::uint64_t submits, submitted, barriers, dispatches, begun, buffers, freed, pools, timelines,
        semaphores, fences;
  };
  numbers since() const {
    const numbers at = now(), &from = m_before;
    return {at.submits - from.submits,       at.submitted - from.submitted, at.barriers - from.barriers,
            at.dispatches - from.dispatches, at.begun - from.begun,         at.buffers - from.buffers,
            at.freed - from.freed,           at.pools - from.pools,         at.timelines - from.timelines,
            at.semaphores - from.semaphores, at.fences - from.fences};
  }

private:
  numbers now() const {
    return {m_all.submits,       m_all.submitted_buffers, m_all.barriers,      m_all.dispatches,
            m_all.begun_buffers, m_all.new_buffers,       m_all.freed_buffers, m_all.new_pools,
            m_all.new_timelines, m_all.new_semaphores,    m_all.new_fences};
  }
  vulkan_calls& m_all;
  numbers m_before;
};

class driver_calls : public testing::Test {
protected:
  void SetUp() override {
    SKIP_UNLESS_COMPILED("of kernels for Vulkan");
    q.emplace(property::queue::in_order{});
    ASSERT_EQ(q->get_backend(), backend::ext_prism_vulkan);
    void* const library = dlopen(prism_test::vulkan_calls_library, RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr) << "the Vulkan loader has not loaded the counting layer";
    all = static_cast<vulkan_calls*>(dlsym(library, prism_test::vulkan_calls_symbol));
    ASSERT_NE(all, nullptr);
    const counts seen(*all);
    q->single_task([] {}).wait();
    ASSERT_GT(seen.since().submits, 0u) << "the layer counts nothing";
  }

  void TearDown() override {
    if (all != nullptr) all->budget_bytes = 0;
  }

  /// Long enough that later commands find the device busy.
  event begin_slow(queue& on) {
    return on.parallel_for(range<1>(4096), [to = slow, rounds = slow_rounds](id<1> i) {
      float x = float(i[0]);
      for (int round = 0; round < rounds; ++round) x = x * 0.999f + 1.0f;
      to[i] = x;
    });
  }
  static bool is_over(const event& e) {
    return e.get_info<info::event::command_execution_status>() == info::event_command_status::complete;
  }

  /// The calls that `submit` makes after a command that runs until all is submitted.
  template <typename Submit>
  counts::numbers behind_slow_work(Submit&& submit) {
    slow = malloc_device<float>(4096, *q);
    for (slow_rounds = 2000;; slow_rounds *= 2) {
      q->wait();
      const event first = begin_slow(*q);
      const counts seen(*all);
      submit();
      const bool was_busy = !is_over(first);
      const counts::numbers found = seen.since();
      q->wait();
      if (!was_busy && slow_rounds < 4'000'000) continue;
      EXPECT_TRUE(was_busy) << "the device is never busy long enough";
      free(slow, *q);
      return found;
    }
  }

  std::optional<queue> q;
  vulkan_calls* all = nullptr;
  float* slow = nullptr;
  int slow_rounds = 0;
};

void add_one(queue& q, buffer<int>& to) {
  q.submit([&](handler& h) {
    const accessor out(to, h, read_write);
    h.parallel_for(range<1>(64), [=](id<1> i) { out[i] += 1; });
  });
}

std::vector<buffer<int>> some_buffers(std::size_t count) {
  std::vector<buffer<int>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(range<1>(64));
    for (int& each : host_accessor(all.back(), write_only)) each = 0;
  }
  return all;
}

void expect_each(std::vector<buffer<int>>& all, int value) {
  for (buffer<int>& one : all)
    for (const int each : host_accessor(one, read_only)) ASSERT_EQ(each, value);
}

TEST_F(driver_calls, kernels_of_an_in_order_queue_are_batched) {
  int* const data = malloc_device<int>(64, *q);
  q->fill(data, 0, 64).wait();
  int done = 0;
  const counts::numbers found = behind_slow_work([&] {
    for (int i = 0; i < 320; ++i, ++done) q->parallel_for(range<1>(64), [=](id<1> at) { data[at] += 1; });
  });
  EXPECT_LE(found.submits, 4u + 320 / 32 + 2); // those submitted at once, and batches of 32
  int values[64];
  q->memcpy(values, data, sizeof values).wait();
  for (const int each : values) ASSERT_EQ(each, done);
  free(data, *q);
}

TEST_F(driver_calls, command_buffers_are_reused) {
  int* const data = malloc_device<int>(64, *q);
  q->fill(data, 0, 64).wait();
  constexpr int burst = 250, rounds = 40;
  const auto run = [&] {
    for (int i = 0; i < burst; ++i) q->parallel_for(range<1>(64), [=](id<1> at) { data[at] += 1; });
    q->wait();
  };
  run();
  const counts seen(*all);
  for (int r = 0; r < rounds; ++r) run();
  const counts::numbers found = seen.since();
  EXPECT_EQ(found.dispatches, std::uint64_t(burst * rounds));
  EXPECT_LE(found.buffers, 2u * burst) << "more command buffers than were ever in flight";
  EXPECT_EQ(found.pools, 0u);
  EXPECT_EQ(found.timelines + found.semaphores + found.fences, 0u);
  free(data, *q);
}

TEST_F(driver_calls, command_buffers_of_a_long_burst_are_freed) {
  int* const data = malloc_device<int>(64, *q);
  q->fill(data, 0, 64).wait();
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) q->parallel_for(range<1>(64), [=](id<1> at) { data[at] += 1; });
  };
  constexpr int burst = 20'000, retained = 2 * 4096,
                later = burst; // free command buffers, and as many that are complete but not reused yet
  const counts seen(*all);
  int done = 0;
  for (int tries = 0; tries < 5 && seen.since().buffers <= retained + 64u; ++tries) {
    std::promise<void> all_there;
    q->submit([&](handler& h) { h.host_task([f = all_there.get_future().share()] { f.wait(); }); });
    run(burst);
    all_there.set_value();
    q->wait();
    done += burst;
  }
  ASSERT_GT(seen.since().buffers, retained + 64u) << "the bursts were never in flight";
  for (int i = 0; i < later; ++i) {
    run(1);
    q->wait();
  }
  const counts::numbers found = seen.since();
  EXPECT_LE(found.buffers - found.freed, std::uint64_t(retained));
  int values[64];
  q->memcpy(values, data, sizeof values).wait();
  for (const int each : values) ASSERT_EQ(each, done + later);
  free(data, *q);
}

TEST_F(driver_calls, a_queue_has_one_timeline_semaphore_and_no_fence) {
  std::vector<queue> queues;
  const counts seen(*all);
  for (int i = 0; i < 5; ++i) {
    queues.emplace_back(property::queue::in_order{});
    int* const data = malloc_device<int>(64, queues.back());
    for (int k = 0; k < 20; ++k)
      queues.back().parallel_for(range<1>(64), [=](id<1> at) { data[at] = int(at[0]); });
    queues.back().wait();
    free(data, queues.back());
  }
  const counts::numbers found = seen.since();
  EXPECT_LE(found.timelines, 5u);
  EXPECT_EQ(found.semaphores + found.fences, 0u);
}

TEST_F(driver_calls, barriers_are_only_between_commands_that_share_a_buffer) {
  constexpr int kernels = 64;
  auto apart = some_buffers(kernels), shared = some_buffers(1);
  int times = 0, shared_times = 0;
  const auto to_each = [&] {
    for (buffer<int>& one : apart) add_one(*q, one);
    ++times;
  };
  const auto to_one = [&] {
    for (int i = 0; i < kernels; ++i, ++shared_times) add_one(*q, shared[0]);
  };
  to_each(); // allocates memory and builds programs
  to_one();
  const counts::numbers alone = behind_slow_work(to_each), together = behind_slow_work(to_one);
  EXPECT_LE(alone.barriers, std::uint64_t(kernels / 4))
      << "more than one after the slow work and one per submission, of which there are " << alone.submits;
  EXPECT_GE(together.barriers, std::uint64_t(kernels - 1));
  expect_each(apart, times);
  expect_each(shared, shared_times);
}

TEST_F(driver_calls, many_queues_take_little_device_memory) {
  constexpr std::size_t many = 2000;
  constexpr std::uint64_t block = 16 << 20; // the allocator's; it may need a new one for any allocation
  const std::uint64_t before = all->allocated_bytes;
  std::vector<queue> queues;
  for (std::size_t i = 0; i < many; ++i) queues.emplace_back(q->get_context(), q->get_device());
  EXPECT_EQ(all->allocated_bytes, before) << "a queue that is not used takes none";
  int* const data = malloc_device<int>(many, *q);
  for (std::size_t i = 0; i < many; ++i) queues[i].single_task([=] { data[i] = int(i) + 1; });
  for (queue& each : queues) each.wait_and_throw();
  EXPECT_LE(all->allocated_bytes - before, many * (16 << 10) + 2 * block);
  std::vector<int> values(many);
  q->memcpy(values.data(), data, many * sizeof(int)).wait();
  for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(values[i], int(i) + 1);
  free(data, *q);
}

TEST_F(driver_calls, memory_stays_within_what_other_programs_leave) {
  constexpr std::size_t bytes = 32 << 20, many = 6, words = bytes / sizeof(unsigned);
  const std::uint64_t budget = all->used_bytes + 3 * bytes + (8 << 20);
  all->most_used_bytes = all->used_bytes.load();
  all->budget_bytes = budget;
  std::vector<buffer<unsigned>> data;
  for (std::size_t i = 0; i < many; ++i) data.emplace_back(range<1>(words));
  for (unsigned turn = 0; turn < 3; ++turn)
    for (std::size_t i = 0; i < many; ++i)
      q->submit([&](handler& h) {
        const accessor out(data[i], h, read_write);
        h.parallel_for(range<1>(words),
                       [=](id<1> at) { out[at] = (turn == 0 ? unsigned(at[0] + i) : out[at]) * 3; });
      });
  for (std::size_t i = 0; i < many; ++i) {
    const host_accessor values(data[i], read_only);
    for (std::size_t at = 0; at < words; at += 4099) ASSERT_EQ(values[at], unsigned(at + i) * 27) << i;
  }
  EXPECT_LE(all->most_used_bytes, budget);
  EXPECT_GT(all->most_used_bytes, budget - 2 * bytes) << "the memory that is left is used";
  EXPECT_EQ(malloc_device(4 * bytes, *q), nullptr);
  all->budget_bytes = 0; // the other programs end
  void* const large = malloc_device(4 * bytes, *q);
  EXPECT_NE(large, nullptr);
  free(large, *q);
}

TEST_F(driver_calls, a_graph_is_recorded_once_with_the_needed_barriers) {
  constexpr std::size_t kernels = 100;
  int* const data = malloc_device<int>(64 * kernels, *q);
  for (const bool chained : {false, true}) {
    q->fill(data, 0, 64 * kernels).wait();
    queue recorded; // out of order: the graph has only the edges that it gets here
    prism::command_graph graph(recorded);
    graph.begin_recording(recorded);
    event last;
    for (std::size_t k = 0; k < kernels; ++k) {
      int* const to = data + (chained ? 0 : 64 * k);
      last = recorded.parallel_for(range<1>(64),
                                   chained && k != 0 ? std::vector<event>{last} : std::vector<event>{},
                                   [=](id<1> at) { to[at] += 1; });
    }
    graph.end_recording(recorded);
    const counts making(*all);
    auto ready = graph.finalize();
    prism::execute_graph(*q, ready).wait();
    const counts::numbers made = making.since();
    EXPECT_EQ(made.dispatches, kernels);
    if (chained) EXPECT_GE(made.barriers, kernels - 1);
    else EXPECT_LE(made.barriers, 3u);
    const counts executed(*all);
    for (int r = 0; r < 50; ++r) prism::execute_graph(*q, ready).wait();
    const counts::numbers counted = executed.since();
    EXPECT_EQ(counted.dispatches, 0u) << "the graph was recorded again";
    EXPECT_EQ(counted.buffers, 0u);
    EXPECT_LE(counted.submits, 2u * 50);
    std::vector<int> values(64 * kernels);
    q->memcpy(values.data(), data, values.size() * sizeof(int)).wait();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], !chained ? 51 : i < 64 ? 51 * int(kernels) : 0);
  }
  free(data, *q);
}

} // namespace
