// Executable graphs: commands that are prepared once and submitted many times.
#pragma once

#include "runtime/engine/command_group.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// A command group of an executable graph.
struct graph_command {
  std::shared_ptr<const command_group>
      group; // used for every execution; its `dependencies` and `barrier` are ignored
  // or called for each execution: host tasks, because their accessors are addresses
  std::function<command_group()> make;
  /// If set, called instead of prism::submit for this command alone; returns the command that completes it.
  std::function<command_ptr(queue_node&, command_group&&)> submit;
  std::vector<std::size_t> after; // indices of the commands that this one depends on
  std::string name;               // for messages: "node 2 (kernel scale)"
  device_node* device = nullptr;  // executes the command; null: the graph's own device
};
/// How an executable graph executes its commands.
struct graph_shape {
  std::size_t commands = 0;    // without those that do nothing
  std::size_t submissions = 0; // for each execution
  std::size_t recorded = 0;    // submissions that use a command buffer of the device
  // submissions whose first executions still measure whether a command buffer is faster
  std::size_t measured = 0;
  std::vector<std::string> ways; // results of these measurements, as text
  std::size_t barriers = 0;      // between commands within one submission
  std::size_t apart = 0;   // commands submitted one by one: their buffers do not fit together, or in_slices
  bool in_slices = false;  // PRISM_SLICE splits launches
  std::size_t devices = 1; // that execute commands
  std::size_t fused = 0, launches = 0; // fused kernels, and the launches they became
  std::uint64_t removed_bytes = 0;     // memory that fused launches do not write
  std::vector<std::vector<std::size_t>>
      launched_together; // for each fused launch the indices of its commands in the caller's order
  // after an update: commands that could not be reused from the previous graph
  std::optional<std::size_t> prepared;
  std::vector<std::string> notes; // which kernels were fused, and why others were not
};
class exec_graph_node {
public:
  virtual ~exec_graph_node() = default;
  virtual graph_shape shape() const = 0;
};
using exec_graph_ptr = std::shared_ptr<exec_graph_node>;
/// Checks all commands and prepares them for the device. Throws prism::error for what submit() would refuse,
/// and error{invalid} when the commands form a cycle. `joins`: fuses kernels where that does not change
/// results (runtime/exec_graph/fusion.hpp); not for commands of several devices. `before`: an executable
/// graph of the same device that this one replaces. Commands with the same command groups are reused from it,
/// and executions of the new graph run after its last one.
exec_graph_ptr prepare_graph(device_node& device, std::vector<graph_command> commands, bool joins = false,
                             const exec_graph_ptr& before = nullptr);
/// Whether prepare_graph() with `joins` would build no kernel: the devices' programs of all commands, fused
/// where that can be, are known from this process or an earlier one.
bool is_built(device_node& device, std::vector<graph_command> commands, bool joins);
struct graph_run {
  command_ptr first, last; // the same command if the execution has only one
  // one_by_one: what was submitted for each of the graph's commands, by their indices; null for commands
  // that do nothing
  std::vector<command_ptr> each;
  std::vector<std::size_t> order; // one_by_one: the indices in the order of submission
};
/// Executes the graph after `dependencies` and after its previous execution. Throws error{invalid} for a
/// queue of a device that executes none of the commands, and for a USM allocation that was freed in the
/// meantime. `one_by_one`: submits each command separately, so that each can be waited for and has its own
/// times; not for a graph with fused kernels.
graph_run submit_exec_graph(queue_node& queue, const exec_graph_ptr& graph,
                            const std::vector<command_ptr>& dependencies, bool one_by_one = false);

} // namespace prism
