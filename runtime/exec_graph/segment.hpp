// A segment of an executable graph: commands that the device executes as one submission, from a recorded
// command buffer where possible. executable_graph.hpp describes how buffers are planned and when a segment is
// rebuilt.
#pragma once

#include "runtime/coherence/make_room.hpp"
#include "runtime/exec_graph/graph_method.hpp"
#include "runtime/exec_graph/order.hpp"
#include "runtime/launch/prepare_kernel.hpp"
#include "runtime/memory/usm_registry.hpp"
#include "runtime/submission/queue.hpp"

#include <unordered_map>

namespace prism::runtime {

/// Commands that are executed in one submission to the device.
class graph_segment {
public:
  struct prepared_step {
    prepared_step(device_state& device, std::shared_ptr<const command_group> what);
    std::shared_ptr<const command_group> group;
    prepared_kernel kernel; // of a kernel command
  };
  using prepared_steps = std::unordered_map<const command_group*, std::shared_ptr<const prepared_step>>;
  /// Prepares kernels that are not in `known`, makes allocations for buffers and binds arguments to them.
  /// `like`: null, or a segment whose measured method is reused. Throws prism::error and device_error.
  graph_segment(device_state& device, const std::vector<graph_command>& commands,
                const ordered_segment& order, prepared_steps& known, const graph_segment* like);
  /// Whether the segment consists of exactly these commands.
  bool is_made_of(const std::vector<graph_command>& commands, const ordered_segment& order) const;
  void add_steps_to(prepared_steps& known) const;
  /// `whole`: retained by the command.
  command_ref run(queue_state& queue, const dependency_list& after, const std::shared_ptr<void>& whole);
  /// Throws error{invalid} if a USM allocation used by the segment was freed. Returns false if one was
  /// replaced by another at the same address.
  bool usm_is_the_same();
  bool is_recorded() const {
    return m_ready != nullptr && m_ready->recorded != nullptr && m_trial == nullptr;
  }
  /// Its first executions are still measured to choose the method.
  bool is_measured() const { return m_trial != nullptr; }
  /// Chooses the method once all measurements are complete.
  void resolve_method();
  /// The chosen method with its measurements; empty if nothing was measured.
  const std::string& method_text() const { return m_method_text; }
  std::size_t size() const { return m_steps.size(); }
  std::size_t barriers() const;

private:
  struct step {
    std::shared_ptr<const prepared_step> what;
    bool after_all;
  };
  struct used_allocation {
    const buffer_state* root;
    devices::memory* object;
    std::uint64_t releases; // of the buffer: the object may be another one at the same address
  };
  void add_uses(const prepared_step& s);
  void report_copies(const queue_state& queue) const;
  void add_use(const buffer_use& use);
  void bind(const buffer_plan* plan);
  void record_commands(ready_commands& made, std::span<const devices::command_buffer_step> steps);
  std::string what_it_is() const;
  void append(const prepared_step& s, const kernel_command& kernel, const buffer_plan* plan,
              devices::command_list& out);
  void append(const prepared_step& s, const copy_request& copy, const buffer_plan* plan,
              devices::command_list& out);
  void append(const prepared_step& s, const fill_request& fill, const buffer_plan* plan,
              devices::command_list& out);
  devices::memory* object_of(const buffer_view& view, const buffer_plan& plan) const;
  std::uint64_t offset_of(const buffer_view& view, const buffer_plan& plan) const;
  void record_usm(std::uint64_t address, const command_group& user);
  bool allocations_are_the_same(const buffer_plan& plan) const;

  device_state& m_device;
  std::vector<step> m_steps;
  use_list m_uses;                            // the uses of all steps, merged
  std::vector<used_allocation> m_allocations; // the allocations that m_ready is bound to
  struct used_usm {
    memory::usm_block block;
    std::string line; // of a command that uses it
  };
  std::vector<used_usm> m_usm; // USM allocations in use
  std::uint64_t m_usm_generation = 0;
  std::vector<std::shared_ptr<void>> m_staging; // bytes that fills copy from
  std::shared_ptr<ready_commands> m_ready;      // null if binding failed; the next execution binds again
  std::shared_ptr<method_trial> m_trial;        // null: the method is decided, or there is no choice
  bool m_submits_again = false;                 // decided by measurement or by PRISM_GRAPH_REPLAY
  std::string m_method_text;
};

} // namespace prism::runtime
