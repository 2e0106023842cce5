// Executable graphs: the engine's calls.
#include "runtime/device/device_failure.hpp"
#include "runtime/engine/impl/enter.hpp"
#include "runtime/exec_graph/executable_graph.hpp"

namespace prism {

exec_graph_ptr prepare_graph(device_node& device, std::vector<graph_command> commands, bool joins,
                             const exec_graph_ptr& before) {
  enter();
  const runtime::deferred_release later;
  try {
    return std::make_shared<runtime::executable_graph>(
        static_cast<runtime::device_state&>(device), std::move(commands), joins,
        static_cast<const runtime::executable_graph*>(before.get()));
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

bool is_built(device_node& device, std::vector<graph_command> commands, bool joins) {
  enter();
  return runtime::is_built(static_cast<runtime::device_state&>(device), std::move(commands), joins);
}

graph_run submit_exec_graph(queue_node& queue, const exec_graph_ptr& graph,
                            const std::vector<command_ptr>& dependencies, bool one_by_one) {
  enter();
  const runtime::deferred_release later;
  try {
    return static_cast<runtime::executable_graph&>(*graph).run(static_cast<runtime::queue_state&>(queue),
                                                               dependencies, one_by_one);
  } catch (const devices::device_error& failed) {
    runtime::rethrow(failed);
  }
}

} // namespace prism
