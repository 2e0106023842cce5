#include "runtime/policy/divide.hpp"

#include "runtime/policy/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prism::policy {

std::vector<piece> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity) {
  double sum = 0;
  for (const double w : weights) {
    if (!(w >= 0) || std::isinf(w)) throw problem("a division needs weights that are finite numbers from 0");
    sum += w;
  }
  if (!(sum > 0)) throw problem("a division needs at least one weight above 0");
  granularity = std::max<std::size_t>(granularity, 1);
  std::vector<piece> out;
  double before = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    before += weights[i];
    // The end of each share is rounded, not its size: errors do not add up, and the last end is the end.
    const double exact = static_cast<double>(items) * (before / sum);
    std::size_t end = static_cast<std::size_t>(std::llround(exact / double(granularity))) * granularity;
    const bool rest_is_empty = std::all_of(weights.begin() + std::ptrdiff_t(i) + 1, weights.end(), [](double w) { return w == 0; });
    end = rest_is_empty ? items : std::min(end, items);
    if (weights[i] > 0 && end > first) out.push_back({i, first, end - first}), first = end;
  }
  return out;
}

balanced balance(double items, const std::vector<linear_cost>& devices) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return devices[a].fixed < devices[b].fixed; });
  // With the k readiest devices, sum((T - fixed) / each) = items gives T; a device joins while its fixed time is before T.
  double rates = 0, offset = 0, time = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (devices[i].fixed >= time) break;
    rates += 1 / devices[i].each;
    offset += devices[i].fixed / devices[i].each;
    time = (items + offset) / rates;
  }
  balanced out{std::vector<double>(devices.size(), 0), time};
  for (std::size_t i = 0; i < devices.size(); ++i) out.counts[i] = std::max(0.0, (time - devices[i].fixed) / devices[i].each);
  return out;
}

std::size_t guided_chunk(std::size_t remaining, std::size_t devices, std::size_t granularity) noexcept {
  granularity = std::max<std::size_t>(granularity, 1);
  const std::size_t wanted = remaining / (2 * std::max<std::size_t>(devices, 1));
  return std::min(remaining, std::max(granularity, wanted / granularity * granularity));
}

} // namespace prism::policy
