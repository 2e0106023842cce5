// The record device, for tests of the code above the device interface. Its memory is host memory. It executes
// copies and fills immediately, on the thread that submits or releases them, and only records dispatches.
// Tests can hold points back, release them one by one, and make chosen submissions fail; everything is
// deterministic.
//
// There are several devices, in several "drivers": devices of one driver accept waits for each other, those
// of two drivers do not. Open them through record_backend() (with PRISM_RECORD_DEVICES set, or
// register_backend), or create them directly.
#pragma once

#include "devices/api/device.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

namespace prism::devices::record {

class record_queue;

/// A submission as plain data.
struct recorded_wait {
  std::size_t device = 0, queue = 0;
  std::uint64_t point = 0;
  bool operator==(const recorded_wait&) const = default;
};
struct recorded_submission {
  std::size_t device = 0, queue = 0; // numbers in order of creation
  std::uint64_t point = 0;
  std::vector<command> commands;
  std::vector<recorded_wait> waits;
  bool executed = false; // the commands of a command buffer
};

class record_command_buffer final : public command_buffer {
public:
  explicit record_command_buffer(std::span<const command_buffer_step> steps)
      : m_steps(steps.begin(), steps.end()) {}
  const std::vector<command_buffer_step>& steps() const noexcept { return m_steps; }

private:
  std::vector<command_buffer_step> m_steps;
};

/// State shared by the devices of one driver; outlives all of them.
struct driver {
  std::mutex mutex;
  std::condition_variable progress;
  std::vector<record_queue*> queues;
};

/// How to create a device.
struct device_setup {
  std::shared_ptr<driver> owner = std::make_shared<driver>();
  capabilities info;
};
/// Everything enabled: all features and image kinds, addresses, USM, profiling, 1 GiB of memory that the host
/// cannot access.
capabilities default_capabilities(std::size_t number);

/// The devices that record_backend().open creates from now on. Empty: two of one driver and one of another.
void configure(std::vector<device_setup> setups);

class record_device final : public device {
public:
  record_device(std::size_t number, device_setup setup);

  // For tests
  // -------------------------------------------------------------------------------------------------------
  std::vector<recorded_submission> log() const;
  void clear_log();
  /// From now on submissions to this device stay pending until release().
  void hold();
  void release(); // lets all submissions run and ends hold()
  void release_next(
      std::size_t submissions); // lets submissions run in order; hold() stays in effect for later ones
  /// Skips `skip` submissions; the next one then fails with `error`: its commands do not run.
  void fail_next(device_error error, std::size_t skip = 0);
  std::uint64_t memory_in_use() const noexcept { return m_used.load(); }

  // device
  // ----------------------------------------------------------------------------------------------------------
  const capabilities& info() const noexcept override { return m_info; }
  std::unique_ptr<memory> create_memory(std::uint64_t bytes, memory_kind kind,
                                        std::uint64_t alignment) override;
  std::unique_ptr<memory> adopt(void* host, std::uint64_t bytes) override;
  std::unique_ptr<program> create_program(const program_source& source) override;
  std::unique_ptr<program> create_program_from_binary(std::span<const std::byte> binary,
                                                      const program_source& source) override;
  std::unique_ptr<queue> create_queue(const queue_options& options) override;
  std::unique_ptr<command_buffer> create_command_buffer(std::span<const command_buffer_step> steps) override;
  std::string no_command_buffer_reason() const override { return {}; }
  bool can_wait_for(const timeline& other) const noexcept override;
  std::string fingerprint() const override;
  void* native(std::string_view) const noexcept override { return nullptr; }

private:
  friend class record_queue;
  friend class record_memory;

  const std::size_t m_number;
  const std::shared_ptr<driver> m_driver;
  const capabilities m_info;
  std::atomic<std::uint64_t> m_used{0};

  // Guarded by m_driver->mutex.
  std::vector<recorded_submission> m_log;
  std::size_t m_queue_count = 0;
  std::uint64_t m_submissions = 0;                          // so far
  std::uint64_t m_released = UINT64_MAX;                    // submissions up to this number may run
  std::map<std::uint64_t, device_error> m_planned_failures; // by number of submission
};

/// The record device behind the interface; null if it is another device.
inline record_device* as_record(device& d) { return dynamic_cast<record_device*>(&d); }

} // namespace prism::devices::record
