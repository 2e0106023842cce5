// Which provider does an operation: the pinned one, else the one with the least predicted time. A pure
// function of plain data.
#pragma once

#include <prism/provider.h>

#include <string>
#include <vector>

namespace prism::provider {

struct pinned_name {
  std::string provider;    // empty: nothing is pinned
  bool is_general = false; // for all operations: of these the pin applies to those that the provider has
};
/// PRISM_PROVIDER: `openblas`, or by operation `gemm=blis,trsm=openblas`. Both may be mixed; an entry for the
/// operation takes precedence.
pinned_name pinned_provider(const std::string& setting, const std::string& operation);
/// Why the setting is invalid; empty if it is valid. `operations`: the names that exist.
std::string wrong_setting(const std::string& setting, const std::vector<std::string>& operations);

struct candidate {
  std::string name; // "prism": the library's own kernels
  prism_provider_support support{};
  double measured_ns = 0;    // by a trial on this device, for an operation of this size; 0: not measured
  bool has_operation = true; // for some type on some kind of device
};
struct ranked_provider {
  std::string name;
  double predicted_ns = 0;  // 0: unknown
  bool is_measured = false; // predicted_ns is a measured time
  std::string reason;       // empty: usable; else why it is not
};
/// All candidates, the best first; those that cannot do the operation come last, each with its reason.
/// `flops`: additions and multiplications; `peak`: the device's, per nanosecond. Candidates that were
/// measured come first, since a prediction cannot be compared with a measurement. A candidate of unknown
/// efficiency comes after those with a prediction. If one is pinned, only that one is usable, and the reason
/// of the others states that. A general pin does not apply where the provider has the operation for no type;
/// the reason of the provider states that.
std::vector<ranked_provider> rank(const std::vector<candidate>& candidates, double flops, double peak,
                                  const pinned_name& pinned);

/// "openblas: 12.5 us; blis: 14.0 us; clblast: it supports only OpenCL".
std::string explained(const std::vector<ranked_provider>& ranking);

} // namespace prism::provider
