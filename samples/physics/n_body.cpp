// The state of an n-body simulation and its steps in time.
#include "samples/physics/gravity.hpp"
#include "samples/physics/tree.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace physics {
namespace {

template <typename Real>
void require_numbers(const char* what, const std::vector<Real>& values, std::size_t count) {
  if (values.size() != count)
    throw std::invalid_argument(std::string("n_body: ") + what + " has " + std::to_string(values.size()) +
                                " numbers instead of " + std::to_string(count));
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      throw std::invalid_argument(std::string("n_body: number ") + std::to_string(i) + " of " + what +
                                  " is not finite");
}

template <typename Real>
void require_input(const bodies<Real>& start, const gravity& law) {
  const std::size_t n = start.mass.size();
  if (n == 0 || n > std::size_t(1) << 30)
    throw std::invalid_argument("n_body: " + std::to_string(n) + " bodies; there must be 1 to 2^30");
  require_numbers("mass", start.mass, n);
  require_numbers("position", start.position, 3 * n);
  require_numbers("velocity", start.velocity, 3 * n);
  for (std::size_t i = 0; i < n; ++i)
    if (start.mass[i] < 0)
      throw std::invalid_argument("n_body: the mass of body " + std::to_string(i) + " is negative");
  if (!std::isfinite(law.constant)) throw std::invalid_argument("n_body: the constant G is not finite");
  if (!(law.softening >= 0) || !std::isfinite(law.softening))
    throw std::invalid_argument("n_body: the softening is a length of at least 0");
  if (!(law.theta >= 0 && law.theta <= 1)) throw std::invalid_argument("n_body: theta is between 0 and 1");
}

template <typename Real>
void fill(sycl::buffer<vector4<Real>> to, const std::vector<Real>& xyz, const std::vector<Real>* last) {
  const sycl::host_accessor out(to, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < to.size(); ++i)
    out[i] =
        vector4<Real>(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2], last != nullptr ? (*last)[i] : Real(0));
}

template <typename Real>
std::vector<Real> first_three(sycl::buffer<vector4<Real>> from) {
  std::vector<Real> out;
  out.reserve(3 * from.size());
  const sycl::host_accessor in(from, sycl::read_only);
  for (std::size_t i = 0; i < from.size(); ++i) out.insert(out.end(), {in[i].x(), in[i].y(), in[i].z()});
  return out;
}

/// velocity += kick * acceleration; position += drift * velocity.
template <typename Real>
void move(sycl::queue& queue, sycl::buffer<vector4<Real>> positions, sycl::buffer<vector4<Real>> velocities,
          sycl::buffer<vector4<Real>> accelerations, Real kick, Real drift) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor position(positions, h, sycl::read_write);
    const sycl::accessor velocity(velocities, h, sycl::read_write);
    const sycl::accessor acceleration(accelerations, h, sycl::read_only);
    h.parallel_for(sycl::range<1>(positions.size()), [=](sycl::id<1> i) {
      vector4<Real> v = velocity[i] + kick * acceleration[i];
      v.w() = 0; // where accelerations have the potential, and positions the mass
      velocity[i] = v;
      position[i] = position[i] + drift * v;
    });
  });
}

} // namespace

template <typename Real>
n_body<Real>::n_body(sycl::queue queue, const bodies<Real>& start, const gravity& law)
    : m_count((require_input(start, law), start.mass.size())), m_law(law), m_queue(std::move(queue)),
      m_position(sycl::range<1>(m_count)), m_velocity(sycl::range<1>(m_count)),
      m_acceleration(sycl::range<1>(m_count)) {
  require_real<Real>(m_queue);
  fill(m_position, start.position, &start.mass);
  fill<Real>(m_velocity, start.velocity, nullptr);
  if (law.by == method::barnes_hut) m_tree = std::make_unique<tree<Real>>(m_queue, m_count);
  accelerate();
}
template <typename Real>
n_body<Real>::~n_body() = default;
template <typename Real>
n_body<Real>::n_body(n_body&&) noexcept = default;

template <typename Real>
void n_body<Real>::accelerate() {
  if (m_tree != nullptr) m_tree->attract(m_position, m_acceleration, m_law);
  else attract_directly(m_queue, m_position, m_acceleration, m_law);
}

template <typename Real>
void n_body<Real>::step(double time_step, std::size_t steps) {
  if (!std::isfinite(time_step)) throw std::invalid_argument("n_body: the time step is not finite");
  for (std::size_t i = 0; i < steps; ++i) {
    move(m_queue, m_position, m_velocity, m_acceleration, Real(time_step / 2), Real(time_step));
    accelerate();
    move(m_queue, m_position, m_velocity, m_acceleration, Real(time_step / 2), Real(0));
  }
}

template <typename Real>
energies n_body<Real>::energy() const {
  const sycl::host_accessor position(m_position, sycl::read_only), velocity(m_velocity, sycl::read_only),
      acceleration(m_acceleration, sycl::read_only);
  energies sum;
  for (std::size_t i = 0; i < m_count; ++i) {
    const double mass = position[i].w();
    for (int k = 0; k < 3; ++k) sum.kinetic += 0.5 * mass * double(velocity[i][k]) * double(velocity[i][k]);
    sum.potential += 0.5 * mass * double(acceleration[i].w()); // each pair is in two bodies' potentials
  }
  return sum;
}

template <typename Real>
std::array<double, 3> n_body<Real>::momentum() const {
  const sycl::host_accessor position(m_position, sycl::read_only), velocity(m_velocity, sycl::read_only);
  std::array<double, 3> sum{};
  for (std::size_t i = 0; i < m_count; ++i)
    for (int k = 0; k < 3; ++k) sum[std::size_t(k)] += double(position[i].w()) * double(velocity[i][k]);
  return sum;
}

template <typename Real>
bodies<Real> n_body<Real>::read() const {
  bodies<Real> out{{}, first_three(m_position), first_three(m_velocity)};
  const sycl::host_accessor position(m_position, sycl::read_only);
  for (std::size_t i = 0; i < m_count; ++i) out.mass.push_back(position[i].w());
  return out;
}

template <typename Real>
std::vector<Real> n_body<Real>::accelerations() const {
  return first_three(m_acceleration);
}

template class n_body<float>;
template class n_body<double>;

} // namespace physics
