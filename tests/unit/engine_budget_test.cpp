// More buffers than a device's memory can hold: which are moved to the host, what waits, and what is refused.
// PRISM_MEMORY_LIMIT gives each test device the memory of four buffers.
#include "runtime/coherence/buffer_view.hpp"
#include "tests/unit/test_device.hpp"
#include "tests/wait.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace prism;
using namespace prism::test;
using prism_test::never_within;

namespace {

constexpr std::size_t count = 256;
constexpr std::uint64_t bytes = 4 * count, limit = 4 * bytes;
const bool limited = ::setenv("PRISM_MEMORY_LIMIT", std::to_string(limit).c_str(), 1) == 0;

void add(const kernel_call& c) {
  auto* p = reinterpret_cast<int*>(c.slot(0));
  for (std::size_t i = 0; i < count; ++i) p[i] += static_cast<int>(c.argument<std::uint64_t>(8));
}
/// slot 0 = slot 0 * 3 + slot 1.
void mix(const kernel_call& c) {
  auto* to = reinterpret_cast<unsigned*>(c.slot(0));
  const auto* from = reinterpret_cast<const unsigned*>(c.slot(1));
  for (std::size_t i = 0; i < count; ++i) to[i] = to[i] * 3 + from[i];
}
void nothing(const kernel_call&) {}
test_kernel adds(add, 1, 16), mixes(mix, 2, 16), reads_all(nothing, 8, 64);

prism::memory::memory_budget& budget_of(device_node& device) {
  return static_cast<runtime::device_state&>(device).pool().budget();
}
command_group add_to(const buffer_ptr& b, int value) {
  return kernel_on(adds, 1, {{b, access_mode::read_write, count}}, {static_cast<std::uint64_t>(value)});
}
std::vector<buffer_ptr> buffers_of(std::vector<std::vector<int>>& data) {
  std::vector<buffer_ptr> out;
  for (std::vector<int>& each : data) out.push_back(int_buffer(each.size(), each.data()));
  return out;
}
bool has_copy(const buffer_ptr& b, const std::string& reason) {
  for (const std::string& each : copy_history(*b))
    if (each.find(": " + reason) != each.npos) return true;
  return false;
}

TEST(more_than_fits, buffers_beyond_the_budget_move_to_the_host_and_back) {
  std::vector<std::vector<int>> data(10, std::vector<int>(count, 5));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  for (int round = 0; round < 3; ++round)
    for (const buffer_ptr& b : all) {
      submit(*q, add_to(b, 1));
      EXPECT_LE(budget_of(far(0)).in_use(), limit);
    }
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 8));
  EXPECT_TRUE(has_copy(all[0], "evicted"));
  EXPECT_TRUE(has_copy(all[0], "needed again after it was evicted"));
}

TEST(more_than_fits, the_buffer_needed_longest_ago_moves) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  for (const std::size_t i : {0, 1, 2, 3, 0, 2, 3}) submit(*q, add_to(all[i], 1));
  q->wait();
  submit(*q, add_to(all[4], 1));
  q->wait();
  EXPECT_TRUE(has_copy(all[1], "evicted"));
  for (const std::size_t i : {0, 2, 3}) EXPECT_FALSE(has_copy(all[i], "evicted")) << i;
}

TEST(more_than_fits, bytes_that_the_host_has_too_are_not_copied_again) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 7));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  for (int round = 0; round < 2; ++round)
    for (const buffer_ptr& b : all)
      submit(*q, kernel_on(reads_all, 1, std::vector<use>(8, use{b, access_mode::read, count})));
  q->wait();
  for (const buffer_ptr& b : all) EXPECT_FALSE(has_copy(b, "evicted"));
  EXPECT_TRUE(has_copy(all[0], "needed again after it was evicted"));
}

TEST(more_than_fits, a_command_runs_after_those_that_use_its_memory_and_no_thread_waits) {
  std::vector<std::vector<int>> data(9, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  // Not in order, so that only the memory orders commands.
  const auto q = create_queue(far(0), {});
  closed_gate gate;
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < 9; ++i) submit(*q, add_to(all[i], static_cast<int>(i)));
  EXPECT_LE(budget_of(far(0)).in_use(), limit);
  gate.open();
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(contents(all[i], count), std::vector<int>(count, 3 * static_cast<int>(i)));
}

TEST(more_than_fits, memory_without_a_command_of_its_new_buffer_is_not_freed_while_it_is_used) {
  std::vector<std::vector<int>> data(4, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  closed_gate gate;
  for (std::size_t i = 0; i < 4; ++i) submit(*q, add_to(all[i], 1));
  {
    std::vector<buffer_ptr> five;
    std::vector<use> uses;
    for (int i = 0; i < 5; ++i)
      uses.push_back({five.emplace_back(int_buffer(count)), access_mode::no_init_write, count});
    EXPECT_THROW(submit(*q, kernel_on(reads_all, 1, uses)), error); // while the commands before it run
  }
  gate.open();
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 1));
  EXPECT_LE(budget_of(far(0)).in_use(), limit);
}

// A thread that found no buffer with memory looks again if the budget has changed. It must not refuse because
// the memory passed from a buffer that it had not looked at yet to one that it had.
TEST(more_than_fits, memory_that_passes_to_another_buffer_changes_the_budget_that_threads_watch) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  const auto& budget = budget_of(far(0));
  closed_gate gate;
  for (std::size_t i = 0; i < 4; ++i) submit(*q, add_to(all[i], 1));
  const std::uint64_t before = budget.changes();
  submit(*q, add_to(all[4], 1));           // nothing is charged or given back
  EXPECT_GE(budget.changes(), before + 2); // it left one buffer and came to another
  EXPECT_EQ(budget.in_use(), limit);
  EXPECT_EQ(budget.of_buffers(), limit);
  gate.open();
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 1));
}

TEST(more_than_fits, memory_at_pointers_is_not_counted_as_of_buffers) {
  std::vector<int> data(count, 1);
  const buffer_ptr one = int_buffer(count, data.data());
  const auto q = create_queue(far(0), {});
  submit(*q, add_to(one, 1));
  const std::uint64_t before = budget_of(far(0)).of_buffers();
  void* const p = usm_allocate(far(0), bytes, 64, devices::memory_kind::device, nullptr);
  EXPECT_EQ(budget_of(far(0)).of_buffers(), before);
  usm_free(p, nullptr);
  EXPECT_EQ(budget_of(far(0)).of_buffers(), before);
  EXPECT_GE(before, bytes);
}

TEST(more_than_fits, a_command_waits_for_those_that_use_memory_of_another_size) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 0));
  data[4].resize(2 * count);
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  closed_gate gate;
  for (std::size_t i = 0; i < 4; ++i) submit(*q, add_to(all[i], 1));
  std::atomic<bool> admitted{false};
  std::thread late([&] {
    submit(*q, add_to(all[4], 2));
    admitted = true;
  });
  EXPECT_TRUE(never_within(std::chrono::milliseconds(50), [&] { return admitted.load(); }));
  gate.open();
  late.join();
  std::vector<int> half(2 * count, 0);
  std::fill_n(half.begin(), count, 2);
  EXPECT_EQ(contents(all[4], 2 * count), half);
  EXPECT_EQ(contents(all[0], count), std::vector<int>(count, 1));
}

TEST(more_than_fits, a_command_that_is_too_large_alone_says_what_it_needs) {
  std::vector<std::vector<int>> data(8, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  std::vector<use> uses;
  for (const buffer_ptr& b : all) uses.push_back({b, access_mode::read_write, count});
  try {
    submit(*q, kernel_on(reads_all, 1, uses));
    FAIL() << "8 buffers fit into the memory of 4";
  } catch (const error& refused) {
    const std::string text = refused.what();
    EXPECT_EQ(refused.code(), error_code::memory_allocation);
    EXPECT_NE(text.find("need at least 5120 bytes on far:0"), text.npos) << text;
    EXPECT_NE(text.find("its memory budget is 4096 bytes"), text.npos) << text;
    EXPECT_NE(text.find("PRISM_MEMORY_LIMIT"), text.npos) << text;
    EXPECT_NE(text.find("test kernel"), text.npos) << text;
  }
  submit(*q, add_to(all[0], 3)); // the failure left nothing behind
  EXPECT_EQ(contents(all[0], count), std::vector<int>(count, 3));
}

TEST(more_than_fits, a_wait_for_this_threads_own_accessor_is_refused) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  auto held = acquire_host_access(all[0], access_mode::read_write, first(count));
  std::vector<use> uses;
  for (std::size_t i = 0; i < 4; ++i) uses.push_back({all[i], access_mode::read_write, count});
  uses.insert(uses.end(), 4, uses.front());
  submit(*q, kernel_on(reads_all, 1, uses)); // behind the accessor
  try {
    submit(*q, add_to(all[4], 1));
    FAIL() << "nothing can be moved while the accessor lives";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("host accessor"), std::string::npos) << refused.what();
  }
  held.reset();
  submit(*q, add_to(all[4], 1));
  EXPECT_EQ(contents(all[4], count), std::vector<int>(count, 1));
}

TEST(more_than_fits, memory_at_pointers_takes_the_place_of_unused_buffers) {
  std::vector<std::vector<int>> data(4, std::vector<int>(count, 1));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  for (const buffer_ptr& b : all) submit(*q, add_to(b, 1));
  q->wait();
  void* const p = usm_allocate(far(0), 3 * bytes, 64, devices::memory_kind::device, nullptr);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(usm_allocate(far(0), 2 * bytes, 64, devices::memory_kind::device, nullptr), nullptr);
  for (const buffer_ptr& b : all) submit(*q, add_to(b, 1)); // one after another in what is left
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 3));
  usm_free(p, nullptr);
}

TEST(more_than_fits, a_failed_copy_to_the_host_is_an_error_where_its_bytes_are_read) {
  std::vector<std::vector<int>> data(5, std::vector<int>(count, 1));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  for (std::size_t i = 0; i < 4; ++i) submit(*q, add_to(all[i], 1));
  q->wait();
  before_each_copy([](const devices::copy_command& c) {
    if (c.to.object == nullptr)
      throw devices::device_error(devices::error_category::other, "TEST_COPY", "copy to the host");
  });
  submit(*q, add_to(all[4], 1));
  q->wait();
  before_each_copy(nullptr);
  // The buffer that was moved, and perhaps that of the command that waited for the copy on the device.
  std::vector<buffer_ptr> lost;
  for (const buffer_ptr& b : all) try {
      const auto read = acquire_host_access(b, access_mode::read, first(count));
      EXPECT_EQ(*static_cast<const int*>(read->data()), 2);
    } catch (const error& failed) {
      lost.push_back(b);
      EXPECT_NE(std::string(failed.what()).find("TEST_COPY"), std::string::npos) << failed.what();
    }
  EXPECT_TRUE(lost.size() == 1 || (lost.size() == 2 && lost[1] == all[4])) << lost.size();
  for (const buffer_ptr& b : lost) {
    {
      const auto again = acquire_host_access(b, access_mode::no_init_write, first(count));
      std::fill_n(static_cast<int*>(again->data()), count, 3);
    }
    submit(*q, add_to(b, 1)); // valid, because its bytes were written again
    const auto read = acquire_host_access(b, access_mode::read, first(count));
    EXPECT_EQ(*static_cast<const int*>(read->data()), 4);
  }
  static_cast<void>(q->take_failures());
}

TEST(more_than_fits, a_graph_finds_its_buffers_again_after_they_moved) {
  std::vector<std::vector<int>> data(6, std::vector<int>(count, 0));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {.in_order = true});
  std::vector<graph_command> commands(2);
  for (std::size_t i = 0; i < 2; ++i)
    commands[i].group = std::make_shared<const command_group>(add_to(all[i], 1));
  const auto graph = prepare_graph(far(0), std::move(commands));
  for (int round = 0; round < 3; ++round) {
    submit_exec_graph(*q, graph, {});
    for (std::size_t i = 2; i < 6; ++i) submit(*q, add_to(all[i], 1)); // moves the graph's buffers
  }
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 3));
}

TEST(more_than_fits, commands_of_a_graph_that_do_not_fit_together_are_submitted_one_by_one) {
  std::vector<std::vector<int>> data(9, std::vector<int>(count, 1));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  std::vector<graph_command> commands;
  for (std::size_t i = 0; i < all.size(); ++i) { // in one segment: each waits for the one before it
    graph_command c;
    c.group = std::make_shared<const command_group>(add_to(all[i], static_cast<int>(i)));
    if (i != 0) c.after = {i - 1};
    commands.push_back(std::move(c));
  }
  const auto graph = prepare_graph(far(0), std::move(commands));
  EXPECT_EQ(graph->shape().commands, 9u);
  EXPECT_EQ(graph->shape().apart, 9u);
  EXPECT_EQ(graph->shape().submissions, 9u);
  for (int round = 0; round < 2; ++round) submit_exec_graph(*q, graph, {});
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(contents(all[i], count), std::vector<int>(count, 1 + 2 * static_cast<int>(i)));
  EXPECT_LE(budget_of(far(0)).in_use(), limit);
}

TEST(more_than_fits, a_graph_whose_memory_was_taken_after_it_was_finalized_runs_nevertheless) {
  std::vector<std::vector<int>> data(4, std::vector<int>(count, 1));
  const auto all = buffers_of(data);
  const auto q = create_queue(far(0), {});
  std::vector<graph_command> commands(4);
  for (std::size_t i = 0; i < 4; ++i)
    commands[i].group = std::make_shared<const command_group>(add_to(all[i], 1));
  const auto graph = prepare_graph(far(0), std::move(commands));
  EXPECT_EQ(graph->shape().apart, 0u);
  submit_exec_graph(*q, graph, {});
  for (const buffer_ptr& b : all) contents(b, count);
  std::vector<int> more(count, 0);
  const buffer_ptr moves = int_buffer(count, more.data());
  submit(*q, add_to(moves, 1));
  void* const taken = usm_allocate(far(0), bytes, 64, devices::memory_kind::device, nullptr);
  submit_exec_graph(*q, graph, {});
  for (const buffer_ptr& b : all) EXPECT_EQ(contents(b, count), std::vector<int>(count, 3));
  usm_free(taken, nullptr);
}

/// Commands of several threads, each with buffers of its own and ten times the memory in all.
TEST(more_than_fits, random_commands_of_several_threads_end_with_the_models_bytes) {
  const auto run = [](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<int>> data(10);
    for (auto& each : data) each.assign(count, static_cast<int>(random() % 100));
    std::vector<std::vector<int>> model = data;
    const auto all = buffers_of(data);
    const queue_ptr queues[] = {create_queue(far(0), {}), create_queue(far(1), {}),
                                create_queue(near(), {.in_order = true})};
    for (int step = 0; step < 300; ++step) {
      const std::size_t a = random() % 10, b = (a + 1 + random() % 9) % 10;
      const queue_ptr& q = queues[random() % 8 < 6 ? random() % 2 : 2];
      if (random() % 16 == 0) {
        EXPECT_EQ(contents(all[a], count), model[a]) << "seed " << seed << " step " << step;
        continue;
      }
      submit(*q, kernel_on(mixes, 1,
                           {{all[a], access_mode::read_write, count}, {all[b], access_mode::read, count}}));
      for (std::size_t i = 0; i < count; ++i)
        model[a][i] = static_cast<int>(unsigned(model[a][i]) * 3 + unsigned(model[b][i]));
    }
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(contents(all[i], count), model[i]) << "seed " << seed;
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(run, t + 1);
  for (std::thread& each : threads) each.join();
  EXPECT_LE(budget_of(far(0)).in_use(), limit);
  EXPECT_LE(budget_of(far(1)).in_use(), limit);
}

} // namespace
