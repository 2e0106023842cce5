// A fluid of Lennard-Jones particles in a periodic cube, on a SYCL device: docs/chemistry.md.
//
// Units are reduced: lengths in sigma, energies in epsilon, masses in the particle's, times in
// sigma (m / epsilon)^(1/2), temperatures in epsilon / k. The potential is 4 (r^-12 - r^-6), cut off, and
// shifted so that it is 0 at the cut-off; the force is not shifted. A step is velocity Verlet (W. Swope et
// al., 1982). Everything but the sums of a measurement is computed on the device, in float.
//
// Neighbours come from cells (R. Hockney & J. Eastwood, "Computer simulation using particles", 1981) that are
// built again in each step. A cell is at least as long as the cut-off, so neighbours lie in 27 cells. A box
// shorter than three cells is one cell: all pairs are tried, by the nearest image. Sums have a fixed order,
// so the same device gives the same bits again.
//
// Errors: std::invalid_argument for what cannot be simulated, std::runtime_error by measure() after steps
// that were too long. A fluid may be used by one thread at a time.
#pragma once

#include "samples/chemistry/cells.hpp"

#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

namespace chemistry {

struct settings {
  double box = 0;           // length of the cube's side; at least two cut-offs
  double cutoff = 2.5;      // of the potential
  double time_step = 0.004; // of velocity Verlet
  std::uint64_t seed = 1;   // of the thermostat's random numbers
};

/// What holds the temperature. Rescaling (L. Woodcock, 1971) multiplies all velocities in every `period`-th
/// step, so that the temperature is exact then; momentum stays. Andersen's (H. Andersen, 1980) gives each
/// particle a velocity of the temperature's distribution `collisions` times in a unit of time, at random; the
/// states are those of the canonical ensemble, but momentum and the paths of particles are not conserved.
struct thermostat {
  enum class method { none, rescaling, andersen };
  method how = method::none;
  double temperature = 1;
  std::size_t period = 10;
  double collisions = 1;
};

struct measurement {
  std::size_t step = 0;
  double time = 0;
  double kinetic = 0, potential = 0; // of all particles together
  double temperature = 0;            // 2/3 of the kinetic energy about the common motion, over n - 1
  double pressure = 0;               // by the virial, within the cut-off
  vector momentum{0, 0, 0};          // of all particles together
};

class fluid {
public:
  /// Positions outside of the box are moved into it by whole boxes.
  fluid(const sycl::queue& queue, const std::vector<vector>& positions, const std::vector<vector>& velocities,
        const settings& how);

  void run(std::size_t steps, const thermostat& with = {});
  measurement measure();

  std::size_t size() const { return m_n; }
  std::vector<vector> positions();
  std::vector<vector> velocities();
  std::vector<vector> forces();

private:
  void move();
  void find_forces(float kick);
  void collide(const thermostat& with);
  void rescale(double temperature);
  void refuse_overlaps();

  sycl::queue m_queue;
  settings m_how;
  std::size_t m_n, m_step = 0;
  sycl::buffer<vector> m_positions, m_velocities, m_forces;
  sycl::buffer<energy> m_energies;
  cell_list m_cells;
};

} // namespace chemistry
