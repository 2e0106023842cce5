// The one thread that submits deferred commands: those that wait for another backend, a host task or a live
// host accessor. Starts at the first such command. A command that only waits for commands of its own driver
// is submitted directly, without this thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace prism::runtime {

class scheduled_command;
using command_ref = std::shared_ptr<scheduled_command>;

class deferred_submitter {
public:
  /// Submits the command, or registers it with the dependency that it still waits for. Throws prism::error if
  /// the thread cannot be started.
  void post(command_ref queued);
  /// Called when the command's device work is complete: finalizes the command, which wakes the commands
  /// waiting for it.
  void post_completed(command_ref done);
  /// Returns when everything posted before the call has been processed, including the release of what those
  /// commands retained; or at the deadline; or immediately on this thread itself.
  void catch_up(std::chrono::steady_clock::time_point deadline);

private:
  struct item {
    command_ref what;
    bool completed;
  };
  void push(item i);
  void run();
  std::mutex m_mutex;
  std::condition_variable m_wake, m_one_done;
  std::deque<item> m_items;
  std::uint64_t m_posted = 0, m_done = 0;
  bool m_started = false;
  std::thread::id m_thread;
};

} // namespace prism::runtime
