// The decision which of the described devices does a workload under a policy, and its explanation. Pure
// functions: they use no device, driver or clock. The order of the devices does not matter, and relaxing a
// constraint never makes the choice worse.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/description.hpp>
#include <prism/policy.hpp>

#include <limits>
#include <memory>

namespace prism {

using seconds = std::chrono::duration<double>;

/// The predicted time and cost of a job on one device. total = launch + building + moving + the longer of
/// computing and memory traffic. The time lies within the interval in nine of ten cases. The interval is wide
/// without measurements, see performance_model.
struct prediction {
  seconds launch{0}, building{0}, moving{0}, computing{0}, memory{0}, total{0};
  seconds lower{0}, upper{0};
  double cost = 0;          // price_per_hour's currency
  double energy_joules = 0; // 0: unknown power
  double throughput = 0;    // items a second for a sequence of jobs
};

/// Predicts the time of `work` on `device`. The time is infinite if the device cannot do the work (no
/// peak_gflops for the data type).
prediction predict(const device_description& device, const workload& work);

/// One device in a decision.
struct candidate {
  std::size_t index = 0; // in the list of devices
  std::string name;
  prediction predicted;
  bool fits = false;
  std::string
      reason; // the constraint that excluded it, with the required and the actual figure; empty if it fits
  std::size_t rank = 0; // 0: the chosen device; only valid if it fits
};

class selection {
public:
  const device_description& device() const noexcept { return (*m_devices)[m_index]; }
  std::size_t index() const noexcept { return m_index; } // in the list of devices
  seconds predicted_time() const noexcept { return m_predicted.total; }
  double predicted_cost() const noexcept { return m_predicted.cost; }
  double predicted_energy() const noexcept { return m_predicted.energy_joules; } // joules
  double predicted_throughput() const noexcept { return m_predicted.throughput; }
  const prediction& predicted() const noexcept { return m_predicted; }
  /// Returns all devices: the chosen one, then those that fit by rank, then the excluded ones by name.
  std::vector<candidate> candidates() const;
  /// Returns a table: each candidate with its predicted time, cost and energy, or the constraint that
  /// excluded it.
  std::string explain() const;
  std::string to_json() const;

private:
  friend selection select(const execution_policy&, const workload&, std::vector<device_description>);
  execution_policy m_policy;
  workload m_work;
  std::shared_ptr<const std::vector<device_description>> m_devices;
  std::size_t m_index = 0;
  prediction m_predicted;
};

/// Thrown if no device fits. what() is the table of all devices with the constraint that excluded each.
class no_candidate : public sycl::exception {
public:
  no_candidate(const std::string& table, std::vector<candidate> candidates)
      : sycl::exception(sycl::make_error_code(sycl::errc::runtime), table),
        m_candidates(std::make_shared<const std::vector<candidate>>(std::move(candidates))) {}
  const std::vector<candidate>& candidates() const noexcept { return *m_candidates; }

private:
  std::shared_ptr<const std::vector<candidate>> m_candidates;
};

/// Selects a device. Throws no_candidate if no device fits, sycl::exception (invalid) for a policy or
/// workload with invalid values.
selection select(const execution_policy& policy, const workload& work,
                 std::vector<device_description> devices);

/// Returns the table of select(), also if no device fits.
std::string explain(const execution_policy& policy, const workload& work,
                    const std::vector<device_description>& devices);
std::string explain_json(const execution_policy& policy, const workload& work,
                         const std::vector<device_description>& devices);

/// A policy prepared for a list of devices. choose() takes less than two microseconds for sixteen devices and
/// allocates no memory. It returns the same choices as select(). Thread-safe.
class chooser {
public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  chooser(const execution_policy& policy, std::vector<device_description> devices);
  ~chooser();
  chooser(chooser&&) noexcept;
  chooser& operator=(chooser&&) noexcept;
  /// Returns the index of the device, or `none`. Throws sycl::exception (invalid) for a workload with invalid
  /// values.
  std::size_t choose(const workload& work) const;
  const std::vector<device_description>& devices() const noexcept;

private:
  struct prepared;
  std::unique_ptr<const prepared> m_prepared;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
