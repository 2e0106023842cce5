// A performance model that improves with observed runs. It predicts the time of a pattern of computation: by
// the roofline model before any run was observed, afterwards by a fit to the observed runs. Every prediction
// has an interval. The functions are pure except for load and save. Not thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>

#include <map>
#include <utility>

namespace prism {

/// The resources that one item of a pattern needs; a job of n items needs n times as much.
struct pattern {
  double flops = 0, bytes = 0, bytes_to_move = 0;
  std::string data_type = "fp32";
  access_pattern access = access_pattern::sequential;
  double divergence = 0;
  double builds =
      0; // for the whole job: number of kernels that must be built before the first run on a device
};

struct observation {
  double items = 0, seconds = 0;
};

/// `device` is the fastest one for jobs of `from_items` items or more, up to the next tier.
struct tier {
  double from_items = 0;
  std::size_t device = 0;
};

class performance_model {
public:
  /// Adds a pattern. A pattern of the same name is replaced and its observed runs are retained. Throws
  /// sycl::exception (invalid) for negative figures.
  void register_pattern(const std::string& name, const pattern& what);
  std::vector<std::string> patterns() const;
  /// Returns the workload of `items` items of the pattern. Throws sycl::exception (invalid) for an unknown
  /// name.
  workload workload_of(const std::string& name, double items) const;

  /// Records that a run of `items` items took `measured`. Runs are stored by the device's name and `driver`
  /// (default: the description's driver). Runs with another driver are not used.
  void observe(const std::string& name, const device_description& device, double items, seconds measured,
               const std::string& driver = "");
  /// Returns the number of recorded runs of the pattern on the device.
  std::size_t observed(const std::string& name, const device_description& device,
                       const std::string& driver = "") const;

  /// Without recorded runs: the roofline model with launch, transfer and build costs, scaled by the measured
  /// speed of other patterns on the device. With recorded runs: a fit of launch time and rate. The interval
  /// of a fit comes from its errors at sizes that were left out (cross-validation); if other patterns show
  /// larger variation on the device, the interval is widened towards theirs.
  prediction predict(const std::string& name, const device_description& device, double items,
                     const std::string& driver = "") const;
  /// Predicts a job that is divided among several devices so that all finish at the same time. `hardware`:
  /// device and number of such devices.
  prediction predict(const std::string& name,
                     const std::vector<std::pair<device_description, std::size_t>>& hardware,
                     double items) const;

  /// Returns the index of the fastest device for the pattern and size. Throws no_candidate if no device can
  /// do it.
  std::size_t best(const std::string& name, double items,
                   const std::vector<device_description>& devices) const;
  /// Returns the break-even sizes between `from` and `to` items, accurate to 1 %.
  std::vector<tier> tiers(const std::string& name, const std::vector<device_description>& devices,
                          double from, double to) const;

  /// Returns all patterns and runs as JSON; from_json restores them unchanged. save() replaces the file
  /// atomically.
  std::string to_json() const;
  /// Throws sycl::exception (invalid) with a message that describes the error.
  static performance_model from_json(const std::string& text);
  void save(const std::string& file) const;
  static performance_model load(const std::string& file);

private:
  std::vector<double> spreads_of_others(const std::string& name, const device_description& device,
                                        const std::string& key) const;
  using place = std::pair<std::string, std::string>; // pattern, device and driver
  std::map<std::string, pattern> m_patterns;
  std::map<place, std::vector<observation>> m_runs;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
