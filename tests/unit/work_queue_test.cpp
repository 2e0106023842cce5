#include "runtime/support/work_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <set>
#include <vector>

using prism::support::work_queue;
using std::chrono::steady_clock;

namespace {

constexpr auto never = std::chrono::hours(1);

/// What the items of a test do; a queue's threads never end, so neither do queues.
template <typename Item>
work_queue<Item>& queue_of(std::size_t most, void (*run)(Item&)) {
  return *new work_queue<Item>(most, run);
}

struct numbered {
  int number;
  std::vector<int>* done;
};

TEST(work_queue, one_thread_runs_items_in_the_order_of_their_posts) {
  std::vector<int> done;
  auto& queue = queue_of<numbered>(1, [](numbered& item) { item.done->push_back(item.number); });
  for (int i = 0; i < 100; ++i) queue.post({i, &done});
  queue.catch_up(steady_clock::now() + never);
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[std::size_t(i)], i);
  EXPECT_TRUE(queue.is_idle());
}

struct meeting {
  std::latch* all;
};

TEST(work_queue, items_that_wait_for_each_other_each_get_a_thread) {
  std::latch all(8); // with fewer threads it is never reached
  auto& queue = queue_of<meeting>(8, [](meeting& item) { item.all->arrive_and_wait(); });
  for (int i = 0; i < 8; ++i) queue.post({&all});
  queue.wait_until_idle();
  EXPECT_TRUE(all.try_wait());
}

struct counted {
  std::latch* begun;
  std::latch* end;
  std::atomic<int>* running;
  std::atomic<int>* most;
};

TEST(work_queue, no_more_threads_run_than_its_limit) {
  std::latch begun(2), end(1);
  std::atomic<int> running{0}, most{0};
  auto& queue = queue_of<counted>(2, [](counted& item) {
    const int now = ++*item.running;
    for (int seen = *item.most; seen < now && !item.most->compare_exchange_weak(seen, now);) {}
    if (now <= 2 && !item.begun->try_wait()) item.begun->count_down();
    item.end->wait();
    --*item.running;
  });
  for (int i = 0; i < 10; ++i) queue.post({&begun, &end, &running, &most});
  begun.wait();
  EXPECT_FALSE(queue.is_idle());
  EXPECT_EQ(running, 2);
  end.count_down();
  queue.wait_until_idle();
  EXPECT_EQ(most, 2);
}

TEST(work_queue, catching_up_ends_at_its_deadline) {
  std::latch end(1);
  auto& queue = queue_of<std::latch*>(1, [](std::latch*& until) { until->wait(); });
  queue.post(&end);
  queue.catch_up(steady_clock::now() + std::chrono::milliseconds(20));
  EXPECT_FALSE(queue.is_idle());
  end.count_down();
  queue.catch_up(steady_clock::now() + never);
  EXPECT_TRUE(queue.is_idle());
}

TEST(work_queue, an_item_is_destroyed_before_it_counts_as_done) {
  auto& queue = queue_of<std::shared_ptr<int>>(1, [](std::shared_ptr<int>&) {});
  const auto value = std::make_shared<int>(1);
  queue.post(value);
  queue.catch_up(steady_clock::now() + never);
  EXPECT_EQ(value.use_count(), 1);
}

struct caller {
  work_queue<caller>** of;
};

TEST(work_queue, an_item_may_catch_up_with_its_own_queue) {
  work_queue<caller>* queue = nullptr;
  queue = &queue_of<caller>(1, [](caller& item) { (*item.of)->catch_up(steady_clock::now() + never); });
  queue->post({&queue});
  queue->catch_up(steady_clock::now() + never);
  EXPECT_TRUE(queue->is_idle());
}

TEST(work_queue, items_that_have_not_started_can_be_taken_back) {
  std::latch begun(1), end(1);
  struct both {
    std::latch* begun;
    std::latch* end;
  };
  auto& queue = queue_of<both>(1, [](both& item) {
    item.begun->count_down();
    item.end->wait();
  });
  for (int i = 0; i < 4; ++i) queue.post({&begun, &end});
  begun.wait();
  EXPECT_EQ(queue.take_waiting().size(), 3u);
  end.count_down();
  queue.wait_until_idle();
}

} // namespace
