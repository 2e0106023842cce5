// Particles sorted into cubic cells of a periodic cube, and the sums over the neighbours of each. The device
// builds the cells: it counts the particles of each cell, adds the counts up, and gives each particle its
// slot. In a cell particles have the order of their numbers, not that in which the atomic counters saw them.
#pragma once

#include <prism/primitives/scan.hpp>

#include <sycl/sycl.hpp>

#include <cstdint>

namespace chemistry {

/// Plain data, which all devices store alike.
struct vector {
  float x, y, z;
};

/// A particle's half of the energies and virials (force times distance) of its pairs.
struct energy {
  float potential, virial;
};

class cell_list {
public:
  cell_list(std::size_t particles, double box, double cutoff);

  /// Sorts the particles. Positions are in [0, box].
  void build(sycl::queue& queue, sycl::buffer<vector>& positions);

  /// Forces and energies of all pairs within the cut-off; then adds force * kick to the velocities.
  void find_forces(sycl::queue& queue, sycl::buffer<vector>& forces, sycl::buffer<energy>& energies,
                   sycl::buffer<vector>& velocities, float kick);

  /// Cells along an edge of the box: 1, or at least 3.
  std::uint32_t along_edge() const { return m_edge; }

private:
  std::size_t m_n;
  float m_box, m_cutoff;
  std::uint32_t m_edge;
  prism::primitives::workspace m_workspace;
  sycl::buffer<std::uint32_t> m_counts, m_starts; // of cells; the last start is the number of particles
  sycl::buffer<std::uint32_t> m_cells;            // of particles
  sycl::buffer<std::uint32_t> m_unordered;        // particles by cell, in any order in it
  // In the order of slots: positions, cells, numbers of particles.
  sycl::buffer<float> m_x, m_y, m_z;
  sycl::buffer<std::uint32_t> m_slot_cells, m_particles;
};

} // namespace chemistry
