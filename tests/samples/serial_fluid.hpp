// Lennard-Jones forces by one thread in double, over all pairs: what samples/chemistry is compared with. It
// shares nothing with that library but the formulas of the potential.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace serial_fluid {

using point = std::array<double, 3>;

struct forces {
  std::vector<point> of;
  double potential = 0, virial = 0;
};

template <typename Vectors>
std::vector<point> widened(const Vectors& from) {
  std::vector<point> out;
  for (const auto& v : from) out.push_back({v.x, v.y, v.z});
  return out;
}

inline forces all_pairs(const std::vector<point>& at, double box, double cutoff) {
  forces out;
  out.of.assign(at.size(), point{});
  const double end = std::pow(cutoff, -6), shift = 4 * (end * end - end);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = i + 1; j < at.size(); ++j) {
      point d;
      double square = 0;
      for (int k = 0; k < 3; ++k) {
        d[k] = at[i][k] - at[j][k];
        d[k] -= box * std::rint(d[k] / box);
        square += d[k] * d[k];
      }
      if (square >= cutoff * cutoff) continue;
      const double attraction = 1 / (square * square * square), repulsion = attraction * attraction,
                   virial = 24 * (2 * repulsion - attraction);
      out.potential += 4 * (repulsion - attraction) - shift;
      out.virial += virial;
      for (int k = 0; k < 3; ++k) {
        out.of[i][k] += virial / square * d[k];
        out.of[j][k] -= virial / square * d[k];
      }
    }
  return out;
}

} // namespace serial_fluid
