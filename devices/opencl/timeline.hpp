// The timeline of one OpenCL queue: point n is the event of the last driver command of submission n.
//
// Any thread. Events are released in order once they are found complete, so memory is bounded by the work in
// flight. Stored failures and, with profiling, 24 bytes a point remain until the queue is destroyed. Costs of
// record(): one lock, no allocation when warm.
#pragma once

#include "devices/api/device.hpp"
#include "devices/opencl/context.hpp"
#include "devices/opencl/queue_choice.hpp"

#include <array>
#include <chrono>
#include <map>

namespace prism::devices::opencl {

/// How the driver's clock relates to steady_clock: steady = driver + offset, ± uncertainty.
struct clock_calibration {
  std::int64_t offset_ns = 0;
  std::uint64_t uncertainty_ns = 0;
};

/// The watched launches of a submission (devices/api/image.hpp). `found`, which the submission reads back
/// after them, is the mark of a launch whose loops were cut short; any other value means none.
struct loop_check {
  cl_uint found = 0;
  std::vector<std::pair<cl_uint, std::shared_ptr<const std::string>>> launches; // mark, kernel
};

class opencl_timeline final : public timeline {
public:
  /// `profiling`: how to convert the driver's times; null without profiling.
  opencl_timeline(context_ptr context, cl_command_queue queue, std::optional<clock_calibration> profiling);
  ~opencl_timeline() override; // the queue is finished

  std::uint64_t completed() const override;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override;
  std::optional<device_error> failure(std::uint64_t point) const override;
  profile times(std::uint64_t point) const override;
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override;
  void on_completion_at(std::uint64_t point, void (*then)(void*, std::uint64_t ns), void* context) override;

  /// Takes the events of one submission, in order; the last one becomes the point. `failed`: an error that
  /// occurred after part of the submission had been enqueued. `check`: null, or the check that the last event
  /// reads; profiled times exclude it. `number`: the driver queue, of those that add_queue() counts.
  std::uint64_t record(std::vector<event_handle>& events, std::size_t number, std::uint64_t submitted_ns,
                       std::optional<device_error> failed, std::unique_ptr<loop_check> check = nullptr);
  /// The event to wait for before `point` is reached; empty if it is reached already.
  event_handle pending_event(std::uint64_t point) const;
  /// Appends events to wait for until all points up to `point` are reached, without those of one driver
  /// queue.
  void pending_events(std::uint64_t point, std::size_t except, std::vector<event_handle>& out) const;
  /// Another driver queue, with the next number; the first one has the number 0. The queue's thread.
  void add_queue(cl_command_queue made);
  std::uint64_t last() const noexcept { return m_last.load(std::memory_order_acquire); }
  void flush() const;
  /// For how many points in flight it has memory.
  std::size_t capacity() const;
  const platform_context& shared() const noexcept { return *m_context; }

private:
  static constexpr std::uint64_t retire_every = 16;
  static constexpr std::size_t most_idle = 4096; // entries that an idle queue retains
  /// Members that few submissions need. An entry that needed them once retains them, so that a later
  /// submission in this entry allocates nothing.
  struct rest {
    std::vector<event_handle> earlier; // only their status matters
    std::optional<device_error> failed;
    std::unique_ptr<loop_check> check;
  };
  /// Small, because a long burst has one for each command in flight.
  struct entry {
    event_handle last;
    // with profiling; else the number of the driver queue
    std::uint64_t submitted_ns = 0;
    std::unique_ptr<rest> more;
  };
  static_assert(sizeof(entry) == 32);
  /// The events before the last one.
  static std::span<const event_handle> steps_of(const entry& of) {
    return of.more ? std::span<const event_handle>(of.more->earlier) : std::span<const event_handle>();
  }
  struct times_row {
    std::uint64_t submitted_ns, started_ns, ended_ns;
  };
  entry& at(std::uint64_t point) const { return m_ring[point & (m_ring.size() - 1)]; }
  event_handle event_of(std::uint64_t point) const; // m_mutex held
  cl_int status_of(cl_event event) const;
  void retire(std::uint64_t most) const; // m_mutex held
  /// Each submission retires a few completed points, so that the ring grows only with work in flight. m_mutex
  /// held.
  void retire_some(std::uint64_t point) const;
  void store_outcome(entry& done, std::uint64_t point, cl_int status) const;
  void store_times(const entry& done) const;
  /// Callers may wait for points before they are submitted. False if the limit passes first.
  bool wait_until_submitted(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit);
  /// False: `point` is complete already, and there will be no callback.
  template <typename Notice, typename Then>
  bool ask_for_notice(std::uint64_t point, Then then, void* context);
  bool wait_for_event(cl_event event, std::optional<std::chrono::nanoseconds> limit);

  context_ptr m_context;
  std::array<cl_command_queue, most_driver_queues> m_queues{};
  std::atomic<std::size_t> m_queue_count{1};
  mutable std::optional<clock_calibration> m_profiling;
  std::atomic<std::uint64_t> m_last{0};
  mutable std::atomic<std::uint64_t> m_flushed{0};
  mutable std::mutex m_mutex;
  std::condition_variable m_submitted;
  unsigned m_early_waiters = 0;
  mutable std::vector<entry> m_ring; // a power of two; entries (m_completed, m_last]
  mutable std::uint64_t m_completed = 0;
  mutable std::map<std::uint64_t, device_error> m_failures;
  mutable std::vector<times_row> m_times; // index + 1 is the point
};

/// The host's clock, with which a queue compares the device's.
inline std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

} // namespace prism::devices::opencl
