#include "extras/policy/divide.hpp"

#include "extras/policy/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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
    // Round the end of each share, not its size, so that rounding errors do not add up.
    const double exact = static_cast<double>(items) * (before / sum);
    std::size_t end = static_cast<std::size_t>(std::llround(exact / double(granularity))) * granularity;
    const bool rest_is_empty =
        std::all_of(weights.begin() + std::ptrdiff_t(i) + 1, weights.end(), [](double w) { return w == 0; });
    end = rest_is_empty ? items : std::min(end, items);
    if (weights[i] > 0 && end > first) out.push_back({i, first, end - first}), first = end;
  }
  return out;
}

balanced balance(double items, const std::vector<linear_cost>& devices) {
  std::vector<std::size_t> order(devices.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return devices[a].fixed < devices[b].fixed; });
  // For the k devices with the shortest fixed times, T follows from sum((T - fixed) / each) = items. A device
  // takes part if its fixed time is before T.
  double rates = 0, offset = 0, time = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (devices[i].fixed >= time) break;
    rates += 1 / devices[i].each;
    offset += devices[i].fixed / devices[i].each;
    time = (items + offset) / rates;
  }
  balanced out{std::vector<double>(devices.size(), 0), time};
  for (std::size_t i = 0; i < devices.size(); ++i)
    out.counts[i] = std::max(0.0, (time - devices[i].fixed) / devices[i].each);
  return out;
}

namespace {

constexpr double worth_launching = 4; // the least time of a chunk, in launch times, if its size permits

/// Returns the items that the device can still take if all devices are to finish together. Empty: no limit is
/// known.
std::optional<double> allowance(std::size_t remaining, const std::vector<worker>& devices,
                                std::size_t device) {
  double rates = 0;
  std::size_t count = 0, known = 0;
  for (const worker& d : devices)
    if (d.takes) ++count, known += d.rate > 0, rates += d.rate;
  if (count <= 1 || !(devices[device].rate > 0)) return std::nullopt;
  std::vector<linear_cost> costs;
  std::size_t mine = 0;
  for (const worker& d : devices) {
    if (!d.takes) continue;
    if (&d == &devices[device]) mine = costs.size();
    const double rate =
        d.rate > 0
            ? d.rate
            : rates /
                  static_cast<double>(known); // devices of unknown speed are assumed to have the mean speed
    costs.push_back({d.backlog > 0 ? d.backlog / rate : d.launching, 1 / rate});
  }
  return balance(static_cast<double>(remaining), costs).counts[mine];
}

double least_of(const worker& device) { return device.rate * device.launching * worth_launching; }

/// Rounds to a multiple of the granularity, at least one. Raises the size to one that is worth a launch if
/// `allowed` permits. At most `remaining`.
std::size_t rounded(double items, double allowed, std::size_t remaining, const worker& device,
                    std::size_t granularity) {
  const auto grain = static_cast<double>(std::max<std::size_t>(granularity, 1)),
             left = static_cast<double>(remaining);
  const double least = least_of(device);
  items = std::max(items, std::min(least, allowed));
  // Take all of it if the rest would not be worth a launch.
  items =
      std::max(1.0, allowed - items < least / 2 ? std::ceil(allowed / grain) : std::floor(items / grain)) *
      grain;
  return items < left ? static_cast<std::size_t>(items) : remaining;
}

/// Whether the allowance is not worth a launch. If a chunk is running, only the part of a launch that is
/// longer than that chunk costs time, so a smaller allowance is enough. If the device's speed is only
/// predicted, any allowance is enough: a device that would finish last has an allowance of 0, and its first
/// chunk need not be large.
bool too_little(double allowed, const worker& device, std::size_t granularity) {
  const double least = device.expected      ? 0
                       : device.backlog > 0 ? least_of(device) / worth_launching
                                            : least_of(device);
  return allowed < std::max(static_cast<double>(std::max<std::size_t>(granularity, 1)), least) / 2;
}

} // namespace

std::size_t guided_chunk(std::size_t remaining, const std::vector<worker>& devices, std::size_t device,
                         std::size_t granularity) {
  const auto left = static_cast<double>(remaining);
  const auto takes = static_cast<double>(
      std::count_if(devices.begin(), devices.end(), [](const worker& d) { return d.takes; }));
  double items = left / 64 / std::max(takes, 1.0);
  if (const std::optional<double> allowed = allowance(remaining, devices, device)) {
    if (too_little(*allowed, devices[device], granularity)) return 0;
    return rounded(*allowed / (devices[device].expected ? 64 : 4), *allowed, remaining, devices[device],
                   granularity);
  } else if (devices[device].rate > 0) {
    items = left / 2; // it is the last device that takes chunks
  }
  return rounded(items, left, remaining, devices[device], granularity);
}

std::size_t equal_chunk(std::size_t remaining, const std::vector<worker>& devices, std::size_t device,
                        std::size_t granularity, std::size_t chunk) {
  const std::optional<double> allowed = allowance(remaining, devices, device);
  if (!allowed) return std::min(remaining, chunk);
  if (too_little(*allowed, devices[device], granularity)) return 0;
  return *allowed >= 2 * static_cast<double>(chunk)
             ? std::min(remaining, chunk)
             : std::min(chunk, rounded(*allowed / 2, *allowed, remaining, devices[device], granularity));
}

} // namespace prism::policy
