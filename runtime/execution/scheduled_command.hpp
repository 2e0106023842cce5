// A scheduled command: its work, its dependencies, its device queue and its outcome.
//
// Phases: queued -> (submitted to a device queue | running on a host thread) -> complete. A command leaves
// `queued` when each of its dependencies is complete or, for device work, submitted to the same driver. Any
// thread that checks can detect completion (wait, query, later submissions, the deferred submitter).
// finalize() then stores the failure, releases retained objects and wakes the commands that wait for this
// one. While m_mutex is locked, only the lock of the device queue's failures may be taken.
#pragma once

#include "runtime/engine/engine.hpp"
#include "runtime/execution/completable.hpp"
#include "runtime/execution/deferred_release.hpp"
#include "runtime/execution/driver_queue.hpp"
#include "runtime/execution/submission_method.hpp"
#include "runtime/observe/observer.hpp"
#include "runtime/observe/source_line.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace prism::runtime {

struct no_work {};
struct device_work {
  devices::command_list commands;
  submission_method* ready = nullptr; // instead of `commands`; an object retained by the command owns it
};
struct host_work {
  std::function<void()> body;
};
/// A live host accessor: completed by release().
struct host_access_work {
  std::thread::id made_by = std::this_thread::get_id();
};
using work = std::variant<no_work, device_work, host_work, host_access_work>;

class scheduled_command final : public command_node,
                                public completable,
                                public std::enable_shared_from_this<scheduled_command> {
public:
  enum class phase : std::uint32_t { queued, submitted, running, complete };

  scheduled_command(driver_queue_ref where, work what);
  ~scheduled_command() override;

  // To be called before enqueue, by the submitting thread only.
  void depend_on(command_ref on, bool data);
  /// Orders it after the device queue's points up to this one, in addition to its dependencies in the device
  /// queue.
  void follow(std::uint64_t point) { m_after = std::max(m_after, point); }
  void follow(const scheduled_command& submitted) { follow(submitted.m_point); }
  void retain(std::shared_ptr<void> object) { m_retained.push_back(std::move(object)); }
  work& payload() { return m_work; }
  // a device queue of the same SYCL queue
  void move_to(driver_queue_ref where) { m_device_queue = std::move(where); }
  const dependency_list& waits_for() const { return m_dependencies; }

  /// The submitter's attempt, with the device queue locked. Returns true if the command left `queued`.
  /// Otherwise post it to the deferred submitter.
  bool start_if_ready();
  /// The deferred submitter's attempt; call without locks.
  void advance();
  /// Completes a host_access_work.
  void release() { finish(nullptr); }
  /// Completes it as failed, although it did not run.
  void fail(std::exception_ptr why) { finish(std::move(why)); }
  /// Completes it as failed if its device, which is lost, has not completed it. The device may still run it,
  /// so what it retains is never destroyed.
  void abandon(const devices::device_error& why);

  bool is_device_work() const { return std::holds_alternative<device_work>(m_work); }
  bool is_host_access() const { return std::holds_alternative<host_access_work>(m_work); }
  /// A host task may throw any exception of the user, and its failure does not prevent the execution of
  /// commands that are only ordered after it.
  bool is_host_task() const { return m_is_host_task; }
  /// Its body is running on this thread, or its captures are being destroyed here; waiting for it on this
  /// thread would deadlock.
  bool runs_on_this_thread() const noexcept;
  /// The same for any command.
  static bool thread_runs_one() noexcept { return running_task() != nullptr; }
  /// The host task that this thread executes; null: none.
  static const scheduled_command* running_task() noexcept;
  /// A live host accessor made by this thread, which a wait on this thread would keep alive.
  bool is_host_access_of_this_thread() const noexcept {
    const auto* const access = std::get_if<host_access_work>(&m_work);
    return access != nullptr && access->made_by == std::this_thread::get_id();
  }
  void mark_host_task() { m_is_host_task = true; } // before enqueue
  /// Before enqueue. All memory it uses is declared by its group's requirements, and their hazards are among
  /// its dependencies.
  void mark_uses_known() { m_uses_known = true; }
  bool uses_known() const { return m_uses_known; }
  /// Before enqueue. An address in the module whose code or tables the command needs until it completes;
  /// null: no module that can be unloaded.
  void needs_module_of(const void* address) { m_module_address = address; }
  const void* module_address() const { return m_module_address; }
  /// Which command of the program it is, for errors and reports of waits. Before enqueue.
  void set_origin(const command_origin& from) { m_origin = from; }
  /// Only before it is complete.
  const command_origin& origin() const { return m_origin; }
  /// "fill (app.cpp:12) on opencl:0", for messages. Any thread that holds none of its locks.
  std::string description() const;
  /// Its name in traces and in the transfer log, and the program's source line. Set only if an observer needs
  /// it. Before enqueue.
  void set_label(std::string text, std::string line) {
    set_label(std::make_shared<const command_label>(command_label{std::move(text), std::move(line)}));
  }
  void set_label(label_ref known) { details().label = std::move(known); }
  /// Observers that are notified when it completes. Before enqueue.
  void follow_with(const observe::follower_list& followers) {
    if (!followers.empty()) details().followers = followers;
  }
  /// For profiling: its execution starts with that of `first`, a command that it waits for. Before enqueue.
  void begin_with(std::shared_ptr<scheduled_command> first) { details().first = std::move(first); }
  /// Submits it with this method instead of queue::submit_after. Before enqueue.
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
  /// driver_queue::identity; null for a host access.
  const void* queue_identity() const {
    return m_device_queue != nullptr ? m_device_queue->identity() : nullptr;
  }
  bool finished() const override; // complete, or complete on the device but not finalized
  bool known_finished() const override { return current() == phase::complete; }
  outcome result() const override;

  /// The same as finished(), given that the timeline of its device queue has reached `completed`. Serves many
  /// commands with one query of the driver.
  bool finished_at(std::uint64_t completed) const {
    const phase now = current();
    return now == phase::complete || (now == phase::submitted && m_point <= completed);
  }
  void prefetch_state() const { __builtin_prefetch(&m_phase); } // for finished_at

  // command_node
  status query() const override;
  void wait() override;
  /// The same; observers do not count this as a wait of the program.
  void wait_unreported();
  /// "queued behind fill (app.cpp:12) on opencl:0, which is submitted to the device and not complete", for
  /// messages about waits. Any thread; asks drivers.
  std::string wait_state() const;
  /// The command that this one waits for, directly or through others; itself if there is none. Any thread.
  std::shared_ptr<const scheduled_command> held_up_by() const;
  /// Waits until complete, at most `limit`.
  void wait_for(std::chrono::nanoseconds limit);
  /// Waits if it was submitted to the device. Observers do not count this as a wait of the program.
  void wait_if_submitted();
  devices::profile times() override;
  /// Its timeline point. Blocks while it is queued. Empty for work that no device executes.
  devices::timeline_point point();
  std::vector<command_ptr> dependencies() const override;
  std::exception_ptr failure() const override;
  /// The program receives this command's failure with another command's or by an exception. So the failure of
  /// a copy of the engine, which no SYCL queue reports, is not reported again when the process ends.
  void pass_on_failure() const;

  /// Stores the outcome of a finished command and of its finished dependencies.
  static void finalize(command_ref finished_command);

private:
  /// Members that few commands need.
  struct command_details {
    label_ref label;
    observe::follower_list followers;
    std::unique_ptr<submission_method> method; // null: queue::submit_after
    bool followers_notified = false;           // followers were notified
    std::shared_ptr<scheduled_command> first;  // null: itself
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
  bool will_fail() const { return m_failed_first != nullptr || m_failure != nullptr; } // while it is queued
  bool add_waiter(const command_ref& waiter, phase seen);
  /// `submitter`: no other thread knows the command, because the device queue and its buffers are still
  /// locked, so no thread can wait for it.
  enum class known_to { submitter, others };
  // device work: the device queue is locked; returns false if refused, then the command will fail
  bool start(known_to whom);
  bool start_device(known_to whom);
  std::uint64_t hand_over(device_work& what);
  void run_host();
  void finish(std::exception_ptr failure);
  std::exception_ptr failure_found() const;
  std::exception_ptr failed_with(const devices::device_error& what) const;
  std::string described() const; // only while it is not complete
  /// The point at which its work begins; that of its end if there is no other.
  std::uint64_t first_point() const;
  /// Of its work on the device. Throws device_error.
  devices::profile times_on_device() const;
  void watch_completion();
  static void submit_again(small_vector<command_ref, 1>& waiters);
  void notify_followers(bool failed) const;
  status look() const;
  /// `reports`: the program receives what this throws, so the queue does not report it too.
  void wait_limited(std::chrono::nanoseconds limit, bool reports);
  bool abandon_if_lost();

  driver_queue_ref m_device_queue;
  command_origin m_origin;
  work m_work;
  std::atomic<phase> m_phase{phase::queued};
  std::uint64_t m_point = 0; // written before phase::submitted
  dependency_list m_dependencies;
  std::size_t m_checked = 0; // number of dependencies that no longer delay it
  // the first failed dependency: this command will not be executed, and completes when all dependencies have
  const scheduled_command* m_failed_first = nullptr;
  small_vector<devices::timeline_point, 1> m_waits;
  std::uint64_t m_after = 0; // the last point of the device queue that it is ordered after
  keep_alive_list m_retained;
  mutable std::mutex m_mutex;
  small_vector<command_ref, 1> m_waiters; // queued commands to check when the phase changes
  bool m_watched = false, m_abandoned = false;
  bool m_is_host_task = false;
  bool m_uses_known = false;
  const void* m_module_address = nullptr;
  std::unique_ptr<command_details> m_details; // null: none
  std::exception_ptr m_failure;
  std::uint64_t m_failure_number = 0; // in its device queue
  std::uint64_t m_made_ns = 0, m_started_ns = 0, m_ended_ns = 0;
};

inline command_ref make_command(driver_queue_ref where, work what) {
  return std::allocate_shared<scheduled_command>(pool::allocator<scheduled_command>(), std::move(where),
                                                 std::move(what));
}

} // namespace prism::runtime
