// Results of trials in this user's tuning database (<prism/tuner.hpp>), for choices between implementations.
// The database is opened at the first use after it exists, never created. Without it, and if it cannot be
// read (which is logged once), there are no results.
//
// Thread-safe. A call without a change of the database costs two locks and a read of the clock.
#pragma once

#include <prism/algorithm.hpp>
#include <prism/provider.h>

#include <memory>
#include <string>
#include <vector>

namespace prism::provider {

/// The operation under which results for this description are stored: "gemm", "gemm double"; empty where
/// results of other shapes say nothing about it: batches, transforms, and matrices with one extent of more
/// than four times another.
std::string measured_name(const prism_provider_operation& what);

class measurements {
public:
  static measurements& of_process();
  /// Rises when the results may have changed.
  std::uint64_t changes();
  /// What was measured for jobs of about so many multiplications; the names are those of implementations.
  std::vector<measured_variant> of(const std::string& operation, const sycl::device& device, double items);
  /// The best stored configuration of the operation's parameters that belongs to the space, else `initial`.
  configuration parameters(const std::string& operation, const sycl::device& device, double items,
                           const parameter_space& space, const configuration& initial);

private:
  measurements();
  struct state;
  std::unique_ptr<state> m_state;
};

} // namespace prism::provider
