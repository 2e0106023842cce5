// Copies through staging memory: the host fills one piece while the device copies another.
#include "fixture.hpp"

#include "devices/vulkan/device.hpp"
#include "tests/wait.hpp"

#include <chrono>
#include <mutex>
#include <numeric>
#include <thread>

namespace prism::devices::test {

namespace {

constexpr std::size_t piece = 4u << 20;

/// The semaphore values that each batch of the device waits for and signals, and those that the copying host
/// thread waits for and signals.
struct seen_calls {
  static inline PFN_vkQueueSubmit submit = nullptr;
  static inline PFN_vkSignalSemaphore signal = nullptr;
  static inline PFN_vkWaitSemaphores wait = nullptr;
  static inline PFN_vkGetSemaphoreCounterValue read = nullptr;
  static inline std::mutex mutex;
  static inline std::vector<std::uint32_t> waits;
  static inline std::vector<std::uint32_t> batches; // of each call
  static inline std::uint32_t refused_call = 0;     // the number of the one that fails; 0: none
  static inline std::vector<std::uint64_t> device_waits, device_signals, host_waits, host_signals;
  static inline std::thread::id tester;
  vulkan::device_functions& functions;

  explicit seen_calls(device& d) : functions(static_cast<vulkan::device&>(d).vk()) {
    submit = functions.QueueSubmit;
    signal = functions.SignalSemaphore;
    wait = functions.WaitSemaphores;
    read = functions.GetSemaphoreCounterValue;
    functions.GetSemaphoreCounterValue = [](VkDevice on, VkSemaphore semaphore, std::uint64_t* value) {
      // The copying thread then calls the wait.
      return std::this_thread::get_id() == tester ? read(on, semaphore, value) : VK_ERROR_UNKNOWN;
    };
    waits.clear();
    batches.clear();
    refused_call = 0;
    for (auto* each : {&device_waits, &device_signals, &host_waits, &host_signals}) each->clear();
    tester = std::this_thread::get_id();
    functions.QueueSubmit = [](VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
      const std::lock_guard lock(mutex);
      batches.push_back(count);
      if (batches.size() == refused_call) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto& values = *static_cast<const VkTimelineSemaphoreSubmitInfo*>(infos[i].pNext);
        waits.push_back(infos[i].waitSemaphoreCount);
        device_waits.insert(device_waits.end(), values.pWaitSemaphoreValues,
                            values.pWaitSemaphoreValues + values.waitSemaphoreValueCount);
        device_signals.insert(device_signals.end(), values.pSignalSemaphoreValues,
                              values.pSignalSemaphoreValues + values.signalSemaphoreValueCount);
      }
      return submit(queue, count, infos, fence);
    };
    functions.SignalSemaphore = [](VkDevice on, const VkSemaphoreSignalInfo* info) {
      const VkResult result = signal(on, info);
      const std::lock_guard lock(mutex);
      host_signals.push_back(info->value);
      return result;
    };
    functions.WaitSemaphores = [](VkDevice on, const VkSemaphoreWaitInfo* info, std::uint64_t limit) {
      const VkResult result = wait(on, info, limit);
      const std::lock_guard lock(mutex);
      if (result == VK_SUCCESS && std::this_thread::get_id() != tester) host_waits.push_back(*info->pValues);
      return result;
    };
  }
  ~seen_calls() {
    functions.QueueSubmit = submit;
    functions.SignalSemaphore = signal;
    functions.WaitSemaphores = wait;
    functions.GetSemaphoreCounterValue = read;
  }
  static std::size_t signalled_by_host() {
    const std::lock_guard lock(mutex);
    return host_signals.size();
  }
};

struct vulkan_staging : on_each_device {};

} // namespace

TEST_P(vulkan_staging, the_host_fills_one_piece_while_the_device_copies_another) {
  each([](device& d) {
    session busy(d), s(d);
    const std::vector<std::uint32_t> data(3 * piece / 4, 5);
    auto memory = s.make(3 * piece), slow = busy.upload(std::vector<std::uint32_t>(256, 0));
    auto& spin = busy.load("spin");
    const seen_calls calls(d);
    std::uint64_t last = 0;
    for (int i = 0; i < 40; ++i)
      last = busy.submit({dispatch_command{
          &spin, {4, 1, 1}, {64, 1, 1}, 0, bytes_of(spin_arguments{slow->address(), 256, 20'000}), {}, {}}});
    busy.q->flush();
    const auto before = seen_calls::signalled_by_host();
    const auto done =
        s.submit({copy_command{on_host(const_cast<std::uint32_t*>(data.data())), on(*memory), 3 * piece}});
    prism_test::eventually([&] {
      return seen_calls::signalled_by_host() >= before + 2 || busy.q->points().completed() >= last;
    });
    const bool both_filled = seen_calls::signalled_by_host() >= before + 2;
    const bool was_behind = s.q->points().completed() < done;
    ASSERT_TRUE(s.q->points().wait(done));
    EXPECT_EQ(s.download<std::uint32_t>(*memory, data.size()), data);
    if (!was_behind) return; // the device runs this queue at the same time as the busy one
    EXPECT_TRUE(both_filled);
  });
}

TEST_P(vulkan_staging, the_device_waits_for_the_host_only_on_reuse) {
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
    ASSERT_EQ(seen_calls::device_waits.size(), 2u);
    ASSERT_GE(seen_calls::host_signals.size(), 2u);
    EXPECT_EQ(seen_calls::device_waits[0], seen_calls::host_signals[0])
        << "the third piece reuses the memory of the first";
    EXPECT_EQ(seen_calls::device_waits[1], seen_calls::host_signals[1]);
  });
}

TEST_P(vulkan_staging, the_host_waits_for_the_device_only_on_reuse) {
  each([](device& d) {
    session s(d);
    std::vector<std::uint32_t> data(4 * piece / 4);
    std::iota(data.begin(), data.end(), 3u);
    auto memory = s.make(4 * piece);
    {
      const seen_calls calls(d);
      s.run({copy_command{on_host(data.data()), on(*memory), 4 * piece}});
      const std::lock_guard lock(seen_calls::mutex);
      ASSERT_EQ(seen_calls::device_signals.size(), 4u);
      EXPECT_EQ(seen_calls::host_waits, std::vector<std::uint64_t>(seen_calls::device_signals.begin(),
                                                                   seen_calls::device_signals.begin() + 2));
    }
    EXPECT_EQ(s.download<std::uint32_t>(*memory, data.size()), data);
  });
}

// Vulkan guarantees only for the start of a vkQueueSubmit that the device sees what the host wrote. NVIDIA's
// driver read the old bytes of a piece when a batch later in the same call read it again.
TEST_P(vulkan_staging, each_batch_that_reads_what_the_host_wrote_begins_a_call) {
  each([](device& d) {
    session s(d);
    std::vector<std::uint32_t> data(4 * piece / 4, 7);
    auto memory = s.make(4 * piece);
    const seen_calls calls(d);
    s.run({copy_command{on_host(data.data()), on(*memory), 4 * piece}});
    const std::lock_guard lock(seen_calls::mutex);
    EXPECT_EQ(seen_calls::batches, (std::vector<std::uint32_t>{1, 1, 1, 1}));
  });
}

TEST_P(vulkan_staging, a_refused_later_call_loses_the_device_and_nothing_waits_for_ever) {
  each([](device& d) {
    session s(d);
    std::vector<std::uint32_t> data(4 * piece / 4, 7);
    auto memory = s.make(4 * piece);
    const seen_calls calls(d);
    seen_calls::refused_call = 3;
    try {
      s.submit({copy_command{on_host(data.data()), on(*memory), 4 * piece}});
      FAIL() << "the refusal is not reported";
    } catch (const device_error& error) {
      EXPECT_EQ(error.category(), error_category::lost) << error.what();
    }
    EXPECT_THROW(s.submit({}), device_error);
  }); // where the batches of the first two calls must end
}

// Only for devices whose memory the host cannot access.
INSTANTIATE_TEST_SUITE_P(, vulkan_staging, testing::Values(false), [](const auto&) { return "discrete"; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(vulkan_staging);

} // namespace prism::devices::test
