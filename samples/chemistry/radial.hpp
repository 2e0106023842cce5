// The radial distribution function g(r): how many particles lie at a distance from another one, over how many
// there would be without any order. An ideal gas has 1 everywhere.
#pragma once

#include "samples/chemistry/cells.hpp"

#include <cstdint>
#include <vector>

namespace chemistry {

/// Counts of pairs by their distance, over any number of states of the same particles. The device counts all
/// pairs, each once, in local memory. Throws std::invalid_argument.
class radial_distribution {
public:
  /// Distances up to `reach`: at most half a box, beyond which a sphere leaves it.
  radial_distribution(double box, std::size_t bins, double reach);
  radial_distribution(double box, std::size_t bins) : radial_distribution(box, bins, 0.5 * box) {}

  /// Adds a state, on the device of the queue. 2 to 90,000 positions in [0, box], always the same number.
  void add(sycl::queue& queue, const std::vector<vector>& positions);

  double width() const { return m_reach / double(m_counts.size()); }
  /// g at the middles of the bins, (k + 1/2) * width(). The shell of bin k has the volume between its bounds,
  /// and a particle has n - 1 others.
  std::vector<double> values() const;

private:
  double m_box, m_reach;
  std::size_t m_particles = 0, m_states = 0;
  std::vector<std::uint64_t> m_counts;
};

} // namespace chemistry
