// A driver's queue and its timeline points, without the commands; commands refer to it. A device queue
// (device_queue.hpp) adds the commands in flight.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/execution/services.hpp"
#include "runtime/execution/wait_list.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace prism::runtime {

class device_state;
class driver_queue;
class scheduled_command;
using driver_queue_ref = std::shared_ptr<driver_queue>;

class driver_queue {
public:
  virtual ~driver_queue() = default;
  driver_queue(const driver_queue&) = delete;

  device_state& device() const { return m_device; }
  services& threads() const { return m_services; }
  unsigned number() const { return m_number; } // index among the device's queues, for messages
  bool profiling() const { return m_profiling; }
  // the driver's queue measures times, perhaps only for observers
  bool measures() const { return m_measures; }
  bool measures_each() const { return m_measures_each; } // measures each command, not only spans for a trace
  bool is_native() const { return m_is_native; }         // serves one SYCL queue only
  /// From now on this queue executes copies of the engine: no SYCL queue takes its failures.
  void serve_engine() { m_serves_engine.store(true, std::memory_order_release); }
  bool serves_engine() const { return m_serves_engine.load(std::memory_order_acquire); }
  devices::queue& queue() const { return *m_queue; } // only with mutex() locked, except points()
  devices::timeline& points() const { return *m_points; }
  /// Identifies the SYCL queue of a command; only for comparison. Its copy queue has the same identity.
  const void* identity() const { return m_kernels != nullptr ? m_kernels : this; }
  std::mutex& mutex() { return m_mutex; }
  /// The point of the last submission, 0 before the first; only with mutex() locked.
  std::uint64_t last_point() const { return m_last_point; }
  void record_point(std::uint64_t point, bool is_kernel, bool uses_known) {
    m_last_point = point;
    if (!uses_known) m_last_unknown_point = point;
    if (is_kernel) m_last_kernel_point = point;
  }
  /// A command ended without being executed, perhaps before the commands that it was ordered after. So
  /// commands that depend on it must follow the whole device queue.
  void mark_gap() { m_has_gap.store(true, std::memory_order_release); }
  /// For the flush timer, which flushes work that is still incomplete some time after it was recorded.
  /// Returns true if no record exists yet, and makes one; never for devices that start work without a flush.
  /// Only with mutex() locked.
  bool take_record() { return !m_starts_at_once && !std::exchange(m_is_recorded, true); }
  /// Flushes if work up to `point` is incomplete. Returns false if the record was removed; true if the timer
  /// must check again for the new `point`.
  bool start_recorded(std::uint64_t& point) noexcept;
  /// Whether the last checks of the flush timer found nothing to flush: the work was complete, or a thread
  /// was waiting for it.
  bool is_waited_for() const { return m_idle_checks.load(std::memory_order_relaxed) >= often; }
  /// The threads that wait for commands of this queue.
  wait_list& waits() { return m_wait_list; }
  /// The first submitted command that is not complete; null if there is none or another thread uses the
  /// queue.
  virtual std::shared_ptr<const scheduled_command> oldest_incomplete() { return nullptr; }
  /// Waits for a point of this queue.
  void wait_for(std::uint64_t point);
  /// Submits all recorded work to the driver, that of the copy queue too.
  virtual void flush();

  /// Failures of commands in this queue and in its copy queue; each is returned once. add_failure returns the
  /// failure's number, from 1.
  std::uint64_t add_failure(std::exception_ptr failure);
  /// Whether the program has received the failure of this number.
  bool has_reported_failure(std::uint64_t number) const;
  std::vector<std::exception_ptr> take_stored_failures();
  /// Removes a failure that a wait has thrown.
  void drop_failure(const std::exception_ptr& thrown);

protected:
  struct settings {
    unsigned number = 0;
    bool profiling = false, measures_each = false, measures = false, native_queue = false;
    driver_queue* kernels = nullptr; // the queue whose copies this queue executes; lives as long
  };
  driver_queue(device_state& device, services& threads, std::unique_ptr<devices::queue> queue,
               const settings& how);

  device_state& m_device;
  services& m_services;
  const unsigned m_number;
  const bool m_profiling, m_measures_each, m_measures, m_is_native;
  driver_queue* const m_kernels;
  const bool m_starts_at_once;
  std::mutex m_mutex;
  std::unique_ptr<devices::queue> m_queue;
  devices::timeline* m_points;
  std::uint64_t m_last_point = 0, m_last_kernel_point = 0;
  // point of the last command that may use memory not declared by its group
  std::uint64_t m_last_unknown_point = 0;
  std::atomic<bool> m_has_gap{false};

private:
  std::atomic<bool> m_serves_engine{false};
  bool m_is_recorded = false;
  static constexpr unsigned often = 16;
  std::atomic<unsigned> m_idle_checks{0}, m_waiting{0}; // checks of the flush timer; threads
  wait_list m_wait_list;
  std::mutex m_failure_mutex;
  std::vector<std::exception_ptr> m_failures;
  std::uint64_t m_last_failure = 0;
  std::atomic<std::uint64_t> m_last_reported{0};
};

} // namespace prism::runtime
