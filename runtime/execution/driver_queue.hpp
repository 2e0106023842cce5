// A queue of a driver with what the runtime knows of its points, and nothing of commands: those refer to it.
// A device queue (device queue.hpp) is such a queue together with its commands in flight.
#pragma once

#include "devices/api/device.hpp"
#include "runtime/execution/services.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace prism::runtime {

class device_state;
class driver_queue;
using driver_queue_ref = std::shared_ptr<driver_queue>;

class driver_queue {
public:
  virtual ~driver_queue() = default;
  driver_queue(const driver_queue&) = delete;

  device_state& device() const { return m_device; }
  services& threads() const { return m_services; }
  unsigned number() const { return m_number; } // of the device's queues, for people
  bool profiling() const { return m_profiling; }
  bool measures() const { return m_measures; } // the driver's queue does, though perhaps not for the user
  bool measures_each() const { return m_measures_each; } // not only for a trace
  bool is_peer() const { return m_foreign; }             // serves one SYCL queue only
  devices::queue& queue() const { return *m_queue; }     // with mutex() held, but for points()
  devices::timeline& points() const { return *m_points; }
  /// What tells one SYCL queue's commands from another's, to be compared only: its copies' queue has the
  /// same.
  const void* identity() const { return m_kernels != nullptr ? m_kernels : this; }
  std::mutex& mutex() { return m_mutex; }
  /// Of its last submission, 0 before the first; with mutex() held.
  std::uint64_t last_point() const { return m_last_point; }
  void record_point(std::uint64_t point, bool is_kernel, bool uses_known) {
    m_last_point = point;
    if (!uses_known) m_last_unknown_point = point;
    if (is_kernel) m_last_kernel_point = point;
  }
  /// A command ended without having run, perhaps before what it was to come after: who comes after it follows
  /// the whole device queue.
  void mark_gap() { m_has_gap.store(true, std::memory_order_release); }
  /// For the flush_timer, which starts what was submitted and not complete a while after it was noted: true
  /// the first time, then not before the note was dropped; never where the device starts it by itself. With
  /// mutex() held.
  bool take_record() { return !m_starts_at_once && !std::exchange(m_is_recorded, true); }
  /// Flushes when work up to `point` is not complete. False: the note is dropped; true: look again for
  /// `point`.
  bool start_recorded(std::uint64_t& point) noexcept;
  /// Whether the flush_timer has long found nothing to do here: what was submitted was complete, or a thread
  /// waited for it.
  bool is_waited_for() const { return m_looked_in_vain.load(std::memory_order_relaxed) >= often; }
  /// Waits for a point of the queue.
  void wait_for(std::uint64_t point);
  /// Gives the driver all there is, that of the copies' queue too.
  virtual void flush();

  /// Failures of its commands and of its copies', to be taken once.
  void add_failure(std::exception_ptr failure);
  std::vector<std::exception_ptr> take_stored_failures();

protected:
  struct settings {
    unsigned number = 0;
    bool profiling = false, measures_each = false, measures = false, foreign = false;
    driver_queue* kernels = nullptr; // whose copies these are; lives as long
  };
  driver_queue(device_state& device, services& threads, std::unique_ptr<devices::queue> queue,
               const settings& how);

  device_state& m_device;
  services& m_services;
  const unsigned m_number;
  const bool m_profiling, m_measures_each, m_measures, m_foreign;
  driver_queue* const m_kernels;
  const bool m_starts_at_once;
  std::mutex m_mutex;
  std::unique_ptr<devices::queue> m_queue;
  devices::timeline* m_points;
  std::uint64_t m_last_point = 0, m_last_kernel_point = 0;
  std::uint64_t m_last_unknown_point = 0; // of a command that may use memory which its group does not name
  std::atomic<bool> m_has_gap{false};

private:
  bool m_is_recorded = false;
  static constexpr unsigned often = 16;
  std::atomic<unsigned> m_looked_in_vain{0}, m_waiting{0}; // by the flush_timer; threads
  std::mutex m_failure_mutex;
  std::vector<std::exception_ptr> m_failures;
};

} // namespace prism::runtime
