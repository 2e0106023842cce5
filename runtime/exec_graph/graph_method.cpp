#include "runtime/exec_graph/graph_method.hpp"

#include "runtime/execution/driver_queue.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

namespace prism::runtime {

graph_method_setting asked_graph_method() {
  static const graph_method_setting asked = [] {
    const std::string text = support::to_lower(support::value_of(support::variables::graph_replay));
    if (text == "command_buffer") return graph_method_setting::command_buffer;
    if (text == "resubmission") return graph_method_setting::resubmission;
    return graph_method_setting::measure; // environment_check.hpp reports other words
  }();
  return asked;
}

std::optional<build_side> method_costs::next() {
  m_total.next();
  return m_processor.next();
}

void method_costs::add(build_side side, double processor_ns, double total_ns) {
  m_processor.add(side, processor_ns);
  m_total.add(side, total_ns);
}

void method_costs::lost(build_side side) {
  m_processor.lost(side);
  m_total.lost(side);
}

method_costs::verdict method_costs::judge() const {
  verdict found{false, m_processor.judge(), m_total.judge()};
  const double least = 1 - build_trial::margin, most = 1 + build_trial::margin;
  const double p = found.processor.ratio, t = found.total.ratio;
  found.keep = p > 0 && t > 0 && std::min(p, t) <= least && std::max(p, t) <= most;
  return found;
}

std::string method_costs::verdict::text() const {
  if (processor.ratio <= 0) return {};
  char out[160];
  std::snprintf(
      out, sizeof out,
      "command buffer %.1f us of the submitting thread and %.1f us in total, resubmission %.1f and %.1f us",
      processor.specialised_ns / 1e3, total.specialised_ns / 1e3, processor.general_ns / 1e3,
      total.general_ns / 1e3);
  return out;
}

std::uint64_t ready_commands::submit(driver_queue& on, std::span<const devices::command>,
                                     std::span<const devices::timeline_point> waits) {
  return recorded != nullptr ? on.queue().execute(*recorded, waits) : on.queue().submit(commands, waits);
}

namespace {

double clock_ns(clockid_t which) {
  timespec now{};
  clock_gettime(which, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

} // namespace

/// Submits the segment's commands and measures it. An execution that is never submitted counts as lost.
class method_trial::measured_run final : public submission_method {
public:
  measured_run(std::shared_ptr<method_trial> trial, std::shared_ptr<ready_commands> ready, build_side side)
      : m_trial(std::move(trial)), m_ready(std::move(ready)), m_side(side) {}
  ~measured_run() override {
    if (m_submitted) return;
    const std::lock_guard lock(m_trial->m_mutex);
    m_trial->m_costs.lost(m_side);
  }

  std::uint64_t submit(driver_queue& on, std::span<const devices::command>,
                       std::span<const devices::timeline_point> waits) override {
    auto times = std::make_shared<run_times>(m_trial, m_side);
    if (const std::uint64_t before = on.last_point(); before != 0)
      report_time(on, before, times, [](run_times& to, double ns) { to.free_at = ns; });
    times->begun = clock_ns(CLOCK_MONOTONIC);
    const double processor = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const std::uint64_t point = m_side == build_side::specialised
                                    ? on.queue().execute(*m_ready->recorded, waits)
                                    : on.queue().submit(m_ready->commands, waits);
    times->processor = clock_ns(CLOCK_THREAD_CPUTIME_ID) - processor;
    m_submitted = true;
    try {
      report_time(on, point, times, [](run_times& of, double ns) { of.end(ns); });
    } catch (const devices::device_error&) { // the submission stands; its point reports the failure
      const std::lock_guard lock(m_trial->m_mutex);
      m_trial->m_costs.lost(m_side);
    }
    return point;
  }

private:
  struct run_times {
    std::shared_ptr<method_trial> trial;
    build_side side;
    double begun = 0, processor = 0;
    std::atomic<double> free_at = 0; // when the earlier work in the queue was complete
    run_times(std::shared_ptr<method_trial> of, build_side how) : trial(std::move(of)), side(how) {}
    void end(double ns) const {
      const std::lock_guard lock(trial->m_mutex);
      trial->m_costs.add(side, processor, ns - std::max(begun, free_at.load()));
    }
  };
  /// Calls `what` with the time when the point was complete.
  static void report_time(driver_queue& on, std::uint64_t point, const std::shared_ptr<run_times>& times,
                          void (*what)(run_times&, double)) {
    struct call {
      std::shared_ptr<run_times> times;
      void (*what)(run_times&, double);
    };
    auto made = std::make_unique<call>(call{times, what});
    on.points().on_completion_at(point, [](void* c, std::uint64_t ns) {
      const std::unique_ptr<call> self(static_cast<call*>(c));
      self->what(*self->times, double(ns));
    }, made.get());
    made.release(); // now owned by the callback
  }
  const std::shared_ptr<method_trial> m_trial;
  const std::shared_ptr<ready_commands> m_ready;
  const build_side m_side;
  bool m_submitted = false;
};

std::shared_ptr<submission_method> method_trial::next_run(const std::shared_ptr<ready_commands>& ready) {
  std::optional<build_side> side;
  {
    const std::lock_guard lock(m_mutex);
    side = m_costs.next();
  }
  if (!side) return ready;
  return std::make_shared<measured_run>(shared_from_this(), ready, *side);
}

std::optional<method_costs::verdict> method_trial::verdict() const {
  const std::lock_guard lock(m_mutex);
  if (!m_costs.complete()) return std::nullopt;
  return m_costs.judge();
}

} // namespace prism::runtime
