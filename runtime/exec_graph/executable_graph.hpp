// A graph's commands made ready to run many times: parts that go to the device in one submission each, kept
// by it where it can, and commands in between that are submitted like any other. Buffers are planned for a
// part as for one command that uses them all; when a buffer's place on the device changes, the part is made
// anew. A graph that takes another's place, after an update, takes over its parts and prepared kernels as far
// as their command groups are the same. Lock order: graph, buffers, device queue.
#pragma once

#include "runtime/coherence/buffer_plan.hpp"
#include "runtime/exec_graph/fuse_commands.hpp"
#include "runtime/exec_graph/order.hpp"
#include "runtime/exec_graph/graph_method.hpp"
#include "runtime/launch/prepare_kernel.hpp"
#include "runtime/memory/usm_registry.hpp"
#include "runtime/submission/queue.hpp"

#include <unordered_map>

namespace prism::runtime {

/// Where a command of a graph can run: `device` when it needs nothing but the device and its memory.
graph::place place_of(device_state& device, const graph_command& what);

/// One submission to the device.
class graph_segment {
public:
  struct prepared_step {
    prepared_step(device_state& device, std::shared_ptr<const command_group> what);
    std::shared_ptr<const command_group> group;
    prepared_kernel kernel; // of a kernel command
  };
  using prepared_steps = std::unordered_map<const command_group*, std::shared_ptr<const prepared_step>>;
  /// Prepares kernels that are not `known`, makes buffers' places and binds arguments to them. `like`: null,
  /// or a part whose way of running again it takes over. Throws prism::error and device_error.
  graph_segment(device_state& device, const std::vector<graph_command>& commands,
                const graph::ordered_segment& order, prepared_steps& known, const graph_segment* like);
  /// Whether it does just that.
  bool is_made_of(const std::vector<graph_command>& commands, const graph::ordered_segment& order) const;
  void add_steps_to(prepared_steps& known) const;
  /// `whole`: kept alive by the command.
  command_ref run(queue_state& queue, const dependency_list& after, const std::shared_ptr<void>& whole);
  /// Throws error{invalid} when a USM allocation that the part uses is gone; false when one was made anew
  /// elsewhere.
  bool usm_is_the_same();
  bool is_kept() const { return m_ready != nullptr && m_ready->kept != nullptr && m_trial == nullptr; }
  /// Its first runs still find out how it is to run.
  bool is_measured() const { return m_trial != nullptr; }
  /// Looks at what the first runs have cost.
  void resolve_method();
  /// How it runs since then, with the figures; empty when nothing was measured.
  const std::string& way() const { return m_way; }
  std::size_t size() const { return m_steps.size(); }
  std::size_t barriers() const;

private:
  struct step {
    std::shared_ptr<const prepared_step> what;
    bool after_all;
  };
  struct use_place {
    const buffer_state* root;
    devices::memory* object;
  };
  void add_uses(const prepared_step& s);
  void report_copies(const queue_state& queue) const;
  void add_use(const buffer_use& use);
  void bind(const buffer_plan* plan);
  void keep(ready_commands& made, std::span<const devices::command_buffer_step> steps);
  std::string what_it_is() const;
  void append(const prepared_step& s, const kernel_command& kernel, const buffer_plan* plan,
              devices::command_list& out);
  void append(const copy_request& copy, const buffer_plan* plan, devices::command_list& out);
  void append(const fill_request& fill, const buffer_plan* plan, devices::command_list& out);
  devices::memory* object_of(const buffer_view& view, const buffer_plan& plan) const;
  void record_usm(std::uint64_t address);
  bool places_are_the_same(const buffer_plan& plan) const;

  device_state& m_device;
  std::vector<step> m_steps;
  use_list m_uses;                      // of all steps, joined
  std::vector<use_place> m_places;      // that m_ready is bound to
  std::vector<memory::usm_block> m_usm; // that it uses
  std::uint64_t m_usm_generation = 0;
  std::vector<std::shared_ptr<void>> m_staging; // bytes that fills copy from
  std::shared_ptr<ready_commands> m_ready;      // null: what made it failed, and the next run makes it
  std::shared_ptr<method_trial> m_trial;        // null: decided, or nothing to choose from
  bool m_submits_again = false;                 // decided so, or asked for
  std::string m_way;
};

class executable_graph final : public exec_graph_node, public std::enable_shared_from_this<executable_graph> {
public:
  /// `before`: whose place it takes; or null.
  executable_graph(device_state& device, std::vector<graph_command> commands, bool joins,
                   const executable_graph* before);
  graph_shape shape() const override;
  graph_run run(queue_state& queue, const std::vector<command_ptr>& dependencies);

private:
  class reported_run;
  void add_outside(dependency_list& list, const std::vector<command_ptr>& dependencies,
                   const driver_queue* same, bool on_device) const;
  command_ref run_alone(queue_state& queue, const graph_command& what, const dependency_list& after);
  command_ref run_apart(queue_state& queue, const graph::ordered_segment& part, dependency_list after);

  void make_parts(const executable_graph* before);

  /// Of a graph and those whose place it took: their runs never overlap.
  struct order_of_runs {
    std::mutex mutex;                      // of a executable_graph's parts while a run is submitted
    std::weak_ptr<scheduled_command> last; // the device queue keeps it while it runs
  };
  device_state& m_device;
  const std::shared_ptr<order_of_runs> m_runs;
  fused_commands m_fused; // of which the commands are:
  const std::vector<graph_command>& m_commands;
  std::vector<graph::ordered_segment> m_order;
  std::vector<std::shared_ptr<graph_segment>> m_parts; // null for a command alone
  std::vector<std::size_t> m_leaves;                   // parts that none comes after
  std::optional<std::size_t>
      m_prepared; // commands that were not prepared before; of a graph that takes another's place
};

} // namespace prism::runtime
