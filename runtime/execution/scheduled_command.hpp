// A submitted command: its work, what it waits for, where it runs, and how it ended.
//
// Life: held → (submitted to a device queue | running on a host thread) → complete. A command leaves `held`
// when each of its dependencies is complete or, for device work, submitted to the same driver. Completion is
// noticed by whoever looks (wait, query, the next submissions, the deferred_submitter); finalize() then
// stores the failure, drops what the command kept alive and wakes those held for it. Locks: m_mutex is a leaf
// but for the device queue's failures.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/execution/completable.hpp"
#include "runtime/execution/deferred_release.hpp"
#include "runtime/execution/driver_queue.hpp"
#include "runtime/execution/submission_method.hpp"
#include "runtime/observe/observer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

namespace prism::runtime {

struct no_work {};
struct device_work {
  devices::command_list commands;
  submission_method* ready = nullptr; // instead of `commands`; what the command keeps keeps it alive
};
struct host_work {
  std::function<void()> body;
};
/// Ends by release(): a live host accessor.
struct host_access_work {};
using work = std::variant<no_work, device_work, host_work, host_access_work>;

class scheduled_command final : public command_node,
                                public graph::node,
                                public std::enable_shared_from_this<scheduled_command> {
public:
  enum class phase : std::uint32_t { queued, submitted, running, complete };

  scheduled_command(driver_queue_ref where, work what);
  ~scheduled_command() override;

  // Before enqueue, by the submitting thread only.
  void depend_on(command_ref on, bool data);
  /// Comes after the device queue's points up to that one; those of its dependencies in the device queue are
  /// known besides.
  void follow(std::uint64_t point) { m_after = std::max(m_after, point); }
  void follow(const scheduled_command& submitted) { follow(submitted.m_point); }
  void keep(std::shared_ptr<void> object) { m_kept.push_back(std::move(object)); }
  work& payload() { return m_work; }
  void move_to(driver_queue_ref where) { m_device_queue = std::move(where); } // of the same queue
  const dependency_list& waits_for() const { return m_dependencies; }

  /// The submitter's attempt, with the device queue locked: true when it left `held`. Otherwise post it to
  /// the deferred_submitter.
  bool start_if_ready();
  /// The deferred_submitter's attempt; no lock held.
  void advance();
  /// Ends a host_access_work.
  void release() { finish(nullptr); }

  bool is_device_work() const { return std::holds_alternative<device_work>(m_work); }
  bool is_host_access() const { return std::holds_alternative<host_access_work>(m_work); }
  /// A host task: what it throws is the user's own, and does not keep commands from running that only come
  /// after it.
  bool is_host_task() const { return m_is_host_task; }
  /// Its body runs, or what it captured is destroyed: who waits for it here would wait forever.
  bool runs_on_this_thread() const noexcept;
  /// Of any command.
  static bool thread_runs_one() noexcept;
  void mark_host_task() { m_is_host_task = true; } // before enqueue
  /// Before enqueue: all memory it uses is that of its group's requirements, whose hazards are among its
  /// dependencies.
  void mark_uses_known() { m_uses_known = true; }
  bool uses_known() const { return m_uses_known; }
  /// An address in the module whose code or tables it needs until it is complete; null: none that can go.
  /// Before enqueue.
  void needs_module_of(const void* address) { m_module_address = address; }
  const void* module_address() const { return m_module_address; }
  /// What a trace or the ledger calls it, and the program's line; only when there is one. Before enqueue.
  void set_label(std::string text, std::string line) {
    set_label(std::make_shared<const command_label>(command_label{std::move(text), std::move(line)}));
  }
  void set_label(label_ref known) { details().label = std::move(known); }
  /// Who is told of its end. Before enqueue.
  void follow_with(const observe::follower_list& followers) {
    if (!followers.empty()) details().followers = followers;
  }
  /// Its commands are given to the queue that way. Before enqueue.
  void submit_by(std::unique_ptr<submission_method> method) {
    if (method != nullptr) details().method = std::move(method);
  }
  std::string_view label() const {
    return known_label() != nullptr ? std::string_view(known_label()->text) : std::string_view();
  }
  std::string_view line() const {
    return known_label() != nullptr ? std::string_view(known_label()->line) : std::string_view();
  }
  phase current() const { return m_phase.load(std::memory_order_acquire); }
  driver_queue& where() const { return *m_device_queue; }
  /// driver_queue::identity; null of a host access.
  const void* queue_identity() const {
    return m_device_queue != nullptr ? m_device_queue->identity() : nullptr;
  }
  bool finished() const override; // complete, or complete on the device but not settled yet
  bool known_finished() const override { return current() == phase::complete; }

  /// The same for a command of a device queue whose timeline has come to `completed`: one query of the driver
  /// for many commands.
  bool finished_at(std::uint64_t completed) const {
    const phase now = current();
    return now == phase::complete || (now == phase::submitted && m_point <= completed);
  }
  void prefetch_state() const { __builtin_prefetch(&m_phase); } // that finished_at looks at

  // command_node
  status query() const override;
  void wait() override;
  /// Returns after `limit` at the latest.
  void wait_for(std::chrono::nanoseconds limit);
  /// Waits if the device has it; without an effect on what the program is known to have waited for.
  void wait_if_given();
  devices::profile times() override;
  /// Its point once the driver has it; waits while it is held. Empty for work that no device runs.
  devices::timeline_point point();
  std::vector<command_ptr> dependencies() const override;
  std::exception_ptr failure() const override;

  /// Stores the outcome of a finished command and of those it depends on.
  static void finalize(command_ref finished_command);

private:
  /// What few commands have.
  struct command_details {
    label_ref label;
    observe::follower_list followers;
    std::unique_ptr<submission_method> method; // null: as usual
    bool is_told = false;                      // to the followers
  };
  command_details& details() {
    if (m_details == nullptr) m_details = std::make_unique<command_details>();
    return *m_details;
  }
  const command_label* known_label() const { return m_details != nullptr ? m_details->label.get() : nullptr; }
  enum class readiness { ready, failed, waits };
  readiness check(const dependency& d);
  void record_failed(const dependency& d);
  void refuse(std::exception_ptr why);
  void end_failed();
  bool will_fail() const { return m_failed_first != nullptr || m_failure != nullptr; } // while it is held
  bool add_waiter(const command_ref& waiter, phase seen);
  /// By the submitter nobody else knows the command yet: the device queue and the buffers it uses are locked.
  /// No one can wait.
  enum class known_to { submitter, others };
  bool start(known_to whom); // device work: the device queue is locked; false: refused, so it will fail
  bool start_device(known_to whom);
  std::uint64_t hand_over(device_work& what);
  void run_host();
  void finish(std::exception_ptr failure);
  std::exception_ptr outcome() const;
  std::exception_ptr failed_with(const devices::device_error& what) const;
  void watch_completion();
  static void submit_again(small_vector<command_ref, 1>& waiters);
  void notify_followers(bool failed) const;
  status look() const;
  std::string what_it_is() const;
  void wait_limited(std::chrono::nanoseconds limit);

  driver_queue_ref m_device_queue;
  work m_work;
  std::atomic<phase> m_phase{phase::queued};
  std::uint64_t m_point = 0; // written before phase::submitted
  dependency_list m_dependencies;
  std::size_t m_checked = 0; // dependencies that hold nothing back any more
  const scheduled_command* m_failed_first =
      nullptr; // of them: why this one will not run; it ends when all of them have
  small_vector<devices::timeline_point, 1> m_waits;
  std::uint64_t m_after = 0; // the last point of the device queue that it follows
  keep_alive_list m_kept;
  mutable std::mutex m_mutex;
  small_vector<command_ref, 1> m_waiters; // held commands to look at when the phase changes
  bool m_watched = false;
  bool m_is_host_task = false;
  bool m_uses_known = false;
  const void* m_module_address = nullptr;
  std::unique_ptr<command_details> m_details; // null: none
  std::exception_ptr m_failure;
  std::uint64_t m_made_ns = 0, m_started_ns = 0, m_ended_ns = 0;
};

inline command_ref make_command(driver_queue_ref where, work what) {
  return std::allocate_shared<scheduled_command>(pool::allocator<scheduled_command>(), std::move(where),
                                                 std::move(what));
}

} // namespace prism::runtime
