// Executions of a graph segment. The first ones alternate between both methods. Each method is judged by the
// cost of its own executions, without earlier work of the queue; an execution that the driver never received
// costs nothing. And a segment that could not be rebuilt after its memory changed must not use the old
// memory.
#include "runtime/exec_graph/graph_method.hpp"
#include "runtime/execution/device_queue.hpp"
#include "tests/unit/test_device.hpp"

#include <cstring>
#include <ctime>
#include <gtest/gtest.h>

using namespace prism;
using namespace prism::runtime;

namespace {

std::uint64_t clock_ns(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);
  return std::uint64_t(now.tv_sec) * 1'000'000'000 + std::uint64_t(now.tv_nsec);
}

constexpr std::uint64_t milli = 1'000'000;

/// Does nothing, but uses the submitting thread's time and reports its completion.
class fake_queue final : public devices::queue, devices::timeline {
public:
  struct cost {
    std::uint64_t processor_ns, total_ns;
  };
  cost submitted{}, executed{};
  std::uint64_t earlier_work_ns = 0; // duration of the earlier work
  bool loses_points = false;
  unsigned submissions = 0, executions = 0;

  std::uint64_t submit(std::span<const devices::command>, std::span<const devices::timeline_point>) override {
    ++submissions;
    return take(submitted);
  }
  std::uint64_t execute(devices::command_buffer&, std::span<const devices::timeline_point>) override {
    ++executions;
    return take(executed);
  }
  void flush() override {}
  devices::timeline& points() noexcept override { return *this; }

  static constexpr std::uint64_t earlier = 1; // the point of the earlier work

private:
  std::uint64_t take(const cost& c) {
    m_free = clock_ns(CLOCK_MONOTONIC) + earlier_work_ns;
    m_end = m_free + c.total_ns;
    const std::uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + c.processor_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until) {}
    if (m_tells_free.then != nullptr) m_tells_free.then(m_tells_free.context, m_free);
    m_tells_free = {};
    return ++m_last;
  }
  std::uint64_t completed() const override { return m_last; }
  bool wait(std::uint64_t, std::optional<std::chrono::nanoseconds>) override { return true; }
  std::optional<devices::device_error> failure(std::uint64_t) const override { return std::nullopt; }
  devices::profile times(std::uint64_t) const override { return {}; }
  void on_completion(std::uint64_t, void (*then)(void*), void* context) override { then(context); }
  void on_completion_at(std::uint64_t point, void (*then)(void*, std::uint64_t), void* context) override {
    if (point == earlier) {
      m_tells_free = {then, context};
      return;
    }
    if (loses_points)
      throw devices::device_error(devices::error_category::lost, "TEST_LOST", "ask for a point");
    then(context, m_end);
  }

  struct {
    void (*then)(void*, std::uint64_t) = nullptr;
    void* context = nullptr;
  } m_tells_free;
  std::uint64_t m_free = 0, m_end = 0, m_last = earlier;
};

/// Services of trials, which submit by themselves and use no threads.
struct no_threads final : services {
  void watch_waits() noexcept override {}
  void lose(device_state&, const devices::device_error&) override {}
  void submit_when_ready(command_ref) override { ADD_FAILURE(); }
  void finalize_later(command_ref) override { ADD_FAILURE(); }
  void run_host_task(std::function<void()>) override { ADD_FAILURE(); }
  void flush_if_stale(driver_queue_ref, std::uint64_t) noexcept override { ADD_FAILURE(); }
};

struct queue_alone final : driver_queue {
  queue_alone(services& threads, devices::queue* owned)
      : driver_queue(static_cast<device_state&>(test::far(0)), threads,
                     std::unique_ptr<devices::queue>(owned), {}) {}
};

struct method_trials : testing::Test {
  fake_queue* queue = new fake_queue; // owned by `on`
  no_threads threads;
  queue_alone on{threads, queue};
  std::shared_ptr<method_trial> trial = std::make_shared<method_trial>();
  std::shared_ptr<ready_commands> ready = [] {
    auto made = std::make_shared<ready_commands>();
    made->recorded = std::make_unique<devices::command_buffer>();
    return made;
  }();

  method_costs::verdict judged() {
    for (int run = 0; run < 100 && !trial->verdict(); ++run) trial->next_run(ready)->submit(on, {}, {});
    return trial->verdict().value();
  }
};

TEST_F(method_trials, judge_each_method_by_its_own_executions) {
  queue->submitted = {4 * milli, 40 * milli};
  queue->executed = {milli, 10 * milli};
  const auto found = judged();
  EXPECT_EQ(queue->submissions, queue->executions);
  EXPECT_TRUE(found.keep) << found.text();
  EXPECT_NEAR(found.processor.general_ns, 4e6, 1e6);
  EXPECT_NEAR(found.processor.specialised_ns, 1e6, 0.5e6);
  EXPECT_NEAR(found.total.general_ns, 40e6, 10e6);
  EXPECT_NEAR(found.total.specialised_ns, 10e6, 5e6);
  EXPECT_EQ(trial->next_run(ready), ready) << "nothing is left to measure";
}

TEST_F(method_trials, reject_a_method_whose_executions_cost_more) {
  queue->submitted = {milli, 10 * milli};
  queue->executed = {4 * milli, 10 * milli};
  EXPECT_FALSE(judged().keep) << judged().text();
}

TEST_F(method_trials, exclude_earlier_work_of_the_queue) {
  queue->submitted = queue->executed = {milli / 10, 10 * milli};
  queue->earlier_work_ns = 1000 * milli;
  on.record_point(fake_queue::earlier, true, false);
  const auto found = judged();
  EXPECT_NEAR(found.total.general_ns, 10e6, 1e6);
  EXPECT_NEAR(found.total.specialised_ns, 10e6, 1e6);
}

TEST_F(method_trials, end_though_executions_are_never_submitted) {
  for (int run = 0; run < 100 && !trial->verdict(); ++run) trial->next_run(ready);
  ASSERT_TRUE(trial->verdict());
  EXPECT_FALSE(trial->verdict()->keep);
  EXPECT_EQ(trial->verdict()->text(), "");
}

TEST_F(method_trials, end_without_completion_callbacks) {
  queue->loses_points = true;
  EXPECT_FALSE(judged().keep);
  EXPECT_EQ(judged().text(), "");
}

/// Writes its argument to the memory of its slot.
void write_value(const test::kernel_call& c) {
  const auto value = c.argument<std::uint64_t>(8);
  std::memcpy(c.slot(0), &value, sizeof value);
}

std::uint64_t& first_of(const prism::memory::memory_pool::pooled& m) {
  return *reinterpret_cast<std::uint64_t*>(m->address());
}

TEST(executions, never_use_old_memory_after_a_failed_rebuild) {
  device_node& device = test::far(0);
  const auto q = create_queue(device, {});
  void* const p = usm_allocate(device, 64, 0, devices::memory_kind::device, nullptr);
  static test::test_kernel writes(write_value, 1, 16);
  kernel_command c;
  c.slot = &writes.slot;
  c.name = "write";
  c.captured = test::block({reinterpret_cast<std::uint64_t>(p), 42});
  graph_command one;
  command_group group;
  group.what = std::move(c);
  one.group = std::make_shared<command_group>(std::move(group));
  const exec_graph_ptr graph = prepare_graph(device, {one});

  // Other memory at the same address, as a driver may return it after a free. The old memory is retained
  // here, to check whether it is written.
  prism::memory::usm_registry& usm = process_runtime::get().usm();
  prism::memory::usm_block block = usm.find(reinterpret_cast<std::uint64_t>(p));
  const prism::memory::memory_pool::pooled before = usm.remove(block.base);
  prism::memory::memory_pool::pooled taken =
      static_cast<device_state&>(device).pool().take(64, devices::memory_kind::device, 64);
  std::uint64_t& now = first_of(taken) = 0;
  first_of(before) = 0;
  block.object = taken.get();
  usm.insert(block, std::move(taken));

  test::fail_next_command_buffer();
  EXPECT_THROW(submit_exec_graph(*q, graph, {}), error);
  test::rethrow(submit_exec_graph(*q, graph, {}).last);
  EXPECT_EQ(first_of(before), 0u);
  EXPECT_EQ(now, 42u);
  usm_free(p, nullptr);
}

} // namespace
