// Gravitational n-body simulation on every device, in float or double.
//
//   physics::n_body<float> system(queue, {mass, position, velocity}, {.softening = 0.01});
//   system.step(1e-3, 1000);
//   const physics::energies after = system.energy();
//
// The force is Plummer's softened one: a_i = G sum_j m_j d_ij / (|d_ij|^2 + softening^2)^(3/2). Bodies at the
// same position exert no force on each other. Time advances by the leapfrog in the form kick, drift, kick,
// which is symplectic and of second order (Hairer, Lubich & Wanner, "Geometric numerical integration", 2006).
// All state stays on the device; step() copies nothing to the host and returns before the work is complete.
//
// method::direct computes all n^2 attractions, in tiles of local memory (Nyland, Harris & Prins, "Fast n-body
// simulation with CUDA", GPU Gems 3, 2007). method::barnes_hut replaces distant bodies by their centre of
// mass (Barnes & Hut, Nature 324, 1986): tree.hpp. Errors: std::invalid_argument for wrong input;
// sycl::exception (feature_not_supported) for double on a device without it. An object belongs to one thread.
#pragma once

#include "samples/physics/real.hpp"

#include <array>
#include <memory>
#include <vector>

namespace physics {

/// n masses, n times x, y, z of positions, and the same of velocities.
template <typename Real>
struct bodies {
  std::vector<Real> mass, position, velocity;
};

enum class method { direct, barnes_hut };

struct gravity {
  double constant = 1;  // G
  double softening = 0; // a length, at least 0
  method by = method::direct;
  double theta = 0.5; // 0 to 1; barnes_hut opens a node whose radius is at least theta times its distance
};

struct energies {
  double kinetic = 0, potential = 0;
  double total() const { return kinetic + potential; }
};

/// x, y, z and the mass; or the acceleration and the potential.
template <typename Real>
using vector4 = sycl::vec<Real, 4>;

/// Adds the attraction by `mass` at the displacement (x, y, z). `sum` is the acceleration and the potential,
/// both without G.
template <typename Real>
inline void attract(Real x, Real y, Real z, Real mass, Real softening2, Real (&sum)[4]) {
  const Real distance2 = x * x + y * y + z * z;
  const Real inverse = distance2 > Real(0) ? Real(1) / sycl::sqrt(distance2 + softening2) : Real(0);
  const Real potential = mass * inverse, force = potential * inverse * inverse;
  sum[0] += force * x;
  sum[1] += force * y;
  sum[2] += force * z;
  sum[3] -= potential;
}

/// to[i] = the acceleration and the potential at from[i]. Submits one kernel.
template <typename Real>
void attract_directly(sycl::queue& queue, sycl::buffer<vector4<Real>> from, sycl::buffer<vector4<Real>> to,
                      const gravity& law);

template <typename Real>
class tree;

template <typename Real>
class n_body {
public:
  n_body(sycl::queue queue, const bodies<Real>& start, const gravity& law);
  ~n_body();
  n_body(n_body&&) noexcept;

  std::size_t size() const { return m_count; }
  void step(double time_step, std::size_t steps = 1);
  /// Of the present positions. Waits for the work. The potential is that of the method; sums are in double.
  energies energy() const;
  std::array<double, 3> momentum() const;
  bodies<Real> read() const;
  std::vector<Real> accelerations() const; // x, y, z of each body

private:
  void accelerate();

  std::size_t m_count;
  gravity m_law;
  sycl::queue m_queue;
  // Mutable, because SYCL reads through a buffer that is not const. The velocity's last element is unused.
  mutable sycl::buffer<vector4<Real>> m_position, m_velocity, m_acceleration;
  std::unique_ptr<tree<Real>> m_tree; // of barnes_hut
};

extern template class n_body<float>;
extern template class n_body<double>;

} // namespace physics
