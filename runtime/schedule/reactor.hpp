// The one thread that submits held work: commands that wait for another backend, a host task or a live host accessor.
// Started at the first such command; commands whose waits all belong to the same driver never come here.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace prism::schedule {

class command;
using command_ref = std::shared_ptr<command>;

class reactor {
public:
  /// Looks at the command again: submits it, or registers it with what it still waits for.
  void post(command_ref held);
  /// The command's device work is complete: settles it, which wakes those that wait for it.
  void post_completed(command_ref done);

private:
  struct item {
    command_ref what;
    bool completed;
  };
  void push(item i);
  void run();
  std::mutex m_mutex;
  std::condition_variable m_wake;
  std::deque<item> m_items;
  bool m_started = false;
};

} // namespace prism::schedule
