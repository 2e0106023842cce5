// Copies through staging memory: the host works at one piece while the device works at another.
#include "fixture.hpp"

#include "devices/vulkan/device.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>

namespace prism::devices::test {

namespace {

constexpr std::size_t piece = 4u << 20;

struct spin_arguments {
  std::uint64_t data;
  std::uint32_t n, rounds;
};

/// Which batches went to the driver with how many waits, and how often the host signalled.
struct seen_calls {
  static inline PFN_vkQueueSubmit submit = nullptr;
  static inline PFN_vkSignalSemaphore signal = nullptr;
  static inline std::mutex mutex;
  static inline std::vector<std::uint32_t> waits;
  static inline std::atomic<std::size_t> host_signals = 0;
  vulkan::device_functions& functions;

  explicit seen_calls(device& d) : functions(static_cast<vulkan::device&>(d).vk()) {
    submit = functions.QueueSubmit;
    signal = functions.SignalSemaphore;
    waits.clear();
    host_signals = 0;
    functions.QueueSubmit = [](VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
      const std::lock_guard lock(mutex);
      for (std::uint32_t i = 0; i < count; ++i) waits.push_back(infos[i].waitSemaphoreCount);
      return submit(queue, count, infos, fence);
    };
    functions.SignalSemaphore = [](VkDevice on, const VkSemaphoreSignalInfo* info) {
      const VkResult result = signal(on, info);
      ++host_signals;
      return result;
    };
  }
  ~seen_calls() {
    functions.QueueSubmit = submit;
    functions.SignalSemaphore = signal;
  }
};

struct vulkan_staging : on_each_device {};

} // namespace

TEST_P(vulkan_staging, the_host_fills_a_second_piece_while_the_device_is_at_the_first) {
  each([](device& d) {
    session busy(d), s(d);
    const std::vector<std::uint32_t> data(3 * piece / 4, 5);
    auto memory = s.make(3 * piece), slow = busy.upload(std::vector<std::uint32_t>(256, 0));
    auto& spin = busy.load("spin");
    const seen_calls calls(d);
    std::uint64_t last = 0;
    for (int i = 0; i < 40; ++i)
      last = busy.submit({dispatch_command{&spin, {4, 1, 1}, {64, 1, 1}, 0, bytes_of(spin_arguments{slow->address(), 256, 20'000}), {}, {}}});
    busy.q->flush();
    const auto before = seen_calls::host_signals.load();
    const auto done = s.submit({copy_command{on_host(const_cast<std::uint32_t*>(data.data())), on(*memory), 3 * piece}});
    while (seen_calls::host_signals < before + 2 && busy.q->points().completed() < last) std::this_thread::sleep_for(std::chrono::microseconds(100));
    const bool both_filled = seen_calls::host_signals >= before + 2;
    const bool was_behind = s.q->points().completed() < done;
    ASSERT_TRUE(s.q->points().wait(done));
    EXPECT_EQ(s.download<std::uint32_t>(*memory, data.size()), data);
    if (!was_behind) return; // the device runs this queue beside the busy one
    EXPECT_TRUE(both_filled);
  });
}

TEST_P(vulkan_staging, the_device_waits_for_the_host_only_where_staging_memory_is_used_again) {
  each([](device& d) {
    session s(d);
    std::vector<std::uint32_t> data(4 * piece / 4);
    std::iota(data.begin(), data.end(), 3u);
    auto memory = s.upload(data);
    std::vector<std::uint32_t> back(data.size());
    const seen_calls calls(d);
    s.run({copy_command{on(*memory), on_host(back.data()), 4 * piece}});
    EXPECT_EQ(back, data);
    const std::lock_guard lock(seen_calls::mutex);
    EXPECT_EQ(seen_calls::waits, (std::vector<std::uint32_t>{0, 0, 1, 1}));
  });
}

// Only where the host does not reach the memory.
INSTANTIATE_TEST_SUITE_P(, vulkan_staging, testing::Values(false), [](const auto&) { return "discrete"; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(vulkan_staging);

} // namespace prism::devices::test
