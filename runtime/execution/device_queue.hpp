// A device queue with what the engine knows of its work. A SYCL queue owns one device queue, and where its
// explicit copies can run beside its kernels one more behind that, of which only copies() tells: waits,
// barriers and failures are those of both. A device has one more for copies that no user queue runs. Commands
// in flight keep the device queue alive and the device queue keeps them: retire_completed() breaks the
// circle.
#pragma once

#include "runtime/execution/scheduled_command.hpp"
#include "runtime/execution/driver_queue.hpp"

#include <atomic>
#include <deque>
#include <utility>

namespace prism::runtime {

class device_queue;
using device_queue_ref = std::shared_ptr<device_queue>;

/// Makes the device queue for the explicit copies of a device queue's queue. Throws device_error.
struct copy_queue_maker {
  virtual device_queue_ref make_copies(device_queue& kernels) = 0;

protected:
  ~copy_queue_maker() = default;
};

class device_queue final : public driver_queue {
public:
  struct place {
    device_state& device;
    services& threads;
    copy_queue_maker& maker;
    unsigned number; // of the device's device queues
  };
  device_queue(const place& at, bool profiling);
  /// For the copies of `kernels`.
  device_queue(const place& at, device_queue& kernels);
  /// On a queue of the program's own.
  device_queue(const place& at, std::unique_ptr<devices::queue> foreign, bool profiling);

  /// The driver's own; what is submitted later runs there and nowhere else.
  void* native(std::string_view what);
  /// Where the explicit copies of an out-of-order queue run beside its kernels, made at first need. Null: in
  /// this device queue, since the device or the driver has no queue to spare, or the program has the driver's
  /// queue.
  device_queue_ref copies();
  /// Whether `c` would wait here for a kernel that its own dependencies do not make it wait for.
  bool has_kernel_in_the_way_of(const scheduled_command& c);

  struct order {
    bool in_order =
        false; // after the command submitted before; where both name all that they use, as far as that shows
    bool barrier = false;     // after all commands submitted before
    bool holds_later = false; // later ones of command groups come after it, as after a barrier
    bool is_copy = false;     // of the engine's own: no barrier holds it
  };
  /// Submits the command or hands it to the deferred_submitter.
  void enqueue(const command_ref& c, order o);
  void wait();
  /// Waits for what the device was given, not for what is held back: that may wait for the calling thread.
  void wait_for_given();
  bool empty();
  /// Takes finished commands out and settles them.
  void retire_completed();
  void flush() override;

  std::vector<std::exception_ptr> take_failures();
  pool::vector<command_ref> in_flight();

private:
  device_queue(const place& at, bool profiling, bool measures_each);
  device_queue(const place& at, bool profiling, bool measures_each, bool measures);
  void add_order(scheduled_command& c, order o);
  void take_finished(pool::vector<command_ref>& out);
  device_queue* made_copies() const { return m_made_copies.load(std::memory_order_acquire); }
  command_ref last_barrier();
  pool::vector<command_ref> own_in_flight();

  copy_queue_maker& m_maker;
  device_queue* const m_kernel_queue = nullptr; // whose copies these are; lives as long
  device_queue_ref m_copies;
  std::atomic<device_queue*> m_made_copies{nullptr};
  std::atomic<bool> m_is_alone{false}; // no copies elsewhere
  std::uint64_t m_holds_up_to = 0;     // what is submitted follows all points up to this one
  std::deque<command_ref, pool::allocator<command_ref>> m_in_flight;
  command_ref m_last, m_barrier; // m_barrier: the last that holds later ones
  std::size_t m_retire_at = 16;
};

} // namespace prism::runtime
