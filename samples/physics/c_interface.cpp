// What prism.physics calls by ctypes (samples/for_python.hpp). Simulations run on the thread's default
// device. They belong to the caller, who destroys them.
#include "samples/for_python.hpp"
#include "samples/physics/gravity.hpp"
#include "samples/physics/grid.hpp"

#include <stdexcept>

namespace physics {
namespace {

using for_python::copied, for_python::give;

sycl::queue default_queue() { return for_python::queue_of(sycl::device()); }

/// A simulation of any kind and type. `read` writes what `what` names; energies are kinetic and potential.
struct simulation {
  virtual ~simulation() = default;
  virtual void step(double time_step, std::size_t steps) = 0;
  virtual void read(int what, void* to) = 0;
  virtual void energy(double* to) = 0;
};

template <typename Real>
struct system final : simulation {
  sycl::queue queue = default_queue();
  n_body<Real> of;
  system(const bodies<Real>& start, const gravity& law) : of(queue, start, law) { queue.wait_and_throw(); }
  void step(double time_step, std::size_t steps) override {
    of.step(time_step, steps);
    queue.wait_and_throw();
  }
  void read(int what, void* to) override {
    if (what == 2) return give(to, of.accelerations());
    const bodies<Real> all = of.read();
    give(to, what == 0 ? all.position : all.velocity);
  }
  void energy(double* to) override {
    const energies all = of.energy();
    to[0] = all.kinetic, to[1] = all.potential;
  }
};

template <typename Equation, typename Real>
struct field final : simulation {
  sycl::queue queue = default_queue();
  Equation of;
  template <typename... Given>
  explicit field(const Given&... given) : of(queue, given...) {
    queue.wait_and_throw();
  }
  void step(double, std::size_t steps) override {
    of.step(steps);
    queue.wait_and_throw();
  }
  void read(int, void* to) override { give(to, of.values()); }
  void energy(double* to) override {
    if constexpr (std::is_same_v<Equation, wave<Real>>) *to = of.energy();
    else throw std::invalid_argument("heat: it has no energy");
  }
};

template <typename Body>
void with_type(int is_double, const Body& body) {
  if (is_double != 0) body(double{});
  else body(float{});
}

grid grid_of(std::size_t rows, std::size_t columns, double spacing, int is_periodic) {
  return {rows, columns, spacing, is_periodic != 0 ? edges::periodic : edges::fixed};
}

} // namespace
} // namespace physics

using namespace physics;
using for_python::copied, for_python::guarded;

#define PRISM_PHYSICS extern "C" __attribute__((visibility("default")))

/// theta < 0: all attractions are computed directly.
PRISM_PHYSICS int prism_physics_bodies(int is_double, std::size_t count, const void* mass,
                                       const void* position, const void* velocity, double constant,
                                       double softening, double theta, void** out, char* message,
                                       std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const gravity law = theta < 0 ? gravity{constant, softening, method::direct, 0}
                                  : gravity{constant, softening, method::barnes_hut, theta};
    with_type(is_double, [&](auto number) {
      using Real = decltype(number);
      *out = static_cast<simulation*>(new physics::system<Real>(
          {copied<Real>(mass, count), copied<Real>(position, 3 * count), copied<Real>(velocity, 3 * count)},
          law));
    });
  });
}

PRISM_PHYSICS int prism_physics_heat(int is_double, std::size_t rows, std::size_t columns, double spacing,
                                     int is_periodic, const void* values, double diffusivity,
                                     double time_step, void** out, char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    with_type(is_double, [&](auto number) {
      using Real = decltype(number);
      *out = static_cast<simulation*>(
          new field<heat<Real>, Real>(grid_of(rows, columns, spacing, is_periodic),
                                      copied<Real>(values, rows * columns), diffusivity, time_step));
    });
  });
}

PRISM_PHYSICS int prism_physics_wave(int is_double, std::size_t rows, std::size_t columns, double spacing,
                                     int is_periodic, const void* displacement, const void* velocity,
                                     double speed, double time_step, void** out, char* message,
                                     std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    with_type(is_double, [&](auto number) {
      using Real = decltype(number);
      *out = static_cast<simulation*>(new field<wave<Real>, Real>(
          grid_of(rows, columns, spacing, is_periodic), copied<Real>(displacement, rows * columns),
          copied<Real>(velocity, rows * columns), speed, time_step));
    });
  });
}

PRISM_PHYSICS void prism_physics_destroy(void* which) { delete static_cast<simulation*>(which); }

/// Waits for the work. The time step counts for bodies only.
PRISM_PHYSICS int prism_physics_step(void* which, double time_step, std::size_t steps, char* message,
                                     std::size_t capacity) {
  return guarded({message, capacity}, [&] { static_cast<simulation*>(which)->step(time_step, steps); });
}

/// Bodies: 0 positions, 1 velocities, 2 accelerations. Fields: their values.
PRISM_PHYSICS int prism_physics_read(void* which, int what, void* to, char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] { static_cast<simulation*>(which)->read(what, to); });
}

/// Bodies: the kinetic and the potential energy. Waves: one number.
PRISM_PHYSICS int prism_physics_energy(void* which, double* to, char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] { static_cast<simulation*>(which)->energy(to); });
}
