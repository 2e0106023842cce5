// A queue of the record device and its timeline.
#pragma once

#include "devices/record/device.hpp"

namespace prism::devices::record {

class record_queue final : public queue, public timeline {
public:
  record_queue(record_device& owner, const queue_options& options);
  ~record_queue() override; // drops pending work: a test that ends early must not hang

  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override;
  std::uint64_t execute(command_buffer& what, std::span<const timeline_point> waits) override;
  void flush() override {}
  timeline& points() noexcept override { return *this; }

  std::uint64_t completed() const override;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override;
  std::optional<device_error> failure(std::uint64_t point) const override;
  profile times(std::uint64_t point) const override;
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override;

  const std::shared_ptr<driver>& owner() const noexcept { return m_driver; }

private:
  friend class record_device;
  struct awaited {
    record_queue* queue;
    std::uint64_t point;
  };
  struct submission {
    std::uint64_t number = 0; // within the device
    std::vector<command> commands;
    std::vector<awaited> waits;
    profile times;
  };
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };

  std::uint64_t take(std::span<const command> commands, std::span<const timeline_point> waits, bool executed);
  /// Runs everything that may run on all queues of the driver. Locks, unlocks, then calls the callbacks of
  /// completed points.
  static void advance(driver& d);
  bool run_front(std::vector<callback>& reached); // call with the lock held; false if nothing may run
  std::optional<device_error> failure_of(const submission& work) const;

  record_device& m_device;
  const std::shared_ptr<driver> m_driver;
  const bool m_profiling;
  std::size_t m_number = 0;
  // Guarded by m_driver->mutex.
  std::deque<submission> m_pending;
  std::uint64_t m_submitted = 0, m_completed = 0;
  std::map<std::uint64_t, device_error> m_failures;
  std::vector<profile> m_profiles;
  std::vector<callback> m_callbacks;
};

} // namespace prism::devices::record
