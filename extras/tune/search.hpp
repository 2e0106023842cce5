// The search strategies: choose the next configuration as a pure function of the space, the trials so far,
// and a seed. No strategy proposes a configuration twice.
#pragma once

#include <prism/tuner.hpp>

#include <random>

namespace prism::tuning {

/// A tried configuration, by its index in the list of all. Infinite time: it failed or its result was wrong.
struct known_point {
  std::size_t index = 0;
  double seconds = 0;
};

class strategy_state {
public:
  strategy_state(const parameter_space& space, std::vector<configuration> all, search how, unsigned seed);
  /// Returns the index of the next configuration; empty if all were tried. `known`: the trials in order; the
  /// first one is the default configuration.
  std::optional<std::size_t> next(const std::vector<known_point>& known);
  const std::vector<configuration>& all() const noexcept { return m_all; }

private:
  std::optional<std::size_t> any_unknown(const std::vector<bool>& is_known);
  std::optional<std::size_t> neighbour_of_best(const std::vector<known_point>& known,
                                               const std::vector<bool>& is_known);
  std::optional<std::size_t> by_model(const std::vector<known_point>& known,
                                      const std::vector<bool>& is_known);

  std::vector<configuration> m_all;
  std::vector<std::vector<double>> m_places; // coordinates of each configuration, from 0 to 1
  search m_how;
  std::mt19937 m_random;
};

} // namespace prism::tuning
