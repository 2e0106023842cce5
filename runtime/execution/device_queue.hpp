// A driver queue together with the commands that were submitted to it and have not completed.
//
// A SYCL queue owns one device queue. If its explicit copies can overlap its kernels, that device queue owns
// a second one for copies, accessible only through copies(); waits, barriers and failures cover both. In
// addition, each device has one device queue for copies that do not belong to any SYCL queue.
//
// Commands in flight and their device queue hold references to each other; retire_completed() releases them.
#pragma once

#include "runtime/execution/scheduled_command.hpp"
#include "runtime/execution/driver_queue.hpp"

#include <atomic>
#include <deque>
#include <utility>

namespace prism::runtime {

class device_queue;
using device_queue_ref = std::shared_ptr<device_queue>;

/// Makes the second device queue, for explicit copies. Throws device_error.
struct copy_queue_maker {
  virtual device_queue_ref make_copies(device_queue& kernels) = 0;

protected:
  ~copy_queue_maker() = default;
};

class device_queue final : public driver_queue {
public:
  struct environment {
    device_state& device;
    services& threads;
    copy_queue_maker& maker;
    unsigned number; // index among the device's device queues
  };
  device_queue(const environment& at, bool profiling);
  /// Makes the queue for the explicit copies of `kernels`.
  device_queue(const environment& at, device_queue& kernels);
  /// Wraps a native queue of the program.
  device_queue(const environment& at, std::unique_ptr<devices::queue> native_queue, bool profiling);

  /// The driver's queue object. From now on all commands of this queue are submitted to it, explicit copies
  /// included.
  void* native(std::string_view what);
  /// The device queue in which explicit copies of an out-of-order queue may overlap its kernels; made at
  /// first use. Null: copies run in this device queue, because the device or the driver has no other queue,
  /// or because the program uses the driver's queue.
  device_queue_ref copies();
  /// Whether `c` would wait here for a kernel that it does not depend on.
  bool has_kernel_in_the_way_of(const scheduled_command& c);

  struct order {
    // after the previous command; if both declare all memory they use, only after conflicting commands
    bool in_order = false;
    bool barrier = false;     // after all commands submitted before
    bool holds_later = false; // later command groups come after it, as after a barrier
    bool is_copy = false;     // a copy made by the engine: barriers do not delay it
  };
  /// Submits the command or posts it to the deferred submitter.
  void enqueue(const command_ref& c, order o);
  void wait();
  /// Waits for commands submitted to the device. Does not wait for deferred ones, which may depend on the
  /// calling thread.
  void wait_for_submitted();
  bool empty();
  /// Removes finished commands and finalizes them.
  void retire_completed();
  void flush() override;
  std::shared_ptr<const scheduled_command> oldest_incomplete() override;

  std::vector<std::exception_ptr> take_failures();
  pool::vector<command_ref> in_flight();
  /// The same without the copy queue; nothing if another thread does not release the queue in a moment,
  /// because the driver blocks it.
  pool::vector<command_ref> in_flight_if_free();

private:
  device_queue(const environment& at, bool profiling, bool measures_each);
  device_queue(const environment& at, bool profiling, bool measures_each, bool measures);
  void add_order(scheduled_command& c, order o);
  void take_finished(pool::vector<command_ref>& out);
  device_queue* made_copies() const { return m_made_copies.load(std::memory_order_acquire); }
  command_ref last_barrier();
  pool::vector<command_ref> own_in_flight();

  copy_queue_maker& m_maker;
  device_queue* const m_kernel_queue = nullptr; // the queue whose copies this queue executes; lives as long
  device_queue_ref m_copies;
  std::atomic<device_queue*> m_made_copies{nullptr};
  std::atomic<bool> m_is_alone{false}; // never use a second queue for copies
  std::uint64_t m_holds_up_to = 0;     // new submissions follow all points up to this one
  std::deque<command_ref, pool::allocator<command_ref>> m_in_flight;
  command_ref m_last, m_barrier; // m_barrier: the last command that later commands come after
  std::size_t m_retire_at = 16;
};

} // namespace prism::runtime
