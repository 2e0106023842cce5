// Steps of the heat and wave equations: both are one stencil with other weights.
#include "samples/physics/grid.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace physics {
namespace {

struct weights {
  double now, other, laplacian;
};

/// other = now * weights.now + other * weights.other + L(now) * weights.laplacian; fixed edges: other = now.
template <typename Real>
void apply(sycl::queue& queue, const grid& points, sycl::buffer<Real> from, sycl::buffer<Real> to,
           const weights& by) {
  const Real of_now = Real(by.now), of_other = Real(by.other), of_laplacian = Real(by.laplacian);
  const bool is_fixed = points.border == edges::fixed;
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor now(from, h, sycl::read_only);
    const sycl::accessor other(to, h, sycl::read_write);
    const std::size_t rows = points.rows, columns = points.columns;
    h.parallel_for(sycl::range<2>(rows, columns), [=](sycl::id<2> at) {
      const std::size_t i = at[0], j = at[1], here = i * columns + j;
      const bool first_row = i == 0, last_row = i + 1 == rows, first = j == 0, last = j + 1 == columns;
      const Real u = now[here];
      if (is_fixed && (first_row || last_row || first || last)) {
        other[here] = u;
        return;
      }
      const Real above = now[first_row ? (rows - 1) * columns + j : here - columns],
                 below = now[last_row ? j : here + columns],
                 left = now[first ? here + columns - 1 : here - 1],
                 right = now[last ? here + 1 - columns : here + 1];
      other[here] = of_now * u + of_other * other[here] +
                    of_laplacian * ((above - u) + (below - u) + (left - u) + (right - u));
    });
  });
}

std::string text_of(double value) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", value);
  return out;
}

void require_positive(const char* who, const char* what, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument(std::string(who) + ": the " + what + " is " + text_of(value) +
                                "; it must be positive");
}

template <typename Real>
void require_values(const char* who, const char* what, const grid& points, const std::vector<Real>& values) {
  if (points.rows < 3 || points.columns < 3 || points.rows > std::size_t(1) << 20 ||
      points.columns > std::size_t(1) << 20)
    throw std::invalid_argument(std::string(who) + ": a grid of " + std::to_string(points.rows) + " x " +
                                std::to_string(points.columns) + "; it needs 3 to 2^20 rows and columns");
  if (values.size() != points.rows * points.columns)
    throw std::invalid_argument(std::string(who) + ": " + what + " has " + std::to_string(values.size()) +
                                " numbers for " + std::to_string(points.rows) + " x " +
                                std::to_string(points.columns) + " points");
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw std::invalid_argument(std::string(who) + ": number " + std::to_string(i) + " of " + what +
                                  " is not finite");
}

/// The limit itself is allowed, also when the division that computed it was rounded.
void require_stable(const char* who, double time_step, double largest) {
  require_positive(who, "time step", time_step);
  if (time_step > largest * (1 + 1e-12))
    throw std::invalid_argument(std::string(who) + ": a time step of " + text_of(time_step) +
                                " is unstable; the largest stable one is " + text_of(largest));
}

template <typename Real>
sycl::buffer<Real> buffer_of(const std::vector<Real>& values) {
  sycl::buffer<Real> out{sycl::range<1>(values.size())};
  const sycl::host_accessor to(out, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
  return out;
}

template <typename Real>
std::vector<Real> values_of(sycl::buffer<Real>& from) {
  const sycl::host_accessor in(from, sycl::read_only);
  return std::vector<Real>(in.begin(), in.end());
}

template <typename Real>
double checked_heat_rate(const grid& points, const std::vector<Real>& values, double diffusivity,
                         double time_step) {
  require_values("heat", "the values", points, values);
  require_positive("heat", "spacing", points.spacing);
  require_positive("heat", "diffusivity", diffusivity);
  require_stable("heat", time_step, largest_heat_step(points, diffusivity));
  return diffusivity * time_step / (points.spacing * points.spacing);
}

template <typename Real>
double checked_wave_rate(const grid& points, const std::vector<Real>& displacement,
                         const std::vector<Real>& velocity, double speed, double time_step) {
  require_values("wave", "the displacement", points, displacement);
  require_values("wave", "the velocity", points, velocity);
  require_positive("wave", "spacing", points.spacing);
  require_positive("wave", "speed", speed);
  require_stable("wave", time_step, largest_wave_step(points, speed));
  const double courant = speed * time_step / points.spacing;
  return courant * courant;
}

} // namespace

double largest_heat_step(const grid& points, double diffusivity) {
  return points.spacing * points.spacing / (4 * diffusivity);
}
double largest_wave_step(const grid& points, double speed) {
  return points.spacing / (std::sqrt(2.0) * speed);
}

template <typename Real>
heat<Real>::heat(sycl::queue queue, const grid& points, const std::vector<Real>& values, double diffusivity,
                 double time_step)
    : m_grid(points), m_rate(Real(checked_heat_rate(points, values, diffusivity, time_step))),
      m_queue(std::move(queue)), m_now(buffer_of(values)), m_next(buffer_of(values)) {
  require_real<Real>(m_queue);
}

template <typename Real>
void heat<Real>::step(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    apply(m_queue, m_grid, m_now, m_next, {1, 0, m_rate});
    std::swap(m_now, m_next);
  }
}

template <typename Real>
std::vector<Real> heat<Real>::values() const {
  return values_of(m_now);
}

/// The step before the first one is taken backwards: u_before = u - dt v + s^2 L(u) / 2.
template <typename Real>
wave<Real>::wave(sycl::queue queue, const grid& points, const std::vector<Real>& displacement,
                 const std::vector<Real>& velocity, double speed, double time_step)
    : m_grid(points), m_speed(speed), m_time_step(time_step),
      m_rate(Real(checked_wave_rate(points, displacement, velocity, speed, time_step))),
      m_queue(std::move(queue)), m_now(buffer_of(displacement)), m_before(buffer_of(velocity)) {
  require_real<Real>(m_queue);
  apply(m_queue, m_grid, m_now, m_before, {1, -time_step, 0.5 * double(m_rate)});
}

template <typename Real>
void wave<Real>::step(std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    apply(m_queue, m_grid, m_now, m_before, {2, -1, m_rate});
    std::swap(m_now, m_before);
  }
}

template <typename Real>
std::vector<Real> wave<Real>::values() const {
  return values_of(m_now);
}

template <typename Real>
double wave<Real>::energy() const {
  const std::vector<Real> now = values_of(m_now), before = values_of(m_before);
  const std::size_t rows = m_grid.rows, columns = m_grid.columns;
  const bool wraps = m_grid.border == edges::periodic;
  double moving = 0, strained = 0;
  const auto link = [&](std::size_t a, std::size_t b) {
    strained += (double(now[a]) - double(now[b])) * (double(before[a]) - double(before[b]));
  };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t here = i * columns + j;
      const double rate = (double(now[here]) - double(before[here])) / m_time_step;
      moving += rate * rate;
      if (wraps || j + 1 < columns) link(here, i * columns + (j + 1) % columns);
      if (wraps || i + 1 < rows) link(here, (i + 1) % rows * columns + j);
    }
  return 0.5 * (moving * m_grid.spacing * m_grid.spacing + m_speed * m_speed * strained);
}

template class heat<float>;
template class heat<double>;
template class wave<float>;
template class wave<double>;

} // namespace physics
