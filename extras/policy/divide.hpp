// Dividing a range over devices. Pure; see <prism/strategy.hpp>.
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
/// The counts that make all devices finish together, those that would come too late left out (0); their
/// common time.
struct balanced {
  std::vector<double> counts;
  double time;
};
balanced balance(double items, const std::vector<linear_cost>& devices);

/// A device that takes part in a guided division.
struct taker {
  double rate = 0;       // items a second, as far as it showed; 0: it has finished nothing yet
  double backlog = 0;    // items that it has taken and not finished
  bool takes = true;     // it comes for more
  double launching = 0;  // seconds that starting a chunk costs, as far as it showed
  bool expected = false; // rate and launching are predictions: it has finished nothing yet
};
/// How many of `remaining` items device `who` takes next. 0: the others finish sooner without it; never for
/// the last that takes. Guided: a quarter of what it would do until all finish together, so that chunks
/// shrink with what is left and are as large as a device is fast (I. Banicescu, V. Velusamy, J. Devaprasad,
/// "On the scalability of dynamic scheduling scientific applications with adaptive weighted factoring",
/// Cluster Computing 6(3), 2003); a sixty-fourth while its speed is only expected; a device of which nothing
/// is known takes little. Never more than what it would do until all finish together.
std::size_t guided_chunk(std::size_t remaining, const std::vector<taker>& devices, std::size_t who,
                         std::size_t granularity);
/// `chunk` items; near the end half of what the device would do until all finish together, so that nobody
/// waits for the last one's chunk.
std::size_t equal_chunk(std::size_t remaining, const std::vector<taker>& devices, std::size_t who,
                        std::size_t granularity, std::size_t chunk);

} // namespace prism::policy
