// Several threads use one device: each has a queue of its own, and all use one program.
#include "tests/devices/conformance/launcher.hpp"

#include <atomic>
#include <thread>

namespace prism::devices::conformance {
namespace {

class thread_test : public launcher {};

TEST_F(thread_test, threads_with_queues_of_their_own_share_a_kernel) {
  const auto s = source(test_kernel::scale_add);
  auto& k = built(test_kernel::scale_add);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto q = m_device.create_queue({});
      for (std::uint32_t round = 0; round < 25; ++round) {
        const auto m = m_device.create_memory(1024, memory_kind::buffer, 64);
        std::vector<std::uint32_t> back(256);
        const auto first = std::byte(t + 1), zero = std::byte(0);
        const command commands[] = {fill_command{m.get(), 0, 1024, {first, zero, zero, zero}},
                                    make_dispatch(s, k, *m, 0, round, 256, {4, 1, 1}, {64, 1, 1}),
                                    copy_command{{m.get()}, {nullptr, back.data()}, 1024}};
        const auto point = q->submit(commands, {});
        if (!q->points().wait(point, std::chrono::minutes(1)) || q->points().failure(point)) ++wrong;
        for (std::uint32_t i = 0; i < 256; ++i) wrong += back[i] != (t + 1) * round + i;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(thread_test, threads_build_programs_at_the_same_time) {
  std::atomic<int> built_count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto s = source(test_kernel(t % 3));
      const auto p = m_device.create_program(s.source);
      p->get_kernel(s.record->entry).limits();
      ++built_count;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(built_count, 4);
}

} // namespace
} // namespace prism::devices::conformance
