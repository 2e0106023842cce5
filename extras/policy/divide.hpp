// Divides a range among devices. Pure; see <prism/strategy.hpp>.
#pragma once

#include "extras/policy/predict.hpp"

namespace prism::policy {

struct piece {
  std::size_t device, first, count;
};
std::vector<piece> divide(std::size_t items, const std::vector<double>& weights, std::size_t granularity);

/// A device's time for n items is fixed + n * each.
struct linear_cost {
  double fixed, each;
};
/// The item counts with which all devices finish at the same time, and that time. A device whose fixed time
/// is longer gets 0 items.
struct balanced {
  std::vector<double> counts;
  double time;
};
balanced balance(double items, const std::vector<linear_cost>& devices);

/// A device that takes chunks of a range.
struct worker {
  double rate = 0;       // measured items a second; 0: it has finished no chunk yet
  double backlog = 0;    // items that it has taken but not finished
  bool takes = true;     // it will ask for more chunks
  double launching = 0;  // measured seconds to start a chunk
  bool expected = false; // rate and launching are predictions: it has finished no chunk yet
};
/// Returns how many of `remaining` items the device of number `device` takes next. 0: the other devices
/// finish sooner without it; never returned for the last device that takes chunks. Guided: a quarter of the
/// items that it would do until all finish together, so chunks are in proportion to the remaining items and
/// to the device's speed (I. Banicescu, V. Velusamy, J. Devaprasad, "On the scalability of dynamic scheduling
/// scientific applications with adaptive weighted factoring", Cluster Computing 6(3), 2003). A sixty-fourth
/// while its speed is only predicted; a small chunk if its speed is unknown. Never more than it would do
/// until all finish together.
std::size_t guided_chunk(std::size_t remaining, const std::vector<worker>& devices, std::size_t device,
                         std::size_t granularity);
/// Returns `chunk` items; near the end half of what the device would do until all finish together, so that
/// the devices do not wait for the last chunk.
std::size_t equal_chunk(std::size_t remaining, const std::vector<worker>& devices, std::size_t device,
                        std::size_t granularity, std::size_t chunk);

} // namespace prism::policy
