// Batches of submissions while the device is busy: they are submitted together, in order, and always within a
// limited time.
#include "fixture.hpp"

#include "devices/vulkan/device.hpp"
#include "tests/wait.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace prism::devices::test {

namespace {

/// Counts the driver's submissions and barriers, and makes submissions fail on request.
struct driver_calls {
  static inline PFN_vkQueueSubmit real = nullptr;
  static inline PFN_vkCmdPipelineBarrier real_barrier = nullptr;
  static inline std::atomic<std::size_t>
      calls = 0,
      command_buffers = 0,
      barriers = 0; // command buffers, including those that submission_batches adds
  static inline std::atomic<std::size_t> refusals = 0;
  static inline std::atomic<VkResult> refused_with = VK_SUCCESS;
  vulkan::device_functions& functions;

  explicit driver_calls(device& d) : functions(static_cast<vulkan::device&>(d).vk()) {
    real = functions.QueueSubmit;
    real_barrier = functions.CmdPipelineBarrier;
    calls = command_buffers = refusals = barriers = 0;
    functions.CmdPipelineBarrier =
        [](VkCommandBuffer into, VkPipelineStageFlags before, VkPipelineStageFlags after,
           VkDependencyFlags flags, std::uint32_t count, const VkMemoryBarrier* memory, std::uint32_t buffers,
           const VkBufferMemoryBarrier* buffer, std::uint32_t images, const VkImageMemoryBarrier* image) {
      ++barriers;
      real_barrier(into, before, after, flags, count, memory, buffers, buffer, images, image);
    };
    functions.QueueSubmit = [](VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
      if (refusals > 0) {
        --refusals;
        return refused_with.load();
      }
      ++calls;
      for (std::uint32_t i = 0; i < count; ++i) command_buffers += infos[i].commandBufferCount;
      return real(queue, count, infos, fence);
    };
  }
  ~driver_calls() {
    functions.QueueSubmit = real;
    functions.CmdPipelineBarrier = real_barrier;
  }
};

constexpr std::uint32_t slow_rounds = 20'000;

/// A queue whose device is busy for a while, so that later commands are batched.
struct busy_session : session {
  static constexpr std::uint32_t words = 256;
  kernel& spin;
  std::unique_ptr<memory> slow, fast;
  std::uint64_t last_slow = 0;

  explicit busy_session(device& d)
      : session(d), spin(load("spin")), slow(upload(std::vector<std::uint32_t>(words, 0))),
        fast(upload(std::vector<std::uint32_t>(words, 0))) {}
  void begin() {
    for (int i = 0; i < 4; ++i) last_slow = submit({add_one(*slow, slow_rounds)});
  }
  command add_one(memory& to, std::uint32_t rounds = 1) {
    return dispatch_command{
        &spin, {words / 64, 1, 1}, {64, 1, 1}, 0, bytes_of(spin_arguments{to.address(), words, rounds}), {},
        {}};
  }
  bool is_busy() { return q->points().completed() < last_slow; }
  std::uint64_t submit_fast(int count) {
    std::uint64_t point = 0;
    for (int i = 0; i < count; ++i) point = submit({add_one(*fast)});
    return point;
  }
};

/// Polls for completion; a wait would flush the queue.
bool completes(timeline& points, std::uint64_t point) {
  return prism_test::eventually([&] { return points.completed() >= point; });
}

} // namespace

using vulkan_submission_batches = on_each_device;

TEST_P(vulkan_submission_batches, kernels_after_slow_ones_are_submitted_together) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    s.begin();
    const auto last = s.submit_fast(320);
    const bool was_busy = s.is_busy();
    ASSERT_TRUE(s.q->points().wait(last));
    if (was_busy) {
      EXPECT_LE(driver_calls::calls,
                4u + 320 / 32 + 1 +
                    3); // each slow kernel that ends meanwhile lets one more be submitted at once
    }
    EXPECT_GE(driver_calls::command_buffers, 324u);
    EXPECT_LE(driver_calls::command_buffers,
              324u + driver_calls::calls); // one command buffer with a barrier after each
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 320));
    EXPECT_EQ(s.download<std::uint32_t>(*s.slow, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 4));
  });
}

TEST_P(vulkan_submission_batches, an_idle_device_gets_kernels_immediately) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    for (int i = 0; i < 10; ++i) {
      const auto point = s.submit_fast(3);
      EXPECT_EQ(driver_calls::calls, 3u * (i + 1));
      ASSERT_TRUE(s.q->points().wait(point));
    }
  });
}

TEST_P(vulkan_submission_batches, a_batch_is_submitted_without_a_flush) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    std::size_t most = 0;
    for (int round = 0; round < 3; ++round) {
      s.begin();
      const auto last = s.submit_fast(20);
      most += s.is_busy() ? 4 + 3 : 24;
      EXPECT_TRUE(completes(s.q->points(), last));
    }
    EXPECT_LE(driver_calls::calls, most);
  });
}

// Barriers of batched commands: those between the commands, and those that submission_batches adds, which are
// command buffers.
TEST_P(vulkan_submission_batches, commands_that_depend_on_no_batched_one_have_no_barrier) {
  each([](device& d) {
    busy_session s(d);
    const auto count_of = [&](auto after)
        -> std::optional<std::size_t> { // of 20 kernels, of which the n-th depends on `after`(n)
      const driver_calls driver(d);
      s.begin();
      const auto before = driver_calls::barriers.load(), sent = driver_calls::command_buffers.load();
      std::uint64_t last = s.last_slow;
      for (int i = 0; i < 20; ++i) {
        command_list one{s.add_one(*s.fast)};
        last = s.q->submit_after(one, {}, after(last));
      }
      s.q->flush();
      const bool was_busy = s.is_busy() && driver_calls::calls == 5;
      EXPECT_TRUE(s.q->points().wait(last));
      if (!was_busy) return std::nullopt; // some were submitted on their own
      return driver_calls::barriers - before + driver_calls::command_buffers - sent - 20;
    };
    std::size_t seen = 0;
    for (int attempt = 0; attempt < 5 && seen < 3; ++attempt) {
      const auto chain = count_of([](std::uint64_t last) { return last; });
      const auto independent = count_of([&](std::uint64_t) { return s.last_slow - 4; });
      const auto pairs =
          count_of([&, n = 0](std::uint64_t last) mutable { return n++ % 2 ? last : s.last_slow - 4; });
      seen = chain.has_value() + independent.has_value() + pairs.has_value();
      if (chain) {
        EXPECT_EQ(*chain, 21u); // one before each kernel and one after the last
      }
      if (independent) {
        EXPECT_EQ(*independent, 2u); // before the first kernel and after the last
      }
      if (pairs) {
        EXPECT_EQ(*pairs, 2u + 10); // and one within each pair
      }
    }
    if (seen < 3) GTEST_SKIP() << d.info().name << " is too fast for commands to be batched";
  });
}

TEST_P(vulkan_submission_batches, fills_of_adjacent_ranges_have_no_barrier_between_them) {
  each([](device& d) {
    session s(d);
    auto memory = s.upload(std::vector<std::uint32_t>(1024, 7));
    const driver_calls driver(d);
    std::vector<command> rows;
    for (std::uint64_t row = 0; row < 16; ++row)
      rows.push_back(fill_command{memory.get(), row * 256, 64, std::vector<std::byte>(4, std::byte(row))});
    s.run(rows);
    EXPECT_EQ(driver_calls::barriers, 2u);
    rows.push_back(fill_command{memory.get(), 32, 64, std::vector<std::byte>(4, std::byte(99))});
    s.run(rows);
    EXPECT_EQ(driver_calls::barriers, 5u);
    const auto now = s.download<std::uint32_t>(*memory, 1024);
    EXPECT_EQ(now[7], 0u);
    EXPECT_EQ(now[8], 0x63636363u);
    EXPECT_EQ(now[64 * 15], 0x0f0f0f0fu);
    EXPECT_EQ(now[64 * 15 + 16], 7u);
  });
}

TEST_P(vulkan_submission_batches, a_flush_submits_the_whole_batch) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    s.begin();
    const auto last = s.submit_fast(20);
    s.q->flush();
    EXPECT_GE(driver_calls::command_buffers, 24u);
    ASSERT_TRUE(s.q->points().wait(last));
  });
}

TEST_P(vulkan_submission_batches, batched_kernels_and_copies_stay_in_order) {
  each([](device& d) {
    busy_session s(d);
    constexpr std::uint32_t n = 256;
    std::vector<float> x(n, 1.0f), y(n, 3.0f);
    auto dx = s.upload(x), dy = s.upload(y), dz = s.upload(y);
    auto& axpy = s.load("axpy");
    s.begin();
    for (int i = 0; i < 60; ++i) { // each step reads the result of the previous one
      const float a = i % 2 ? 0.5f : -0.25f;
      s.submit({dispatch_command{&axpy,
                                 {2, 1, 1},
                                 {128, 1, 1},
                                 0,
                                 bytes_of(axpy_arguments{dx->address(), dy->address(), a, n}),
                                 {},
                                 {}}});
      s.submit({copy_command{on(*dy), on(*dz), n * 4}});
      s.submit({dispatch_command{&axpy,
                                 {2, 1, 1},
                                 {128, 1, 1},
                                 0,
                                 bytes_of(axpy_arguments{dz->address(), dx->address(), -a, n}),
                                 {},
                                 {}}});
      y[0] += a * x[0];
      x[0] += -a * y[0];
    }
    EXPECT_EQ(s.download<float>(*dx, n), std::vector<float>(n, x[0]));
    EXPECT_EQ(s.download<float>(*dy, n), std::vector<float>(n, y[0]));
  });
}

TEST_P(vulkan_submission_batches, other_queues_can_wait_for_batched_work) {
  each([](device& d) {
    busy_session a(d), b(d);
    for (int round = 1; round <= 5; ++round) {
      a.begin();
      const auto batched = a.submit_fast(10);
      b.begin();
      const auto after = b.submit({b.add_one(*a.fast)}, {{&a.q->points(), batched}});
      const auto back = a.submit({a.add_one(*a.fast)}, {{&b.q->points(), after}});
      ASSERT_TRUE(a.q->points().wait(back, std::chrono::seconds(20)));
      EXPECT_EQ(a.download<std::uint32_t>(*a.fast, busy_session::words),
                std::vector<std::uint32_t>(busy_session::words, 12 * round));
    }
  });
}

TEST_P(vulkan_submission_batches, host_copies_run_after_batched_work) {
  each([](device& d) {
    busy_session s(d);
    s.begin();
    s.submit_fast(10);
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 10));
    s.begin();
    s.submit_fast(10);
    const std::vector<std::uint32_t> hundred(busy_session::words, 100);
    s.submit({copy_command{on_host(const_cast<std::uint32_t*>(hundred.data())), on(*s.fast),
                           busy_session::words * 4}});
    s.submit_fast(7);
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 107));
  });
}

TEST_P(vulkan_submission_batches, batching_ends_when_the_program_takes_the_native_queue) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    s.begin();
    s.submit_fast(20);
    if (s.is_busy()) {
      EXPECT_LT(driver_calls::command_buffers, 24u);
    }
    ASSERT_NE(s.q->native("VkQueue"), nullptr);
    EXPECT_GE(driver_calls::command_buffers, 24u);
    const auto before = driver_calls::calls.load();
    s.begin();
    const auto last = s.submit_fast(20);
    EXPECT_EQ(driver_calls::calls, before + 24);
    ASSERT_TRUE(s.q->points().wait(last));
  });
}

TEST_P(vulkan_submission_batches, a_submission_that_ran_out_of_memory_is_retried) {
  each([](device& d) {
    busy_session s(d);
    const driver_calls driver(d);
    s.begin();
    const auto last = s.submit_fast(20);
    driver_calls::refused_with = VK_ERROR_OUT_OF_HOST_MEMORY;
    driver_calls::refusals = 1;
    ASSERT_TRUE(s.q->points().wait(last));
    EXPECT_FALSE(s.q->points().failure(last));
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 20));
  });
}

TEST_P(vulkan_submission_batches, a_rejected_submission_leaves_the_batch_unchanged) {
  each([](device& d) {
    busy_session s(d), other(d);
    const driver_calls driver(d);
    s.begin();
    s.submit_fast(20);
    const auto there = other.submit({other.add_one(*other.slow, slow_rounds)});
    driver_calls::refused_with = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    driver_calls::refusals = 1;
    EXPECT_THROW(s.submit({s.add_one(*s.fast), s.add_one(*s.fast)}, {{&other.q->points(), there}}),
                 device_error);
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, 20));
  });
}

TEST_P(vulkan_submission_batches, batched_kernels_fail_when_the_device_is_lost) {
  each([](device& d) {
    busy_session s(d);
    const auto good = s.submit_fast(1);
    ASSERT_TRUE(s.q->points().wait(good));
    {
      const driver_calls driver(d);
      s.begin();
      const auto last = s.submit_fast(20);
      driver_calls::refused_with = VK_ERROR_DEVICE_LOST;
      driver_calls::refusals = 1;
      EXPECT_TRUE(s.q->points().wait(last, std::chrono::seconds(20)));
      ASSERT_TRUE(s.q->points().failure(last));
      EXPECT_EQ(s.q->points().failure(last)->category(), error_category::lost);
      EXPECT_FALSE(s.q->points().failure(good));
      driver.functions.DeviceWaitIdle(
          static_cast<vulkan::device&>(d).handle()); // the device is not really lost
    }
    EXPECT_THROW(s.submit_fast(1), device_error);
  });
}

TEST_P(vulkan_submission_batches, times_of_batched_kernels_do_not_overlap) {
  each([](device& d) {
    if (!d.info().profiling) return;
    session s(d, {.profiling = true});
    auto& spin = s.load("spin");
    auto memory = s.upload(std::vector<std::uint32_t>(256, 0));
    const auto add = [&](std::uint32_t rounds) {
      return s.submit({dispatch_command{&spin,
                                        {4, 1, 1},
                                        {64, 1, 1},
                                        0,
                                        bytes_of(spin_arguments{memory->address(), 256, rounds}),
                                        {},
                                        {}}});
    };
    std::uint64_t first = add(slow_rounds), last = first;
    for (int i = 0; i < 60; ++i) last = add(i < 4 ? slow_rounds : 10);
    ASSERT_TRUE(s.q->points().wait(last));
    for (auto point = first; point < last; ++point) {
      const auto one = s.q->points().times(point), next = s.q->points().times(point + 1);
      EXPECT_LE(one.submitted_ns, one.started_ns) << point;
      EXPECT_LE(one.started_ns, one.ended_ns) << point;
      EXPECT_LE(one.ended_ns, next.started_ns + 1000) << point; // rounding of ticks
    }
  });
}

TEST_P(vulkan_submission_batches, threads_can_poll_points_while_another_submits) {
  each([](device& d) {
    std::atomic<std::uint64_t> newest = 0, called = 0;
    busy_session s(d);
    std::atomic<bool> ended = false;
    std::vector<std::thread> askers;
    for (int t = 0; t < 3; ++t)
      askers.emplace_back([&, t] {
        while (!ended) {
          if (t == 0) s.q->points().wait(newest);
          else if (t == 1) s.q->flush();
          else
            s.q->points().on_completion(
                newest, [](void* count) { ++*static_cast<std::atomic<std::uint64_t>*>(count); }, &called);
          prism_test::spend(std::chrono::microseconds(20)); // leaves the processor to the submitting thread
        }
      });
    s.begin();
    constexpr int count = 3000;
    for (int i = 0; i < count; ++i) newest = s.submit_fast(1);
    ended = true;
    for (auto& thread : askers) thread.join();
    EXPECT_EQ(s.download<std::uint32_t>(*s.fast, busy_session::words),
              std::vector<std::uint32_t>(busy_session::words, count));
  });
}

INSTANTIATE_TEST_SUITE_P(, vulkan_submission_batches, testing::Bool(),
                         [](const auto& info) { return info.param ? "host_reaches_memory" : "discrete"; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(vulkan_submission_batches);

} // namespace prism::devices::test
