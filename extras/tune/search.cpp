#include "extras/tune/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prism::tuning {

namespace {

/// Returns the coordinates of a configuration. Ordered values are spread evenly from 0 to 1. Texts have no
/// order, so each text has its own axis.
std::vector<double> place_of(const parameter_space& space, const configuration& c) {
  std::vector<double> out;
  for (const parameter_space::parameter& p : space.parameters()) {
    const parameter_value& value = c.values().at(p.name);
    const auto at =
        static_cast<double>(std::find(p.values.begin(), p.values.end(), value) - p.values.begin());
    if (std::holds_alternative<std::string>(value))
      for (std::size_t i = 0; i < p.values.size(); ++i)
        out.push_back(static_cast<double>(i) == at ? 0.7 : 0.0);
    else out.push_back(p.values.size() > 1 ? at / static_cast<double>(p.values.size() - 1) : 0.0);
  }
  return out;
}

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// A Gaussian process over coordinates with a squared-exponential kernel. Its values are logarithms of times,
/// minus their mean.
class process {
public:
  process(const std::vector<const std::vector<double>*>& places, const std::vector<double>& values)
      : m_places(places) {
    const std::size_t n = values.size();
    m_mean = 0;
    for (const double v : values) m_mean += v / static_cast<double>(n);
    double variance = 0;
    for (const double v : values) variance += (v - m_mean) * (v - m_mean) / static_cast<double>(n);
    m_scale = std::max(variance, 1e-6);
    m_factor.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) // Cholesky factorisation of the covariance, by rows
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = covariance(*places[i], *places[j]) + (i == j ? noise * m_scale : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= m_factor[i * n + k] * m_factor[j * n + k];
        m_factor[i * n + j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / m_factor[j * n + j];
      }
    std::vector<double> centred(values);
    for (double& v : centred) v -= m_mean;
    m_weights = solve_up(solve_down(centred));
  }

  /// Returns by how much the value at `at` is expected to be below `best`.
  double expected_improvement(const std::vector<double>& at, double best) const {
    std::vector<double> k(m_places.size());
    double mean = m_mean;
    for (std::size_t i = 0; i < k.size(); ++i) {
      k[i] = covariance(at, *m_places[i]);
      mean += k[i] * m_weights[i];
    }
    const std::vector<double> v = solve_down(k);
    double variance = m_scale;
    for (const double x : v) variance -= x * x;
    const double deviation = std::sqrt(std::max(variance, 1e-12)), z = (best - mean) / deviation;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * 3.14159265358979323846),
                 below = 0.5 * std::erfc(-z / std::sqrt(2.0));
    return (best - mean) * below + deviation * density;
  }

private:
  static constexpr double length = 0.35, noise = 1e-3;
  double covariance(const std::vector<double>& a, const std::vector<double>& b) const {
    return m_scale * std::exp(-squared_distance(a, b) / (2 * length * length));
  }
  std::vector<double> solve_down(std::vector<double> b) const {
    const std::size_t n = b.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= m_factor[i * n + k] * b[k];
      b[i] /= m_factor[i * n + i];
    }
    return b;
  }
  std::vector<double> solve_up(std::vector<double> b) const {
    const std::size_t n = b.size();
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) b[i] -= m_factor[k * n + i] * b[k];
      b[i] /= m_factor[i * n + i];
    }
    return b;
  }
  std::vector<const std::vector<double>*> m_places;
  std::vector<double> m_factor, m_weights;
  double m_mean, m_scale;
};

} // namespace

strategy_state::strategy_state(const parameter_space& space, std::vector<configuration> all, search how,
                               unsigned seed)
    : m_all(std::move(all)), m_how(how), m_random(seed) {
  for (const configuration& c : m_all) m_places.push_back(place_of(space, c));
}

std::optional<std::size_t> strategy_state::next(const std::vector<known_point>& known) {
  std::vector<bool> is_known(m_all.size(), false);
  for (const known_point& k : known) is_known[k.index] = true;
  switch (m_how) {
    case search::exhaustive: {
      const auto first = std::find(is_known.begin(), is_known.end(), false);
      return first == is_known.end()
                 ? std::nullopt
                 : std::optional<std::size_t>(static_cast<std::size_t>(first - is_known.begin()));
    }
    case search::random: return any_unknown(is_known);
    case search::greedy:
      if (const auto near = neighbour_of_best(known, is_known)) return near;
      return any_unknown(is_known);
    case search::model_guided: return by_model(known, is_known);
  }
  return std::nullopt;
}

std::optional<std::size_t> strategy_state::any_unknown(const std::vector<bool>& is_known) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < is_known.size(); ++i)
    if (!is_known[i]) left.push_back(i);
  if (left.empty()) return std::nullopt;
  return left[m_random() % left.size()];
}

/// Returns the nearest untried configuration that differs from the best one in exactly one parameter.
std::optional<std::size_t> strategy_state::neighbour_of_best(const std::vector<known_point>& known,
                                                             const std::vector<bool>& is_known) {
  const auto best = std::min_element(known.begin(), known.end(),
                                     [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  if (best == known.end() || std::isinf(best->seconds)) return std::nullopt;
  const configuration& from = m_all[best->index];
  std::optional<std::size_t> found;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m_all.size(); ++i) {
    if (is_known[i]) continue;
    std::size_t differences = 0;
    for (const auto& [name, value] : m_all[i].values()) differences += from.values().at(name) != value;
    const double distance = squared_distance(m_places[i], m_places[best->index]);
    if (differences == 1 && distance < nearest) {
      nearest = distance;
      found = i;
    }
  }
  return found;
}

std::optional<std::size_t> strategy_state::by_model(const std::vector<known_point>& known,
                                                    const std::vector<bool>& is_known) {
  constexpr std::size_t first_random = 6, most_used = 200, most_asked = 4096;
  if (known.size() < first_random) return any_unknown(is_known);
  std::vector<const std::vector<double>*> places;
  std::vector<double> values;
  double best = std::numeric_limits<double>::infinity(), worst = -best;
  for (const known_point& k : known)
    if (!std::isinf(k.seconds))
      best = std::min(best, std::log(k.seconds)), worst = std::max(worst, std::log(k.seconds));
  if (std::isinf(best)) return any_unknown(is_known);
  for (std::size_t i = known.size() > most_used ? known.size() - most_used : 0; i < known.size(); ++i) {
    places.push_back(&m_places[known[i].index]);
    values.push_back(std::isinf(known[i].seconds)
                         ? worst
                         : std::log(known[i].seconds)); // failures count as the worst time
  }
  const process model(places, values);
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < m_all.size(); ++i)
    if (!is_known[i]) asked.push_back(i);
  if (asked.empty()) return std::nullopt;
  if (asked.size() > most_asked) {
    std::shuffle(asked.begin(), asked.end(), m_random);
    asked.resize(most_asked);
  }
  std::size_t chosen = asked.front();
  double most = -1;
  for (const std::size_t i : asked)
    if (const double gain = model.expected_improvement(m_places[i], best); gain > most) {
      most = gain;
      chosen = i;
    }
  return chosen;
}

} // namespace prism::tuning
