#include "samples/chemistry/fluid.hpp"

#include "samples/chemistry/start.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace chemistry {
namespace {

constexpr double least_distance = 0.5; // the energy of a closer pair is above 16,000
constexpr double longest_move = 0.2;   // of a particle in a step; 0.004 at a temperature of 1 is usual

template <typename... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw std::invalid_argument(text.str());
}

bool is_finite(const vector& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// The number of particles, if they and the settings can be simulated.
std::size_t checked(const std::vector<vector>& positions, const std::vector<vector>& velocities,
                    const settings& how) {
  const std::size_t n = positions.size();
  if (n < 2) refuse("a fluid has at least 2 particles, not ", n);
  if (n > std::numeric_limits<std::int32_t>::max()) refuse("a fluid of ", n, " particles is too large");
  if (velocities.size() != n) refuse(n, " particles were given ", velocities.size(), " velocities");
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (!positive(how.cutoff)) refuse("a cut-off is a positive number, not ", how.cutoff);
  if (!positive(how.time_step)) refuse("a time step is a positive number, not ", how.time_step);
  if (!positive(how.box)) refuse("the length of a box is a positive number, not ", how.box);
  if (how.box < 2 * how.cutoff)
    refuse("a box of ", how.box, " is shorter than two cut-offs of ", how.cutoff,
           ": a particle would meet two images of another one. Use a larger box or a shorter cut-off");
  for (std::size_t i = 0; i < n; ++i) {
    if (!is_finite(positions[i])) refuse("the position of particle ", i, " is no number");
    if (!is_finite(velocities[i])) refuse("the velocity of particle ", i, " is no number");
  }
  return n;
}

std::vector<vector> within(std::vector<vector> positions, double box) {
  const auto move = [=](float& c) { c = float(c - box * std::floor(c / box)); };
  for (vector& p : positions) move(p.x), move(p.y), move(p.z);
  return positions;
}

template <typename T>
sycl::buffer<T> filled(const std::vector<T>& values) {
  sycl::buffer<T> out{sycl::range<1>(values.size())};
  const sycl::host_accessor to(out, sycl::write_only, sycl::no_init);
  std::copy(values.begin(), values.end(), to.begin());
  return out;
}

std::vector<vector> read(sycl::buffer<vector>& from) {
  const sycl::host_accessor values(from, sycl::read_only);
  return {values.begin(), values.end()};
}

/// The sums of the velocities in double: momentum, kinetic energy, and that about the common motion.
struct motion {
  double momentum[3] = {}, kinetic = 0, inner = 0;
  explicit motion(sycl::buffer<vector>& velocities) {
    const sycl::host_accessor all(velocities, sycl::read_only);
    for (const vector& v : all) {
      const double x = v.x, y = v.y, z = v.z;
      momentum[0] += x, momentum[1] += y, momentum[2] += z;
      kinetic += 0.5 * (x * x + y * y + z * z);
    }
    inner = kinetic;
    for (const double p : momentum) inner -= 0.5 * p * p / double(all.size());
  }
};
double temperature_of(const motion& m, std::size_t n) { return m.inner / (1.5 * double(n - 1)); }

} // namespace

fluid::fluid(const sycl::queue& queue, const std::vector<vector>& positions,
             const std::vector<vector>& velocities, const settings& how)
    : m_queue(queue), m_how(how), m_n(checked(positions, velocities, how)),
      m_positions(filled(within(positions, how.box))), m_velocities(filled(velocities)),
      m_forces(sycl::range<1>(m_n)), m_energies(sycl::range<1>(m_n)), m_cells(m_n, how.box, how.cutoff) {
  find_forces(0);
  refuse_overlaps();
}

void fluid::refuse_overlaps() {
  // Half of a pair's energy, less what some tens of other neighbours can take away.
  const double limit = 0.25 * 4 * (std::pow(least_distance, -12) - std::pow(least_distance, -6));
  const sycl::host_accessor energies(m_energies, sycl::read_only);
  for (std::size_t i = 0; i < m_n; ++i) {
    if (energies[i].potential < limit) continue;
    const std::vector<vector> all = positions();
    const auto apart = [&](std::size_t j) {
      const auto along = [&](double d) { return std::remainder(d, m_how.box); };
      return std::hypot(along(all[j].x - all[i].x), along(all[j].y - all[i].y), along(all[j].z - all[i].z));
    };
    for (std::size_t j = 0; j < m_n; ++j)
      if (j != i && apart(j) < least_distance)
        refuse("particles ", std::min(i, j), " and ", std::max(i, j), " overlap: they are ", apart(j),
               " apart, and their energy would drive them out of any time step. Particles start at least ",
               least_distance, " apart, as on a lattice");
  }
}

void fluid::move() {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(m_positions, h, sycl::read_write),
        velocity(m_velocities, h, sycl::read_write);
    const sycl::accessor force(m_forces, h, sycl::read_only);
    const float step = float(m_how.time_step), half = 0.5f * step, box = float(m_how.box);
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      const vector f = force[i], p = position[i];
      vector v = velocity[i];
      v = {v.x + half * f.x, v.y + half * f.y, v.z + half * f.z};
      velocity[i] = v;
      const auto moved = [=](float from, float speed) {
        const float to = from + step * speed;
        return to - box * std::floor(to / box);
      };
      position[i] = {moved(p.x, v.x), moved(p.y, v.y), moved(p.z, v.z)};
    });
  });
}

void fluid::find_forces(float kick) {
  m_cells.build(m_queue, m_positions);
  m_cells.find_forces(m_queue, m_forces, m_energies, m_velocities, kick);
}

void fluid::collide(const thermostat& with) {
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor velocity(m_velocities, h, sycl::read_write);
    const std::uint64_t step = m_step, seed = m_how.seed;
    const float speed = float(std::sqrt(with.temperature));
    const auto below = std::uint32_t(std::min(with.collisions * m_how.time_step, 1.0) * 4294967295.0);
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      // A block has the step and particle as its number: no state, and the same numbers on every device.
      const std::uint64_t high = step << 1, low = i[0];
      if (prism::random::philox(low, high | 1, seed).word[0] <= below)
        velocity[i] = random_velocity(prism::random::philox(low, high, seed), speed);
    });
  });
}

void fluid::rescale(double temperature) {
  const double now = temperature_of(motion(m_velocities), m_n);
  if (!(now > 0)) return; // particles at rest have no velocity to multiply
  const float factor = float(std::sqrt(temperature / now));
  m_queue.submit([&](sycl::handler& h) {
    const sycl::accessor velocity(m_velocities, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(m_n), [=](sycl::id<1> i) {
      const vector v = velocity[i];
      velocity[i] = {factor * v.x, factor * v.y, factor * v.z};
    });
  });
}

void fluid::run(std::size_t steps, const thermostat& with) {
  using method = thermostat::method;
  if (with.how != method::none && !(std::isfinite(with.temperature) && with.temperature > 0))
    refuse("a thermostat has a positive temperature, not ", with.temperature);
  if (with.how == method::rescaling && with.period == 0)
    refuse("velocities are rescaled every 1 or more steps");
  if (with.how == method::andersen && !(std::isfinite(with.collisions) && with.collisions > 0))
    refuse("a particle has a positive number of collisions in a unit of time, not ", with.collisions);
  for (std::size_t k = 0; k < steps; ++k) {
    move();
    find_forces(float(0.5 * m_how.time_step));
    ++m_step;
    if (with.how == method::andersen) collide(with);
    else if (with.how == method::rescaling && m_step % with.period == 0) rescale(with.temperature);
  }
  m_queue.wait_and_throw();
}

measurement fluid::measure() {
  const motion all(m_velocities);
  double potential = 0, virial = 0;
  const sycl::host_accessor energies(m_energies, sycl::read_only);
  for (const energy& e : energies) potential += e.potential, virial += e.virial;
  measurement out;
  out.step = m_step;
  out.time = double(m_step) * m_how.time_step;
  out.kinetic = all.kinetic;
  out.potential = potential;
  out.temperature = temperature_of(all, m_n);
  // Particles that pass through each other in a step have no energy that means anything.
  if (const double moved = std::sqrt(out.temperature) * m_how.time_step; !(moved < longest_move)) {
    std::ostringstream text;
    text << "after step " << m_step << " particles move by " << moved << " in a step: a time step of "
         << m_how.time_step << " is too long here. Start again with a shorter one, or with less energy";
    throw std::runtime_error(text.str());
  }
  out.pressure = (double(m_n) * out.temperature + virial / 3) / std::pow(m_how.box, 3);
  out.momentum = {float(all.momentum[0]), float(all.momentum[1]), float(all.momentum[2])};
  return out;
}

std::vector<vector> fluid::positions() { return read(m_positions); }
std::vector<vector> fluid::velocities() { return read(m_velocities); }
std::vector<vector> fluid::forces() { return read(m_forces); }

} // namespace chemistry
