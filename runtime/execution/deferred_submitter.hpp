// The one thread that submits held work: commands that wait for another backend, a host task or a live host
// accessor. Started at the first such command; commands whose waits all belong to the same driver never come
// here.
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
  /// Looks at the command again: submits it, or registers it with what it still waits for.
  void post(command_ref queued);
  /// The command's device work is complete: settles it, which wakes those that wait for it.
  void post_completed(command_ref done);
  /// Returns when it is done with all that was posted before, what those commands kept alive included; at the
  /// deadline; on its own thread.
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
