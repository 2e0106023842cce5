// Graphs that run many times: the engine's calls.
#include "runtime/device/device_failure.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/exec_graph/replay.hpp"

namespace prism {

replay_ptr prepare_replay(device_node& device, std::vector<graph_command> commands, bool joins,
                          const replay_ptr& before) {
  enter();
  const schedule::deferred_release later;
  try {
    return std::make_shared<schedule::replay>(static_cast<schedule::device_entry&>(device),
                                              std::move(commands), joins,
                                              static_cast<const schedule::replay*>(before.get()));
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

replay_run submit_replay(queue_node& queue, const replay_ptr& graph,
                         const std::vector<command_ptr>& dependencies) {
  enter();
  const schedule::deferred_release later;
  try {
    return static_cast<schedule::replay&>(*graph).run(static_cast<schedule::queue_entry&>(queue),
                                                      dependencies);
  } catch (const devices::device_error& failed) {
    schedule::rethrow(failed);
  }
}

} // namespace prism
