// Chooses how a segment of a graph is executed: from a command buffer recorded on the device, or by
// submitting its commands again. If the device does not know which method is faster
// (devices::command_buffer::may_cost_more), the first executions alternate between both and are measured. The
// faster method is used from then on. Any thread.
#pragma once

#include "runtime/execution/submission_method.hpp"
#include "runtime/support/paired_trial.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace prism::runtime {

using support::build_side;
using support::build_trial;

enum class graph_method_setting : std::uint8_t { measure, command_buffer, resubmission };
/// PRISM_GRAPH_REPLAY.
graph_method_setting asked_graph_method();

/// Costs of a segment's executions with both methods: processor time of the submitting thread, and the time
/// from when the segment could start until the runtime detected its completion.
class method_costs {
public:
  /// The method of the next execution to be measured; empty if all have been started.
  std::optional<build_side> next();
  void add(build_side side, double processor_ns, double total_ns);
  void lost(build_side side);
  bool complete() const { return m_processor.complete() && m_total.complete(); }
  struct verdict {
    // use the command buffer: it is cheaper in one measure by build_trial::margin, and in the other not more
    // expensive by that margin
    bool keep = false;
    build_trial::result processor, total;
    std::string text() const; // the measurements; empty if too few executions were measured
  };
  verdict judge() const;

private:
  build_trial m_processor, m_total;
};

/// Commands that are submitted more than once.
struct ready_commands final : submission_method {
  devices::command_list commands;
  // a command buffer of the same commands; null: the commands are submitted each time
  std::unique_ptr<devices::command_buffer> recorded;
  std::uint64_t submit(driver_queue& on, std::span<const devices::command> none,
                       std::span<const devices::timeline_point> waits) override;
};

/// Measures executions of a segment. Owned also by the measured executions in flight.
class method_trial : public std::enable_shared_from_this<method_trial> {
public:
  /// The submission method for the next execution: a measured one, or `ready` itself if no more measurements
  /// are needed.
  std::shared_ptr<submission_method> next_run(const std::shared_ptr<ready_commands>& ready);
  std::optional<method_costs::verdict> verdict() const; // once all are measured

private:
  class measured_run;
  mutable std::mutex m_mutex;
  method_costs m_costs;
};

} // namespace prism::runtime
