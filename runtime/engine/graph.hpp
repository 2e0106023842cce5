// Graphs: commands that are prepared once and run many times.
#pragma once

#include "runtime/engine/command_group.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// A command group of a graph that runs many times.
struct graph_command {
  std::shared_ptr<const command_group>
      group;                           // the same each time; its `dependencies` and `barrier` do not count
  std::function<command_group()> make; // or made for each run: host tasks, whose accessors are addresses
  /// Instead of prism::submit, of the command alone; returns the command that ends it.
  std::function<command_ptr(queue_node&, command_group&&)> submit;
  std::vector<std::size_t> after; // numbers of the commands that come before
  std::string name;               // for people: "node 2 (kernel scale)"
};
/// What became of a graph's commands.
struct graph_shape {
  std::size_t commands = 0;             // that do something
  std::size_t submissions = 0;          // a run is made of
  std::size_t kept = 0;                 // of these, by the device's own means
  std::size_t measured = 0;             // of these, whose first runs still find out whether that costs less
  std::vector<std::string> ways;        // what was found, with figures
  std::size_t barriers = 0;             // between commands of one submission
  std::size_t joined = 0, launches = 0; // kernels that run with others, and the launches that they are
  std::uint64_t removed_bytes = 0;      // of memory that these do without
  std::vector<std::vector<std::size_t>>
      launched_together;               // of each such launch the numbers of its commands, as they were given
  std::optional<std::size_t> prepared; // commands of an updated graph that could not be taken over
  std::vector<std::string> notes;      // what was joined, and why the rest was not
};
class exec_graph_node {
public:
  virtual ~exec_graph_node() = default;
  virtual graph_shape shape() const = 0;
};
using exec_graph_ptr = std::shared_ptr<exec_graph_node>;
/// Checks all commands and prepares them for the device. Throws prism::error for what submit would refuse,
/// and error{invalid} when the commands form a cycle. `joins`: kernels become one launch where that changes
/// no result (runtime/exec_graph/fusion.hpp). `before`: a executable_graph of the same device whose place
/// this one takes: what has the same command groups is taken over, and runs come after its last one.
exec_graph_ptr prepare_graph(device_node& device, std::vector<graph_command> commands, bool joins = false,
                             const exec_graph_ptr& before = nullptr);
/// Runs them after `dependencies` and after the run before; one command stands for all. Throws error{invalid}
/// for a queue of another device and for a USM allocation that was freed meanwhile.
struct graph_run {
  command_ptr first, last;
}; // the same where there is only one
graph_run submit_exec_graph(queue_node& queue, const exec_graph_ptr& graph,
                            const std::vector<command_ptr>& dependencies);

} // namespace prism
