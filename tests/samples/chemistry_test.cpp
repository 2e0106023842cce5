// The Lennard-Jones fluid of samples/chemistry on the device of PRISM_DEVICE_SELECTOR, against a serial
// program in double that tries all pairs, and against the laws of mechanics.
#include "samples/chemistry/fluid.hpp"
#include "samples/chemistry/radial.hpp"
#include "samples/chemistry/start.hpp"

#include "tests/samples/serial_fluid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using chemistry::fluid;
using chemistry::measurement;
using chemistry::settings;
using chemistry::thermostat;
using chemistry::vector;

namespace {

/// A lattice whose particles are up to 0.1 away from their places.
std::vector<vector> disturbed_lattice(std::size_t count, double box) {
  std::vector<vector> out = chemistry::lattice(count, box);
  std::mt19937 words(7);
  const auto any = [&] { return 0.2f * float(words() >> 8) * 0x1p-24f - 0.1f; };
  for (vector& p : out) p = {p.x + any(), p.y + any(), p.z + any()};
  return out;
}

fluid make(std::size_t count, double density, double temperature, double time_step = 0.004,
           double cutoff = 2.5) {
  const double box = chemistry::box_of(count, density);
  return fluid(sycl::queue(), chemistry::lattice(count, box),
               chemistry::maxwell_velocities(count, temperature, 5), {box, cutoff, time_step, 9});
}

void expect_serial_results(std::size_t count, double density, double cutoff) {
  const double box = chemistry::box_of(count, density);
  const std::vector<vector> at = disturbed_lattice(count, box);
  fluid tested(sycl::queue(), at, std::vector<vector>(count, vector{0, 0, 0}), {box, cutoff, 0.004, 1});
  const serial_fluid::forces wanted = serial_fluid::all_pairs(serial_fluid::widened(at), box, cutoff);
  const measurement m = tested.measure();
  EXPECT_NEAR(m.potential, wanted.potential, 2e-6 * std::abs(wanted.potential));
  EXPECT_NEAR(m.pressure, wanted.virial / 3 / std::pow(box, 3), 1e-5 * (1 + std::abs(m.pressure)));
  double scale = 1;
  for (const serial_fluid::point& f : wanted.of)
    for (const double part : f) scale = std::max(scale, std::abs(part));
  const std::vector<vector> found = tested.forces();
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(found[i].x, wanted.of[i][0], 1e-5 * scale) << i;
    EXPECT_NEAR(found[i].y, wanted.of[i][1], 1e-5 * scale) << i;
    EXPECT_NEAR(found[i].z, wanted.of[i][2], 1e-5 * scale) << i;
  }
}

std::string refusal(const std::vector<vector>& at, const settings& how) {
  try {
    fluid(sycl::queue(), at, std::vector<vector>(at.size(), vector{0, 0, 0}), how);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(chemistry, forces_and_energies_are_those_of_a_serial_program_with_cells) {
  expect_serial_results(864, 0.8442, 2.5); // four cells along the box
  expect_serial_results(500, 0.3, 2.5);    // four cells, few particles in each, a lattice that is not full
  expect_serial_results(400, 0.8442, 2.5); // three cells: each has every other as a neighbour
}
TEST(chemistry, forces_and_energies_are_those_of_a_serial_program_in_a_small_box) {
  expect_serial_results(256, 0.8442, 2.5); // between two and three cut-offs: all pairs
  expect_serial_results(2, 0.001, 2.5);
}

TEST(chemistry, energy_and_momentum_stay_over_a_thousand_steps) {
  fluid tested = make(256, 0.8442, 1.44, 0.002);
  const measurement first = tested.measure();
  double worst = 0;
  for (int k = 0; k < 10; ++k) {
    tested.run(100);
    const measurement m = tested.measure();
    worst = std::max(worst, std::abs(m.kinetic + m.potential - first.kinetic - first.potential));
  }
  EXPECT_LT(worst / 256, 2e-4); // of a kinetic energy of 2.2 at first; 4e-5 on the host device
  const measurement last = tested.measure();
  EXPECT_GT(last.potential, first.potential + 100); // the lattice melted
  for (const float p : {last.momentum.x, last.momentum.y, last.momentum.z}) EXPECT_LT(std::abs(p), 2e-3);
}

TEST(chemistry, the_same_device_gives_the_same_bits_again) {
  std::vector<vector> first;
  for (int k = 0; k < 2; ++k) {
    fluid tested = make(500, 0.8442, 1.0);
    tested.run(20, {thermostat::method::andersen, 1.0, 1, 5.0});
    const std::vector<vector> at = tested.positions();
    if (k == 0) first = at;
    else EXPECT_EQ(std::memcmp(first.data(), at.data(), at.size() * sizeof(vector)), 0);
  }
}

TEST(chemistry, thermostats_reach_their_temperature) {
  fluid rescaled = make(256, 0.8442, 0.5);
  rescaled.run(200, {thermostat::method::rescaling, 1.2, 10, 0});
  EXPECT_NEAR(rescaled.measure().temperature, 1.2, 1e-5);
  EXPECT_LT(std::abs(rescaled.measure().momentum.x), 2e-3);

  fluid collided = make(256, 0.8442, 0.5);
  const thermostat bath{thermostat::method::andersen, 1.2, 1, 20};
  collided.run(200, bath);
  double mean = 0;
  for (int k = 0; k < 40; ++k) {
    collided.run(10, bath);
    mean += collided.measure().temperature / 40;
  }
  EXPECT_NEAR(mean, 1.2, 0.05); // a state's deviation is T (2 / 3 n)^(1/2) = 0.06
}

TEST(chemistry, the_radial_distribution_of_the_fluid_has_the_known_first_peak) {
  fluid tested = make(256, 0.8442, 0.722 * 2);
  const thermostat bath{thermostat::method::rescaling, 0.722, 10, 0};
  tested.run(600, bath);
  const double box = chemistry::box_of(256, 0.8442);
  sycl::queue queue;
  chemistry::radial_distribution g(box, 168); // bins of 0.02
  for (int k = 0; k < 40; ++k) {
    tested.run(10, bath);
    g.add(queue, tested.positions());
  }
  const std::vector<double> values = g.values();
  const auto highest = std::max_element(values.begin(), values.end());
  EXPECT_NEAR((double(highest - values.begin()) + 0.5) * g.width(), 1.09, 0.025);
  EXPECT_NEAR(*highest, 3.0, 0.2);
  EXPECT_LT(values[std::size_t(0.85 / g.width())], 0.02);       // the core is empty
  EXPECT_NEAR(values[std::size_t(1.57 / g.width())], 0.6, 0.1); // between the shells
}

TEST(chemistry, the_radial_distribution_of_an_ideal_gas_is_one) {
  std::mt19937 words(3);
  sycl::queue queue;
  for (const std::size_t n : {500, 501}) {
    chemistry::radial_distribution g(10, 10);
    for (int k = 0; k < 20; ++k) {
      std::vector<vector> at(n);
      const auto any = [&] { return 10 * float(words() >> 8) * 0x1p-24f; };
      for (vector& p : at) p = {any(), any(), any()};
      g.add(queue, at);
    }
    const std::vector<double> values = g.values();
    for (std::size_t k = 2; k < values.size(); ++k) { // about 24,000 pairs in bin 2: a deviation of 0.0065
      EXPECT_NEAR(values[k], 1, 0.03) << n << " " << k;
    }
  }
}

TEST(chemistry, what_cannot_be_simulated_is_refused_in_plain_words) {
  const std::vector<vector> two = {{1, 1, 1}, {4, 4, 4}};
  EXPECT_EQ(refusal(two, {10, 2.5, 0.004, 1}), "accepted");
  EXPECT_TRUE(contains(refusal({}, {10, 2.5, 0.004, 1}), "at least 2 particles, not 0"));
  EXPECT_TRUE(contains(refusal(two, {4.9, 2.5, 0.004, 1}), "shorter than two cut-offs"));
  EXPECT_TRUE(contains(refusal(two, {10, 0, 0.004, 1}), "a cut-off is a positive number"));
  EXPECT_TRUE(contains(refusal(two, {10, 2.5, -1, 1}), "a time step is a positive number"));
  EXPECT_TRUE(contains(refusal({{1, 1, 1}, {NAN, 1, 1}}, {10, 2.5, 0.004, 1}), "particle 1 is no number"));
  // Across the edge of the box, and at one place.
  EXPECT_TRUE(contains(refusal({{0.1f, 1, 1}, {5, 5, 5}, {9.9f, 1, 1}}, {10, 2.5, 0.004, 1}),
                       "particles 0 and 2 overlap: they are 0.2"));
  EXPECT_TRUE(contains(refusal({{1, 1, 1}, {1, 1, 1}}, {10, 2.5, 0.004, 1}), "particles 0 and 1 overlap"));
  EXPECT_THROW(fluid(sycl::queue(), two, {}, {10, 2.5, 0.004, 1}), std::invalid_argument);
  fluid good = make(256, 0.8442, 1);
  EXPECT_THROW(good.run(1, {thermostat::method::rescaling, -1, 10, 0}), std::invalid_argument);
  EXPECT_THROW(good.run(1, {thermostat::method::rescaling, 1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(good.run(1, {thermostat::method::andersen, 1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(chemistry::radial_distribution(10, 10, 5.1), std::invalid_argument);
  EXPECT_THROW(chemistry::radial_distribution(10, 0), std::invalid_argument);
  EXPECT_THROW(chemistry::box_of(10, 0), std::invalid_argument);
}

TEST(chemistry, a_time_step_that_is_too_long_is_named) {
  for (const double step : {0.05, 1e4}) {
    fluid wild = make(256, 0.8442, 1, step);
    wild.run(50);
    EXPECT_THROW(wild.measure(), std::runtime_error) << step;
  }
}
