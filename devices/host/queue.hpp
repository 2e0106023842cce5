// Queues of the host device. A strand is the state of one in-order queue: its submissions in order, and its
// timeline. It runs on a thread of the shared pool once started, or on the thread that waits for it, which
// saves a wake-up. So submit() does not start work: a flush, a wait, a callback or a dependent submission
// does.
//
// A submission that waits for an incomplete point blocks its strand, never a thread. If a point that a
// submission waits for failed, the submission fails with that cause and runs nothing. An earlier failed
// submission in the same queue does not make it fail.
#pragma once

#include "devices/api/device.hpp"
#include "devices/host/parallel.hpp"
#include "devices/host/workers.hpp"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

namespace prism::devices::host {

class strand final : public timeline, public runnable, public std::enable_shared_from_this<strand> {
public:
  /// `share`: the threads that run commands; null: all of the machine's threads.
  strand(workers& pool, unsigned threads, thread_share* share, const queue_options& options)
      : m_pool(pool), m_threads(threads), m_share(share), m_profiling(options.profiling),
        m_for_trace(options.for_trace) {}

  // timeline
  std::uint64_t completed() const override;
  bool wait(std::uint64_t point, std::optional<std::chrono::nanoseconds> limit) override;
  std::optional<device_error> failure(std::uint64_t point) const override;
  profile times(std::uint64_t point) const override;
  void on_completion(std::uint64_t point, void (*then)(void*), void* context) override;

  std::uint64_t submit(command_list commands, std::span<const timeline_point> waits);
  void start();
  void run() noexcept override; // on a pool thread
  std::uint64_t submitted() const noexcept { return m_submitted.load(std::memory_order_acquire); }

private:
  enum class state { idle, posted, running, blocked };
  struct awaited {
    std::shared_ptr<strand> owner;
    std::uint64_t value = 0;
  };
  struct submission {
    std::uint64_t point = 0;
    command_list commands;
    pool::vector<awaited> waits;
    std::uint64_t submitted_ns = 0;
  };
  using submissions = std::deque<submission, pool::allocator<submission>>;
  struct callback {
    std::uint64_t point;
    void (*then)(void*);
    void* context;
  };

  bool done(std::uint64_t point) const noexcept {
    return m_completed.load(std::memory_order_acquire) >= point;
  }
  /// Call with m_mutex held. If m_completed is still below `point` when read after this, notify() will be
  /// called once it reaches `point`.
  void watch(std::uint64_t point) noexcept {
    if (point < m_watched.load(std::memory_order_relaxed))
      m_watched.exchange(point, std::memory_order_seq_cst);
  }
  bool done_though_watched(std::uint64_t point) const noexcept {
    return m_completed.load(std::memory_order_seq_cst) >= point;
  }
  void notify(std::uint64_t point);
  bool help(std::uint64_t point, int depth);
  bool run_here(std::uint64_t last);
  void run_pending(std::uint64_t last);
  bool take_front(submission& next, std::uint64_t last);
  const awaited* blocker_of(const submission& work) const;
  void resume();
  void execute(submission& work);
  void execute_all(const command_list& commands, profile& times);
  void complete(std::uint64_t point, const profile& times, std::optional<device_error> failure);

  workers& m_pool;
  const unsigned m_threads;
  thread_share* const m_share;
  const bool m_profiling, m_for_trace;

  // On another cache line than what submitting threads write, so that neither side waits for the other's.
  static constexpr std::size_t line = 64;
  alignas(line) std::atomic<std::uint64_t> m_completed{0};
  // Submissions that come before those in m_pending. They belong to the thread that set the state to
  // `running`, which takes them without a lock, so that submitting threads do not wait for it. Empty if the
  // state is idle.
  submissions m_taken;
  // The first point for which a waiter wants a notification; written under m_mutex. A runner stores a
  // completed point and then reads this; a waiter writes this and then reads the completed point. Both use
  // one total order, so one of them sees the other's write. Points without waiters so cost neither a lock nor
  // a wake-up. Both write by exchange(): on x86 that is what store() would be, and QEMU 7.2, which runs ARM's
  // tests, lets a load overtake a store() before it though both are sequentially consistent.
  alignas(line) std::atomic<std::uint64_t> m_watched{UINT64_MAX};
  std::atomic<bool> m_any_failed{false}; // set before the failed point is complete

  alignas(line) std::atomic<std::uint64_t> m_submitted{0};
  mutable std::mutex m_mutex; // guards all below
  std::condition_variable m_progress;
  unsigned m_waiters = 0;
  state m_state = state::idle;
  submissions m_pending;
  awaited m_blocked_on;
  std::map<std::uint64_t, device_error> m_failures;
  std::vector<profile> m_profiles; // of point i + 1
  std::vector<callback> m_callbacks;
};

class host_queue final : public queue {
public:
  host_queue(workers& pool, unsigned threads, thread_share* share, const queue_options& options)
      : m_strand(std::make_shared<strand>(pool, threads, share, options)) {}
  ~host_queue() override { m_strand->wait(m_strand->submitted(), std::nullopt); }
  std::uint64_t submit(std::span<const command> commands, std::span<const timeline_point> waits) override {
    return m_strand->submit(command_list(commands.begin(), commands.end()), waits);
  }
  std::uint64_t submit_after(command_list& commands, std::span<const timeline_point> waits,
                             std::uint64_t) override {
    return m_strand->submit(std::move(commands), waits);
  }
  void flush() override { m_strand->start(); }
  timeline& points() noexcept override { return *m_strand; }

private:
  std::shared_ptr<strand> m_strand;
};

} // namespace prism::devices::host
