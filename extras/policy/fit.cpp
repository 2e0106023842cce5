#include "extras/policy/fit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace prism::policy {

namespace {

/// Minimises sum(((a + b n) - t)^2 / t^2); negative terms are set to 0.
fitted least_squares(std::span<const run> runs) {
  double s1 = 0, sn = 0, snn = 0, st = 0, snt = 0;
  for (const run& r : runs) {
    const double w = 1 / (r.seconds * r.seconds);
    s1 += w, sn += w * r.size, snn += w * r.size * r.size, st += w * r.seconds, snt += w * r.size * r.seconds;
  }
  const double determinant = s1 * snn - sn * sn;
  fitted f;
  if (determinant > 1e-12 * s1 * snn) {
    f.overhead = (st * snn - sn * snt) / determinant;
    f.each = (s1 * snt - sn * st) / determinant;
  }
  if (f.each <= 0) f = {st / s1, 0, 0};
  else if (f.overhead < 0) f = {0, snt / snn, 0};
  return f;
}

double relative_error(const run& r, const fitted& f) {
  return std::abs(f.overhead + f.each * r.size - r.seconds) / r.seconds;
}

/// Returns, for each size, the errors of a fit without the runs of that size: those that a prediction for a
/// new size must expect. With too few sizes for this, the errors of the fit itself.
std::vector<double> errors_of(std::span<const run> runs, const fitted& f) {
  std::vector<double> sizes, errors;
  for (const run& r : runs) sizes.push_back(r.size);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const run& r : runs) errors.push_back(relative_error(r, f));
  if (sizes.size() < 4) return errors;
  for (const double size : sizes) {
    std::vector<run> others, own;
    for (const run& r : runs) (r.size == size ? own : others).push_back(r);
    const fitted without = least_squares(others);
    for (const run& r : own) errors.push_back(relative_error(r, without));
  }
  return errors;
}

/// Returns a bound of nine of ten relative errors. With few runs the bound is larger.
double spread_of(std::span<const run> runs, const fitted& f) {
  std::vector<double> errors = errors_of(runs, f);
  std::sort(errors.begin(), errors.end());
  const std::size_t at =
      std::min(errors.size() - 1, static_cast<std::size_t>(std::ceil(0.9 * double(errors.size()))) - 1);
  const double few = 1 + 2.0 / static_cast<double>(runs.size());
  return std::clamp(errors[at] * 1.4 * few, 0.05 * few, 0.9);
}

} // namespace

fitted fit(std::span<const run> runs, double overhead_guess) {
  const auto [least, most] = std::minmax_element(runs.begin(), runs.end(),
                                                 [](const run& a, const run& b) { return a.size < b.size; });
  fitted f;
  if (most->size > least->size * 1.2) {
    f = least_squares(runs);
  } else {
    std::vector<double> times;
    for (const run& r : runs) times.push_back(r.seconds);
    std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
    const double median = times[times.size() / 2];
    f.overhead = std::min(overhead_guess, median / 2);
    f.each = most->size > 0 ? (median - f.overhead) / most->size : 0;
  }
  f.spread = spread_of(runs, f);
  return f;
}

double shrunk_spread(double own, std::size_t runs, std::vector<double> others) {
  if (others.empty()) return own;
  std::nth_element(others.begin(), others.begin() + std::ptrdiff_t(others.size() / 2), others.end());
  constexpr double worth = 12; // the weight of the others' median, in runs
  const auto n = static_cast<double>(runs);
  return std::max(own, (n * own + worth * others[others.size() / 2]) / (n + worth));
}

} // namespace prism::policy
