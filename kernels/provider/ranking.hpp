// Which provider does an operation: the pinned one, else the one with the least predicted time. A pure
// function of plain data.
#pragma once

#include <prism/provider.h>

#include <string>
#include <vector>

namespace prism::provider {

/// PRISM_PROVIDER: `openblas`, or by operation `gemm=blis,trsm=openblas`; both may be mixed, what names the
/// operation counts. Empty when nothing is pinned for it.
std::string pinned_provider(const std::string& setting, const std::string& operation);
/// Why the setting cannot be meant; empty when it can. `operations`: the names that there are.
std::string wrong_setting(const std::string& setting, const std::vector<std::string>& operations);

struct candidate {
  std::string name; // "prism": the library's own kernels
  prism_provider_support support{};
};
struct ranked_provider {
  std::string name;
  double predicted_ns = 0; // 0: not known
  std::string reason;      // empty: usable; else why not
};
/// All candidates, the best first, those that cannot last, each with its reason. `flops`: additions and
/// multiplications; `peak`: of the device, in them per nanosecond. One whose efficiency is not known comes
/// after those that are predicted. A pinned one is the only usable one: the others say that it is pinned.
std::vector<ranked_provider> rank(const std::vector<candidate>& candidates, double flops, double peak,
                                  const std::string& pinned);

/// "openblas: 12.5 us; blis: 14.0 us; clblast: it serves OpenCL only".
std::string explained(const std::vector<ranked_provider>& ranking);

} // namespace prism::provider
