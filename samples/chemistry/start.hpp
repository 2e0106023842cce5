// Where a simulation begins: particles on a lattice, with velocities of a temperature.
#pragma once

#include "samples/chemistry/cells.hpp"

#include <prism/random/philox.hpp>

#include <vector>

namespace chemistry {

/// The side of a cube in which `count` particles have the density. Throws std::invalid_argument.
double box_of(std::size_t count, double density);

/// The first `count` places of a face-centred cubic lattice that fills the box. 4 k^3 particles fill it
/// whole.
std::vector<vector> lattice(std::size_t count, double box);

/// Velocities of Maxwell's distribution, without momentum and with exactly this temperature.
std::vector<vector> maxwell_velocities(std::size_t count, double temperature, std::uint64_t seed);

/// Three normal numbers times `speed`, of the words of a block (G. Box & M. Muller, 1958).
inline vector random_velocity(const prism::random::block& words, float speed) {
  const auto pair = [&](int k, float& first, float& second) {
    const float u = (float(words.word[k] >> 8) + 1.0f) * 0x1p-24f; // in (0, 1]
    const float turn = float(words.word[k + 1] >> 8) * (6.2831853f * 0x1p-24f);
    const float radius = speed * std::sqrt(-2.0f * std::log(u));
    first = radius * std::cos(turn);
    second = radius * std::sin(turn);
  };
  vector out;
  float unused;
  pair(0, out.x, out.y);
  pair(2, out.z, unused);
  return out;
}

} // namespace chemistry
