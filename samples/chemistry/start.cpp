#include "samples/chemistry/start.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace chemistry {

double box_of(std::size_t count, double density) {
  if (count == 0) throw std::invalid_argument("a lattice has at least 1 particle");
  if (!(std::isfinite(density) && density > 0))
    throw std::invalid_argument("a density is a positive number, not " + std::to_string(density));
  return std::cbrt(double(count) / density);
}

std::vector<vector> lattice(std::size_t count, double box) {
  std::size_t edge = 1;
  while (4 * edge * edge * edge < count) ++edge;
  static constexpr double sites[4][3] = {
      {0.25, 0.25, 0.25}, {0.75, 0.75, 0.25}, {0.75, 0.25, 0.75}, {0.25, 0.75, 0.75}};
  const double length = box / double(edge);
  std::vector<vector> out;
  out.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t cell = k / 4, row = cell / edge, layer = row / edge;
    const double* const site = sites[k % 4];
    out.push_back({float(length * (double(layer) + site[0])), float(length * (double(row % edge) + site[1])),
                   float(length * (double(cell % edge) + site[2]))});
  }
  return out;
}

std::vector<vector> maxwell_velocities(std::size_t count, double temperature, std::uint64_t seed) {
  if (count < 2) throw std::invalid_argument("particles without common motion are at least 2");
  if (!(std::isfinite(temperature) && temperature >= 0))
    throw std::invalid_argument("a temperature is a number of 0 or more, not " + std::to_string(temperature));
  std::vector<vector> out;
  double mean[3] = {}, square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Steps of the thermostat have other numbers: they begin at 1, and this is step 0.
    const vector v = random_velocity(prism::random::philox(i, 0, seed), 1);
    mean[0] += v.x, mean[1] += v.y, mean[2] += v.z;
    out.push_back(v);
  }
  for (double& m : mean) m /= double(count);
  for (const vector& v : out)
    square += std::pow(v.x - mean[0], 2) + std::pow(v.y - mean[1], 2) + std::pow(v.z - mean[2], 2);
  const double factor = std::sqrt(3 * double(count - 1) * temperature / square);
  for (vector& v : out)
    v = {float(factor * (v.x - mean[0])), float(factor * (v.y - mean[1])), float(factor * (v.z - mean[2]))};
  return out;
}

} // namespace chemistry
