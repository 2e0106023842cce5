// A graph prepared for repeated execution. It consists of segments and single commands. A segment is executed
// by the device as one submission, from a recorded command buffer where possible; single commands in between
// are submitted as usual.
//
// Buffer copies are planned for a segment as for one command that uses all of its buffers. If a buffer's
// allocation on the device changes, the segment is rebuilt. If the buffers of a segment do not fit into the
// device's memory together, its commands are submitted one by one. After an update, the new graph reuses
// segments and prepared kernels of the old one whose command groups are the same.
//
// The commands may belong to several devices. Then each segment belongs to one of them, and the graph has a
// queue of its own for each device other than that of the queue that executes the graph; that queue also
// receives their failures. Lock order: graph, buffers, device queue.
#pragma once

#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/exec_graph/fuse_commands.hpp"
#include "runtime/exec_graph/segment.hpp"

#include <map>

namespace prism::runtime {

/// prism::is_built.
bool is_built(device_state& device, std::vector<graph_command> commands, bool joins);

class executable_graph final : public exec_graph_node, public std::enable_shared_from_this<executable_graph> {
public:
  /// `before`: the graph that this one replaces, or null.
  executable_graph(device_state& device, std::vector<graph_command> commands, bool joins,
                   const executable_graph* before);
  graph_shape shape() const override;
  graph_run run(queue_state& queue, const std::vector<command_ptr>& dependencies, bool one_by_one);

private:
  class reported_run;
  void add_outside(dependency_list& list, const std::vector<command_ptr>& dependencies,
                   const driver_queue* same, bool on_device) const;
  command_ref run_alone(queue_state& queue, const graph_command& what, const dependency_list& after);
  command_ref run_apart(queue_state& queue, const ordered_segment& segment, dependency_list after,
                        graph_run& out);
  command_ref run_segment(queue_state& queue, graph_segment& segment, const dependency_list& after);
  command_ref order_only(queue_state& queue, const dependency_list& after);
  device_state& device_of(const ordered_segment& segment) const;
  queue_state& queue_for(queue_state& asked, device_state& device);

  void make_segments(const executable_graph* before);
  std::shared_ptr<graph_segment> make_segment(const ordered_segment& segment, const graph_segment* like,
                                              graph_segment::prepared_steps& known) const;

  /// Shared by a graph and the graphs it replaced: their executions never overlap.
  struct order_of_runs {
    std::mutex mutex;                      // guards the segments while an execution is submitted
    std::weak_ptr<scheduled_command> last; // the device queue owns it while it is in flight
    // for devices other than that of the queue that executes the graph; with and without profiling
    std::map<std::pair<device_state*, bool>, std::shared_ptr<queue_state>> queues;
  };
  device_state& m_device;
  const std::shared_ptr<order_of_runs> m_runs;
  fused_commands m_fused; // contains the commands
  const std::vector<graph_command>& m_commands;
  std::vector<device_state*> m_devices; // those of the commands; the graph's own is the first
  std::vector<ordered_segment> m_order;
  // null for a single command, and for commands whose buffers do not fit together
  std::vector<std::shared_ptr<graph_segment>> m_segments;
  bool m_was_reported = false;       // observers have seen the commands; guarded as m_segments
  std::vector<std::size_t> m_leaves; // segments that no other one depends on
  std::optional<std::size_t>
      m_prepared; // number of commands that could not be reused; only for a graph that replaces another
};

} // namespace prism::runtime
