// The one thread that submits deferred commands: those that wait for another backend, a host task or a live
// host accessor. Starts at the first such command. A command that only waits for commands of its own driver
// is submitted directly, without this thread.
#pragma once

#include "runtime/execution/post_to.hpp"

#include <chrono>
#include <memory>

namespace prism::runtime {

class scheduled_command;
using command_ref = std::shared_ptr<scheduled_command>;

class deferred_submitter {
public:
  /// Submits the command, or registers it with the dependency that it still waits for. Throws prism::error if
  /// the thread cannot be started.
  void post(command_ref queued) { post(item{std::move(queued), false}); }
  /// Called when the command's device work is complete: finalizes the command, which wakes the commands
  /// waiting for it.
  void post_completed(command_ref done) { post(item{std::move(done), true}); }
  /// Returns when everything posted before the call has been processed, including the release of what those
  /// commands retained; or at the deadline; or immediately on this thread itself.
  void catch_up(std::chrono::steady_clock::time_point deadline) { m_queue.catch_up(deadline); }

private:
  struct item {
    command_ref what;
    bool completed;
  };
  void post(item i) { post_to(m_queue, "commands that wait for others", std::move(i)); }
  static void run(item& next);
  support::work_queue<item> m_queue{1, run};
};

} // namespace prism::runtime
