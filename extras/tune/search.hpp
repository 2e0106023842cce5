// What to try next: a pure function of the space, what is known, and a seed. No strategy proposes a
// configuration twice.
#pragma once

#include <prism/tuner.hpp>

#include <random>

namespace prism::tuning {

/// One that was tried, by its place in the list of all; infinite time: it failed or its result was wrong.
struct known_point {
  std::size_t index = 0;
  double seconds = 0;
};

class strategy_state {
public:
  strategy_state(const parameter_space& space, std::vector<configuration> all, search how, unsigned seed);
  /// The next place, or nothing when all are known. `known` in the order of trying; the first is the default.
  std::optional<std::size_t> next(const std::vector<known_point>& known);
  const std::vector<configuration>& all() const noexcept { return m_all; }

private:
  std::optional<std::size_t> any_unknown(const std::vector<bool>& is_known);
  std::optional<std::size_t> neighbour_of_best(const std::vector<known_point>& known,
                                               const std::vector<bool>& is_known);
  std::optional<std::size_t> by_model(const std::vector<known_point>& known,
                                      const std::vector<bool>& is_known);

  std::vector<configuration> m_all;
  std::vector<std::vector<double>> m_places; // of each configuration: per parameter from 0 to 1
  search m_how;
  std::mt19937 m_random;
};

} // namespace prism::tuning
