// Queues and submissions: the engine's calls.
#include "runtime/device/device_failure.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/submission/submission.hpp"

namespace prism {

command_ptr submit(queue_node& queue, command_group&& group) {
  enter();
  const runtime::deferred_release later; // destructors of finished work run without locks
  try {
    return runtime::submit_group(static_cast<runtime::queue_state&>(queue), std::move(group));
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

queue_ptr create_queue(device_node& device, const queue_settings& settings) {
  enter();
  try {
    return std::make_shared<runtime::queue_state>(static_cast<runtime::device_state&>(device), settings);
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

} // namespace prism
