#include "samples/chemistry/cells.hpp"

#include <algorithm>
#include <cmath>

namespace chemistry {
namespace {

constexpr std::size_t lanes = 8; // pairs at once: a vector of floats on processors

/// Cells of the cut-off's length or more; 1 where 27 of them would meet a neighbour twice. Slightly longer
/// ones, because a position next to a border may be rounded into the next cell.
std::uint32_t cells_along(double box, double cutoff) {
  const double fit = std::floor(box / (cutoff * 1.0001));
  return fit < 3 ? 1 : std::uint32_t(std::min(fit, 1024.0)); // their number fits 32 bits
}
std::size_t all_cells(std::uint32_t edge) { return std::size_t(edge) * edge * edge; }

/// The difference of two coordinates in the box to the nearest image.
inline float nearest(float difference, float box) {
  const float half = 0.5f * box;
  return difference > half ? difference - box : difference < -half ? difference + box : difference;
}

/// Sums over the pairs of one particle, in `lanes` independent parts.
struct pair_sums {
  float x[lanes] = {}, y[lanes] = {}, z[lanes] = {}, potential[lanes] = {}, virial[lanes] = {};
  static float total(const float* part) {
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
  }
};

struct lennard_jones {
  float box, cutoff_square, shift;
  lennard_jones(float box_, float cutoff) : box(box_), cutoff_square(cutoff * cutoff) {
    const float r6 = 1 / (cutoff_square * cutoff_square * cutoff_square);
    shift = 4 * r6 * (r6 - 1);
  }
  /// Adds the pairs of slot `i` at `here` with the slots first to last - 1.
  template <typename X>
  void add(pair_sums& sums, const X& x, const X& y, const X& z, std::uint32_t i, const vector& here,
           std::uint32_t first, std::uint32_t last) const {
    for (std::uint32_t begin = first; begin < last; begin += lanes) {
      PRISM_UNROLL
      for (std::uint32_t k = 0; k < lanes; ++k) {
        const std::uint32_t j = begin + k < last ? begin + k : i; // a particle is no partner of itself
        const float dx = nearest(here.x - x[j], box), dy = nearest(here.y - y[j], box),
                    dz = nearest(here.z - z[j], box), square = dx * dx + dy * dy + dz * dz;
        const bool counts = j != i && square < cutoff_square;
        // Coincident particles get a huge but finite energy, by which they are found.
        const float r2 = 1 / (square < 1e-4f ? 1e-4f : square), r6 = counts ? r2 * r2 * r2 : 0.0f;
        const float virial = 48 * r6 * (r6 - 0.5f), factor = virial * r2;
        sums.x[k] += factor * dx;
        sums.y[k] += factor * dy;
        sums.z[k] += factor * dz;
        sums.potential[k] += 4 * r6 * (r6 - 1) - (counts ? shift : 0.0f);
        sums.virial[k] += virial;
      }
    }
  }
};

using counter = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device,
                                 sycl::access::address_space::global_space>;

} // namespace

cell_list::cell_list(std::size_t particles, double box, double cutoff)
    : m_n(particles), m_box(float(box)), m_cutoff(float(cutoff)), m_edge(cells_along(box, cutoff)),
      m_counts(sycl::range<1>(all_cells(m_edge) + 1)), m_starts(m_counts.get_range()),
      m_cells(sycl::range<1>(particles)), m_unordered(m_cells.get_range()), m_x(m_cells.get_range()),
      m_y(m_cells.get_range()), m_z(m_cells.get_range()), m_slot_cells(m_cells.get_range()),
      m_particles(m_cells.get_range()) {
  const sycl::host_accessor counts(m_counts, sycl::write_only, sycl::no_init);
  std::fill(counts.begin(), counts.end(), 0u);
}

void cell_list::build(sycl::queue& queue, sycl::buffer<vector>& positions) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor from(positions, h, sycl::read_only);
    const sycl::accessor cells(m_cells, h, sycl::write_only, sycl::no_init);
    const sycl::accessor counts(m_counts, h, sycl::read_write);
    const float scale = float(m_edge) / m_box;
    const int last = int(m_edge) - 1;
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      const vector at = from[i];
      // Limited, because a coordinate may be the box, or no number after a step that was too long.
      const auto along = [=](float coordinate) {
        return std::uint32_t(std::clamp(int(coordinate * scale), 0, last));
      };
      const std::uint32_t edge = std::uint32_t(last) + 1,
                          cell = (along(at.x) * edge + along(at.y)) * edge + along(at.z);
      cells[i] = cell;
      counter(counts[cell]).fetch_add(1);
    });
  });
  prism::primitives::exclusive_scan({queue, m_workspace}, prism::view_of(m_counts), prism::view_of(m_starts));
  queue.submit([&](sycl::handler& h) { // the counts fall to 0 again, for the next time
    const sycl::accessor cells(m_cells, h, sycl::read_only), starts(m_starts, h, sycl::read_only);
    const sycl::accessor counts(m_counts, h, sycl::read_write);
    const sycl::accessor to(m_unordered, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      to[starts[cells[i]] + counter(counts[cells[i]]).fetch_sub(1) - 1] = std::uint32_t(i[0]);
    });
  });
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor unordered(m_unordered, h, sycl::read_only), cells(m_cells, h, sycl::read_only),
        starts(m_starts, h, sycl::read_only);
    const sycl::accessor from(positions, h, sycl::read_only);
    const sycl::accessor x(m_x, h, sycl::write_only, sycl::no_init),
        y(m_y, h, sycl::write_only, sycl::no_init), z(m_z, h, sycl::write_only, sycl::no_init);
    const sycl::accessor slot_cells(m_slot_cells, h, sycl::write_only, sycl::no_init),
        particles(m_particles, h, sycl::write_only, sycl::no_init);
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      const std::uint32_t cell = cells[i], number = std::uint32_t(i[0]), end = starts[cell + 1];
      std::uint32_t slot = starts[cell];
      for (std::uint32_t k = starts[cell]; k < end; ++k) slot += unordered[k] < number ? 1 : 0;
      x[slot] = from[i].x;
      y[slot] = from[i].y;
      z[slot] = from[i].z;
      slot_cells[slot] = cell;
      particles[slot] = number;
    });
  });
}

void cell_list::find_forces(sycl::queue& queue, sycl::buffer<vector>& forces, sycl::buffer<energy>& energies,
                            sycl::buffer<vector>& velocities, float kick) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor x(m_x, h, sycl::read_only), y(m_y, h, sycl::read_only), z(m_z, h, sycl::read_only);
    const sycl::accessor starts(m_starts, h, sycl::read_only), cells(m_slot_cells, h, sycl::read_only),
        particles(m_particles, h, sycl::read_only);
    const sycl::accessor force(forces, h, sycl::write_only, sycl::no_init);
    const sycl::accessor velocity(velocities, h, sycl::read_write);
    const sycl::accessor out(energies, h, sycl::write_only, sycl::no_init);
    const lennard_jones law(m_box, m_cutoff);
    const std::uint32_t edge = m_edge;
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> slot) {
      const std::uint32_t i = std::uint32_t(slot[0]), cell = cells[i];
      const vector here{x[i], y[i], z[i]};
      pair_sums sums;
      const auto add = [&](std::uint32_t first_cell, std::uint32_t last_cell) {
        law.add(sums, x, y, z, i, here, starts[first_cell], starts[last_cell + 1]);
      };
      if (edge == 1) {
        add(0, 0);
      } else {
        const std::uint32_t cz = cell % edge, cy = cell / edge % edge, cx = cell / edge / edge;
        for (std::uint32_t dx = edge - 1; dx <= edge + 1; ++dx)
          for (std::uint32_t dy = edge - 1; dy <= edge + 1; ++dy) { // three cells along z are neighbours
            const std::uint32_t row = ((cx + dx) % edge * edge + (cy + dy) % edge) * edge;
            add(row + (cz == 0 ? 0 : cz - 1), row + (cz + 1 == edge ? cz : cz + 1));
            if (cz == 0) add(row + edge - 1, row + edge - 1);
            if (cz + 1 == edge) add(row, row);
          }
      }
      const vector f{pair_sums::total(sums.x), pair_sums::total(sums.y), pair_sums::total(sums.z)};
      const std::uint32_t particle = particles[i];
      force[particle] = f;
      out[particle] = {0.5f * pair_sums::total(sums.potential), 0.5f * pair_sums::total(sums.virial)};
      const vector v = velocity[particle];
      velocity[particle] = {v.x + kick * f.x, v.y + kick * f.y, v.z + kick * f.z};
    });
  });
}

} // namespace chemistry
