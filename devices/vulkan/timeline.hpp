// Each queue has one timeline semaphore. Waiting sleeps in the driver. Callbacks run on a thread, created
// when first needed, which wakes at every point while callbacks are registered.
#pragma once

#include "devices/vulkan/device.hpp"
#include "devices/vulkan/host_worker.hpp"
#include "devices/vulkan/loop_watch.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace prism::devices::vulkan {

class submission_batches;

class timeline final : public devices::timeline {
public:
  using times_source = std::function<profile(std::uint64_t)>;
  timeline(device& owner, times_source times);
  ~timeline() override;

  std::uint64_t completed() const override;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit = std::nullopt) override;
  std::optional<device_error> failure(std::uint64_t point) const override;
  profile times(std::uint64_t point) const override { return m_times(point); }
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override;

  device& owner() const noexcept { return m_device; }
  loop_watch& watch() noexcept { return m_watch; }
  VkSemaphore semaphore() const noexcept { return m_semaphore; }
  /// Sets the object that sends points that were submitted but not yet sent; every query goes through it.
  void set_batches(submission_batches* batches) noexcept { m_batches = batches; }
  /// The point has entered the VkQueue, or never will.
  void record_sent(std::uint64_t point) noexcept { m_sent.store(point, std::memory_order_release); }
  std::uint64_t sent() const noexcept { return m_sent.load(std::memory_order_acquire); }
  /// The value of the semaphore when the point is reached; the point is sent. See
  /// submission_batches::signal_of.
  std::uint64_t signal_of(std::uint64_t point);
  /// The last point known to be complete without asking the driver.
  std::uint64_t known_completed() const noexcept { return m_reached.load(std::memory_order_acquire); }
  void stop_callbacks() noexcept; // all points are complete; objects that callbacks use may be destroyed
                                  // after this
  std::uint64_t submitted() const noexcept { return m_submitted.load(std::memory_order_acquire); }
  void report_submitted(std::uint64_t point) noexcept { m_submitted.store(point, std::memory_order_release); }

private:
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };
  std::uint64_t reached() const; // the semaphore's value
  void serve_callbacks();

  device& m_device;
  times_source m_times;
  mutable loop_watch m_watch;
  VkSemaphore m_semaphore = VK_NULL_HANDLE;
  submission_batches* m_batches = nullptr;
  std::atomic<std::uint64_t> m_submitted{0}, m_sent{0};
  mutable std::atomic<std::uint64_t> m_reached{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<callback> m_callbacks;
  std::thread m_waiter;
  bool m_stopping = false;
};

VkSemaphore create_timeline_semaphore(device& owner);

/// Reads the semaphore for a short time, at most `limit`, and returns whether it reached the value. Before a
/// thread sleeps: NVIDIA's driver wakes it some 40 us after the signal. This returns at once on a device that
/// is this processor, because its threads need the time.
bool reaches_soon(device& owner, const semaphore_value& what,
                  std::optional<std::chrono::nanoseconds> limit = std::nullopt);

} // namespace prism::devices::vulkan
