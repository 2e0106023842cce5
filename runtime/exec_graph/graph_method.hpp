// How a part of a graph is run again: from what the device keeps of it, or by submitting its commands. Where
// the device cannot say which costs less (devices::command_buffer::may_cost_more) both are used by turns at
// first, and the cheaper one stays. Any thread.
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

/// What runs of one part cost by turns: the submitting thread's processor time, and the time from when the
/// part could start to when the runtime knew of its end.
class method_costs {
public:
  /// How the next run is to be made; nothing when all are on their way.
  std::optional<build_side> next();
  void add(build_side side, double processor_ns, double total_ns);
  void lost(build_side side);
  bool complete() const { return m_processor.complete() && m_total.complete(); }
  struct verdict {
    bool keep = false; // the device's own: cheaper in one of both by build_trial::margin, and in the other
                       // not dearer by that
    build_trial::result processor, total;
    std::string text() const; // the figures; empty when too few runs had any
  };
  verdict judge() const;

private:
  build_trial m_processor, m_total;
};

/// Commands that are submitted more than once.
struct ready_commands final : submission_method {
  devices::command_list commands;
  std::unique_ptr<devices::command_buffer> kept; // the same, kept by the device; null: submitted each time
  std::uint64_t submit(driver_queue& on, std::span<const devices::command> none,
                       std::span<const devices::timeline_point> waits) override;
};

/// Runs of a part that are measured; lives on in those that are on their way.
class method_trial : public std::enable_shared_from_this<method_trial> {
public:
  /// In place of `ready` in the next run; `ready` itself when there is nothing to measure any more.
  std::shared_ptr<submission_method> next_run(const std::shared_ptr<ready_commands>& ready);
  std::optional<method_costs::verdict> verdict() const; // once all are measured

private:
  class measured_run;
  mutable std::mutex m_mutex;
  method_costs m_costs;
};

} // namespace prism::runtime
