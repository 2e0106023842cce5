// Dividing a range over devices. Pure; see <prism/strategy.hpp>.
#pragma once

#include "runtime/policy/predict.hpp"

namespace prism::policy {

struct piece {
  std::size_t device, first, count;
};
std::vector<piece> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity);

/// A device's time for n items is fixed + n * each.
struct linear_cost {
  double fixed, each;
};
/// The counts that make all devices finish together, those that would come too late left out (0); their common time.
struct balanced {
  std::vector<double> counts;
  double time;
};
balanced balance(double items, const std::vector<linear_cost>& devices);

/// The next chunk of a guided division among `devices` that are left to share `remaining` items.
std::size_t guided_chunk(std::size_t remaining, std::size_t devices, std::size_t granularity) noexcept;

} // namespace prism::policy
