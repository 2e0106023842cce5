// The heat equation and the wave equation on a grid in two dimensions, on every device, in float or double.
//
//   physics::heat<float> plate(queue, {rows, columns, spacing}, values, diffusivity, time_step);
//   plate.step(1000);
//   std::vector<float> after = plate.values();
//
// Both use the Laplacian of five points and explicit steps of second order in space: heat one forward step in
// time, u' = u + r L(u); waves the leapfrog, u' = 2 u - u_before + s^2 L(u), with r = diffusivity dt / h^2
// and s = speed dt / h. Such steps are stable up to r = 1/4 and s = 1/sqrt(2) (Courant, Friedrichs & Lewy,
// Math. Ann. 100, 1928; Strikwerda, "Finite difference schemes and partial differential equations", 2004); a
// larger time step is refused. A step is one kernel. step() copies nothing to the host and returns before the
// work is complete. Errors: std::invalid_argument for wrong input, with the largest time step where it is too
// large; sycl::exception (feature_not_supported) for double on a device without it. An object belongs to one
// thread.
#pragma once

#include "samples/physics/real.hpp"

#include <vector>

namespace physics {

/// fixed: points at the edges keep their value. periodic: each edge is the neighbour of the opposite one.
enum class edges { fixed, periodic };

struct grid {
  std::size_t rows = 0, columns = 0; // at least 3 each
  double spacing = 1;                // h, the distance of neighbours in both directions
  edges border = edges::fixed;
};

/// h^2 / (4 diffusivity), and h / (sqrt(2) speed).
double largest_heat_step(const grid& points, double diffusivity);
double largest_wave_step(const grid& points, double speed);

template <typename Real>
class heat {
public:
  heat(sycl::queue queue, const grid& points, const std::vector<Real>& values, double diffusivity,
       double time_step);
  void step(std::size_t steps = 1);
  /// Rows of columns. Waits for the work.
  std::vector<Real> values() const;

private:
  grid m_grid;
  Real m_rate; // r
  sycl::queue m_queue;
  mutable sycl::buffer<Real> m_now; // mutable, because SYCL reads through a buffer that is not const
  sycl::buffer<Real> m_next;
};

template <typename Real>
class wave {
public:
  wave(sycl::queue queue, const grid& points, const std::vector<Real>& displacement,
       const std::vector<Real>& velocity, double speed, double time_step);
  void step(std::size_t steps = 1);
  std::vector<Real> values() const;
  /// sum h^2 ((u - u_before) / dt)^2 / 2 + speed^2 sum D(u) D(u_before) / 2 over the differences D of
  /// neighbours. The leapfrog conserves it exactly.
  double energy() const;

private:
  grid m_grid;
  double m_speed, m_time_step;
  Real m_rate; // s^2
  sycl::queue m_queue;
  mutable sycl::buffer<Real> m_now, m_before;
};

extern template class heat<float>;
extern template class heat<double>;
extern template class wave<float>;
extern template class wave<double>;

} // namespace physics
