// A device queue with what the engine knows of its work. A SYCL queue owns one lane, and where its explicit copies can run
// beside its kernels one more behind that, of which only copies() tells: waits, barriers and failures are those of both. A
// device has one more for copies that no user queue runs. Commands in flight keep the lane alive and the lane keeps them:
// reap() breaks the circle.
#pragma once

#include "runtime/execution/command.hpp"
#include "runtime/observe/trace.hpp"

#include <atomic>
#include <deque>
#include <utility>

namespace prism::schedule {

class lane {
public:
  lane(device_entry& device, bool profiling);
  /// For the copies of `kernels`.
  explicit lane(lane& kernels);
  /// On a queue of the program's own.
  lane(device_entry& device, std::unique_ptr<devices::queue> foreign, bool profiling, unsigned number);

  device_entry& device() const { return m_device; }
  unsigned number() const { return m_number; } // of the device's lanes, for people
  bool profiling() const { return m_profiling; }
  bool measures() const { return m_measures; } // the driver's queue does, though perhaps not for the user
  bool measures_each() const { return m_measures_each; } // not only for a trace
  support::trace::track track() const { return m_track; }              // only while tracing
  bool is_foreign() const { return m_foreign; } // serves one SYCL queue only
  devices::queue& queue() const { return *m_queue; } // with mutex() held, but for points()
  devices::timeline& points() const { return *m_points; }
  /// The driver's own; what is submitted later runs there and nowhere else.
  void* native(std::string_view what);
  /// Where the explicit copies of an out-of-order queue run beside its kernels, made at first need. Null: in this lane, since the
  /// device or the driver has no queue to spare, or the program has the driver's queue.
  lane_ref copies();
  /// Itself, or whose copies these are: one a SYCL queue.
  const lane* of_queue() const { return m_kernels != nullptr ? m_kernels : this; }
  /// Whether `c` would wait here for a kernel that its own dependencies do not make it wait for.
  bool has_kernel_in_the_way_of(const command& c);
  std::mutex& mutex() { return m_mutex; }
  /// Of its last submission, 0 before the first; with mutex() held.
  std::uint64_t last_point() const { return m_last_point; }
  void note_point(std::uint64_t point, bool is_kernel, bool uses_known) {
    m_last_point = point;
    if (!uses_known) m_last_unknown_point = point;
    if (is_kernel) m_last_kernel_point = point;
  }
  /// A command ended without having run, perhaps before what it was to come after: who comes after it follows the whole lane.
  void note_gap() { m_has_gap.store(true, std::memory_order_release); }
  /// For the starter, which starts what was submitted and not complete a while after it was noted: true the first time,
  /// then not before the note was dropped; never where the device starts it by itself. With mutex() held.
  bool take_note() { return !m_starts_at_once && !std::exchange(m_is_noted, true); }
  /// Flushes when work up to `point` is not complete. False: the note is dropped; true: look again for `point`.
  bool start_noted(std::uint64_t& point) noexcept;
  /// Whether the starter has long found nothing to do here: what was submitted was complete, or a thread waited for it.
  bool is_waited_for() const { return m_looked_in_vain.load(std::memory_order_relaxed) >= often; }
  /// Waits for a point of the queue.
  void wait_for(std::uint64_t point) {
    struct counted {
      std::atomic<unsigned>& threads;
      explicit counted(std::atomic<unsigned>& all) : threads(all) { threads.fetch_add(1, std::memory_order_relaxed); }
      ~counted() { threads.fetch_sub(1, std::memory_order_relaxed); }
    } const mine(m_waiting);
    m_points->wait(point);
  }

  struct order {
    bool in_order = false;    // after the command submitted before; where both name all that they use, as far as that shows
    bool barrier = false;     // after all commands submitted before
    bool holds_later = false; // later ones of command groups come after it, as after a barrier
    bool is_copy = false;     // of the engine's own: no barrier holds it
  };
  /// Submits the command or hands it to the reactor.
  void enqueue(const command_ref& c, order o);
  void wait();
  /// Waits for what the device was given, not for what is held back: that may wait for the calling thread.
  void wait_for_given();
  bool empty();
  /// Takes finished commands out and settles them.
  void reap();
  void flush();

  void add_failure(std::exception_ptr failure);
  std::vector<std::exception_ptr> take_failures();
  pool::vector<command_ref> in_flight();

private:
  void add_order(command& c, order o);
  void take_finished(pool::vector<command_ref>& out);
  lane* made_copies() const { return m_made_copies.load(std::memory_order_acquire); }
  command_ref last_barrier();
  pool::vector<command_ref> own_in_flight();

  device_entry& m_device;
  unsigned m_number;
  bool m_profiling, m_measures_each, m_measures;
  support::trace::track m_track{};
  bool m_foreign = false;
  const bool m_starts_at_once;
  lane* m_kernels = nullptr; // whose copies these are; lives as long
  lane_ref m_copies;
  std::atomic<lane*> m_made_copies{nullptr};
  std::atomic<bool> m_is_alone{false}; // no copies elsewhere
  std::mutex m_mutex;
  std::unique_ptr<devices::queue> m_queue;
  devices::timeline* m_points;
  std::uint64_t m_last_point = 0, m_last_kernel_point = 0;
  std::uint64_t m_last_unknown_point = 0; // of a command that may use memory which its group does not name
  std::uint64_t m_holds_up_to = 0; // what is submitted follows all points up to this one
  std::atomic<bool> m_has_gap{false};
  bool m_is_noted = false;
  static constexpr unsigned often = 16;
  std::atomic<unsigned> m_looked_in_vain{0}, m_waiting{0}; // by the starter; threads
  std::deque<command_ref, pool::allocator<command_ref>> m_in_flight;
  command_ref m_last, m_barrier; // m_barrier: the last that holds later ones
  std::size_t m_reap_at = 16;
  std::mutex m_failure_mutex;
  std::vector<std::exception_ptr> m_failures;
};

} // namespace prism::schedule
