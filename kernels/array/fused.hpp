// How programs run on devices other than the host: by the kernels that choose each step while they run
// (device.hpp), or as single steps that a graph fuses (pieces.hpp), which the driver must build first. An
// expression and its fold are one launch, unless a graph cannot make one kernel of its steps.
#pragma once

#include "kernels/array/fused_graphs.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace prism::array_detail {

class device_state;
struct launch_report;

/// When a driver's build pays, as for skis that one rents until the rents have cost as much as a pair: a form
/// of expression is interpreted until its launches have cost the time of a build, so that all together take
/// at most twice the least possible. A form that was built by an earlier process is fused at once. Times are
/// guesses until the first are measured. A value; not thread-safe.
class build_choice {
public:
  enum class verdict { interpreted, fused_if_built, fused };

  /// Guesses for a kind of device: seconds for one step of one element, interpreted.
  explicit build_choice(double step_seconds) {
    for (double& each : m_steps) each = step_seconds;
  }

  /// Of a launch by the kernels that interpret programs; `kernel` is below kernel_count.
  double interpreted_seconds(int kernel, double steps) const { return m_steps[kernel] * steps; }
  /// How to run a launch that would take so long interpreted; counts it. fused_if_built: fused if the driver
  /// needs no build, else interpreted.
  verdict next(const std::string& form, double interpreted_seconds);
  /// A launch of so many steps was measured.
  void interpreted(int kernel, double steps, double seconds);
  /// A fused launch of the form was recorded; if it was the first, it was built, by the driver or earlier.
  void recorded(const std::string& form, double seconds, bool by_driver);
  /// What next() would say, and why.
  std::string explain(const std::string& form, double interpreted_seconds) const;

  static constexpr int kernel_count = 2 * arithmetic_count;

private:
  struct form_record {
    double spent = 0;
    bool is_built = false, was_asked = false; // asked: whether an earlier process built it
  };
  const form_record& known(const std::string& form) const;
  verdict verdict_of(const form_record& form, double interpreted_seconds) const;

  double m_steps[kernel_count];
  bool m_is_measured[kernel_count] = {};
  double m_build = 0.3, m_record = 1e-3; // seconds
  std::map<std::string, form_record> m_forms;
};

/// What the device's launches have cost.
class fused_launches {
public:
  explicit fused_launches(const sycl::device& device);

  /// Submits `p` on the device's queue, fused or not, with the fold of its parts, if that is given.
  launch_report submit(device_state& device, arithmetic kind, const program& p, const program* rest);
  /// How the next launch of `p` runs and why, for explain(): one line.
  std::string explain(arithmetic kind, const program& p) const;
  /// Before memory of the device is freed.
  void forget_graphs() { m_graphs.clear(); }

private:
  struct timed_launch {
    sycl::event event;
    int kernel;
    double steps;
  };
  /// Nothing where `only_built` and the driver has not built it.
  std::optional<launch_report> submit_fused(device_state& device, arithmetic kind, const program& p,
                                            const program* rest, bool only_built);
  launch_report store_and_fold(device_state& device, arithmetic kind, const program& p, const program* rest);
  launch_report fold_stored(device_state& device, arithmetic kind, const program& p, const program* rest,
                            const program_array& elements);
  launch_report interpret(device_state& device, arithmetic kind, const program& p, const program* rest);
  void read_times();

  build_choice m_choice;
  fused_graphs m_graphs;
  std::deque<timed_launch> m_timed;
};

} // namespace prism::array_detail
