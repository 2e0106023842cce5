// Fits a device's time to observed runs: t = overhead + size * each, where `size` is the model's prediction
// of the work. Least squares of the relative error, with both terms at least 0. Also estimates the error of
// the fit. Pure.
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

/// `runs` must not be empty. If all runs have one size, `overhead_guess` seconds are taken as overhead, at
/// most half of the time.
fitted fit(std::span<const run> runs, double overhead_guess);

/// Returns the spread of a fit of `runs` runs, corrected by the spreads `others` of other kernels' fits on
/// the device. A few runs with small variation do not prove that the device is steady, so a smaller spread is
/// moved towards the median of the others; with more runs it moves less.
double shrunk_spread(double own, std::size_t runs, std::vector<double> others);

} // namespace prism::policy
