// Queues and submissions: the engine's calls.
#include "runtime/device/device_failure.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/submission/submission.hpp"

namespace prism {

command_ptr submit(queue_node& queue, command_group&& group) {
  enter();
  const schedule::deferred_release later; // destructors of finished work run without locks
  try {
    return schedule::submit_group(static_cast<schedule::queue_entry&>(queue), std::move(group));
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

queue_ptr create_queue(device_node& device, const queue_settings& settings) {
  enter();
  try {
    return std::make_shared<schedule::queue_entry>(static_cast<schedule::device_entry&>(device), settings);
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

} // namespace prism
