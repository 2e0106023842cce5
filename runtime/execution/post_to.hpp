// Gives work to a queue whose threads start on demand (support/work_queue.hpp), and states the reason if the
// system gives no thread.
#pragma once

#include "runtime/engine/error.hpp"
#include "runtime/support/work_queue.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace prism::runtime {

/// `purpose`: for the message. Throws prism::error if the queue has no thread and the system gives none; then
/// the item is not in the queue.
template <typename Item>
void post_to(support::work_queue<Item>& queue, const char* purpose, Item item) {
  try {
    queue.post(std::move(item));
  } catch (const std::system_error& failed) {
    throw error(error_code::runtime, std::string("no thread can be started for ") + purpose + ": " +
                                         failed.what() + "; the limits of processes and memory decide that");
  }
}

} // namespace prism::runtime
