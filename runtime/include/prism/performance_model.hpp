// Predictions that learn: patterns of computation, the roofline before anything was measured, and after
// observed runs a fit of them, each with an interval. Pure but for the files of load and save; not
// thread-safe.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/selection.hpp>

#include <map>
#include <utility>

namespace prism {

/// What one item of a pattern needs; the job of n items needs n times as much.
struct pattern {
  double flops = 0, bytes = 0, bytes_to_move = 0;
  std::string data_type = "fp32";
  access_pattern access = access_pattern::sequential;
  double divergence = 0;
  double builds = 0; // of the job, whatever its size: kernels that are built before the first run on a device
};

struct observation {
  double items = 0, seconds = 0;
};

/// From this many items on a device is the fastest.
struct tier {
  double from_items = 0;
  std::size_t device = 0;
};

class performance_model {
public:
  /// Throws sycl::exception (invalid) for negative figures. Replaces a pattern of the same name and keeps its
  /// runs.
  void register_pattern(const std::string& name, const pattern& what);
  std::vector<std::string> patterns() const;
  /// The workload of `items` items. Throws sycl::exception (invalid) for an unknown name.
  workload workload_of(const std::string& name, double items) const;

  /// A run took so long. Runs belong to the device's name and `driver`, the description's where none is
  /// given: another driver starts afresh.
  void observe(const std::string& name, const device_description& device, double items, seconds measured,
               const std::string& driver = "");
  /// How many runs of the pattern on the device are known.
  std::size_t observed(const std::string& name, const device_description& device,
                       const std::string& driver = "") const;

  /// Without runs: the roofline with launch, transfer and build costs, scaled by what other patterns showed
  /// of the device. With them: a fit of launch and rate; the interval is that of its errors at sizes left
  /// out, and where other patterns showed the device less steady, nearer to theirs.
  prediction predict(const std::string& name, const device_description& device, double items,
                     const std::string& driver = "") const;
  /// Several devices of each kind working together, divided so that all finish at once.
  prediction predict(const std::string& name,
                     const std::vector<std::pair<device_description, std::size_t>>& hardware,
                     double items) const;

  /// The fastest device for the pattern and size. Throws no_candidate when none can do it.
  std::size_t best(const std::string& name, double items,
                   const std::vector<device_description>& devices) const;
  /// The break-even sizes between `from` and `to` items, to within one in a hundred.
  std::vector<tier> tiers(const std::string& name, const std::vector<device_description>& devices,
                          double from, double to) const;

  /// The matrix of pattern × device: every pattern and run, as JSON; read back the same. A file is replaced
  /// as a whole.
  std::string to_json() const;
  /// Throws sycl::exception (invalid) that says what is wrong.
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
