// A device's time from observed runs: t = overhead + size * each, where the size is what a model says of the
// work, fitted by least squares of the relative error with both terms at least 0; and how far off it is.
// Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace prism::policy {

struct run {
  double size, seconds;
};

struct fitted {
  double overhead = 0, each = 0;
  double spread = 0; // the time lies within a factor 1 ± spread in nine of ten cases
};

/// `runs` is not empty. With runs of one size alone `overhead_guess` seconds are taken as overhead, at most
/// half of the time.
fitted fit(std::span<const run> runs, double overhead_guess);

/// The spread of a fit of `runs` runs on a device on which other kernels' fits had the spreads `others`: few
/// calm runs do not make an unsteady device calm, so a narrower spread is drawn to the median of the others,
/// the less the more runs it has.
double shrunk_spread(double own, std::size_t runs, std::vector<double> others);

} // namespace prism::policy
