// What prism.chemistry calls by ctypes (samples/for_python.hpp). Objects belong to the caller, who destroys
// them.
#include "samples/chemistry/fluid.hpp"
#include "samples/chemistry/radial.hpp"
#include "samples/chemistry/start.hpp"
#include "samples/for_python.hpp"

#include <prism/scope.hpp>

#include <algorithm>

namespace chemistry {
namespace {

sycl::queue named_queue(const char* device) { return for_python::queue_of(prism::by_name(device).device()); }

struct distribution {
  radial_distribution counts;
  sycl::queue queue;
};

} // namespace
} // namespace chemistry

using namespace chemistry;
using for_python::copied, for_python::give, for_python::guarded;

#define PRISM_CHEMISTRY extern "C" __attribute__((visibility("default")))

PRISM_CHEMISTRY int prism_chemistry_lattice(std::size_t count, double density, double* box, float* positions,
                                            char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    *box = box_of(count, density);
    give(positions, lattice(count, *box));
  });
}

/// Without velocities they are Maxwell's of the temperature.
PRISM_CHEMISTRY int prism_chemistry_fluid(const char* device, std::size_t count, const float* positions,
                                          const float* velocities, double temperature, double box,
                                          double cutoff, double time_step, std::uint64_t seed, void** out,
                                          char* message, std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const auto given = velocities == nullptr ? maxwell_velocities(count, temperature, seed)
                                             : copied<vector>(velocities, count);
    *out = new fluid(named_queue(device), copied<vector>(positions, count), given,
                     {box, cutoff, time_step, seed});
  });
}
PRISM_CHEMISTRY void prism_chemistry_fluid_destroy(void* which) { delete static_cast<fluid*>(which); }

/// `method`: 0 without a thermostat, 1 rescaling, 2 Andersen's.
PRISM_CHEMISTRY int prism_chemistry_run(void* which, std::size_t steps, int method, double temperature,
                                        std::size_t period, double collisions, char* message,
                                        std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    static_cast<fluid*>(which)->run(
        steps, {static_cast<thermostat::method>(method), temperature, period, collisions});
  });
}

/// Writes 9 numbers: step, time, kinetic, potential, temperature, pressure and the momentum.
PRISM_CHEMISTRY int prism_chemistry_measure(void* which, double* values, char* message,
                                            std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const measurement m = static_cast<fluid*>(which)->measure();
    const double all[] = {double(m.step), m.time,       m.kinetic,    m.potential, m.temperature,
                          m.pressure,     m.momentum.x, m.momentum.y, m.momentum.z};
    std::copy(std::begin(all), std::end(all), values);
  });
}

/// `what`: 0 positions, 1 velocities, 2 forces.
PRISM_CHEMISTRY int prism_chemistry_read(void* which, int what, float* values, char* message,
                                         std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    auto& from = *static_cast<fluid*>(which);
    give(values, what == 0 ? from.positions() : what == 1 ? from.velocities() : from.forces());
  });
}

/// A reach of 0 is half a box.
PRISM_CHEMISTRY int prism_chemistry_distribution(const char* device, double box, std::size_t bins,
                                                 double reach, void** out, char* message,
                                                 std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    *out = new distribution{{box, bins, reach == 0 ? 0.5 * box : reach}, named_queue(device)};
  });
}
PRISM_CHEMISTRY void prism_chemistry_distribution_destroy(void* which) {
  delete static_cast<distribution*>(which);
}
PRISM_CHEMISTRY int prism_chemistry_add(void* which, std::size_t count, const float* positions, char* message,
                                        std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    auto& to = *static_cast<distribution*>(which);
    to.counts.add(to.queue, copied<vector>(positions, count));
  });
}
PRISM_CHEMISTRY int prism_chemistry_values(void* which, double* distances, double* values, char* message,
                                           std::size_t capacity) {
  return guarded({message, capacity}, [&] {
    const radial_distribution& from = static_cast<distribution*>(which)->counts;
    const std::vector<double> all = from.values();
    for (std::size_t k = 0; k < all.size(); ++k) {
      distances[k] = (double(k) + 0.5) * from.width();
      values[k] = all[k];
    }
  });
}
