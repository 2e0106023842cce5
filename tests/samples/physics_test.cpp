// samples/physics against serial code in double, analytic solutions and conservation laws, on the device of
// PRISM_DEVICE_SELECTOR.
#include "samples/physics/gravity.hpp"
#include "samples/physics/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace physics;

namespace {

constexpr double pi = 3.14159265358979323846;

bool has_double() { return sycl::device().has(sycl::aspect::fp64); }
#define NEEDS_DOUBLE()                                                                                       \
  if (!has_double()) GTEST_SKIP() << sycl::device().get_info<sycl::info::device::name>() << " has no double"

/// Two clouds, so that the tree has large and small nodes.
template <typename Real>
bodies<Real> clouds(std::size_t n) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> mass(0.5, 1.5);
  bodies<Real> out;
  for (std::size_t i = 0; i < n; ++i) {
    out.mass.push_back(Real(mass(random) / double(n)));
    for (int k = 0; k < 3; ++k) {
      out.position.push_back(Real((i % 3 == 0 ? 5.0 : 0.0) + (i % 3 == 0 ? 0.2 : 1.0) * normal(random)));
      out.velocity.push_back(Real(0.1 * normal(random)));
    }
  }
  return out;
}

/// The sum as it is written in a textbook.
template <typename Real>
std::vector<double> serial_accelerations(const bodies<Real>& all, double softening, double& potential) {
  const std::size_t n = all.mass.size();
  std::vector<double> out(3 * n);
  potential = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      double d[3], square = softening * softening;
      for (std::size_t k = 0; k < 3; ++k) {
        d[k] = double(all.position[3 * j + k]) - double(all.position[3 * i + k]);
        square += d[k] * d[k];
      }
      for (std::size_t k = 0; k < 3; ++k)
        out[3 * i + k] += double(all.mass[j]) * d[k] / std::pow(square, 1.5);
      potential -= 0.5 * double(all.mass[i]) * double(all.mass[j]) / std::sqrt(square);
    }
  return out;
}

/// The root of the mean square of the difference, relative to that of `exact`.
template <typename Real>
double error_of(const std::vector<Real>& values, const std::vector<double>& exact) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    difference += (double(values[i]) - exact[i]) * (double(values[i]) - exact[i]);
    size += exact[i] * exact[i];
  }
  return std::sqrt(difference / size);
}

template <typename Real>
void direct_is_serial(double tolerance) {
  for (const std::size_t n : {1, 2, 127, 128, 300}) {
    const bodies<Real> all = clouds<Real>(n);
    const n_body<Real> system(sycl::queue(), all, {1, 0.05});
    double potential = 0;
    const std::vector<double> exact = serial_accelerations(all, 0.05, potential);
    if (n > 1) EXPECT_LT(error_of(system.accelerations(), exact), tolerance) << n << " bodies";
    else EXPECT_EQ(system.accelerations(), std::vector<Real>(3));
    EXPECT_NEAR(system.energy().potential, potential, tolerance * std::abs(potential)) << n << " bodies";
  }
}

TEST(gravity, direct_forces_and_potential_are_those_of_a_serial_sum) { direct_is_serial<float>(2e-6); }
TEST(gravity, in_double_they_agree_to_rounding) {
  NEEDS_DOUBLE();
  direct_is_serial<double>(1e-14);
}

TEST(gravity, two_bodies_on_an_ellipse_return_and_keep_their_energy) {
  // Masses 1 and 3 at distance 1 at the far point; eccentricity 0.5, so the semi-major axis is 2/3.
  const double axis = 2.0 / 3, period = 2 * pi * std::sqrt(axis * axis * axis / 4);
  const float speed = float(std::sqrt(4 * (2 - 1 / axis))), left = 0.75F, right = 0.25F;
  const bodies<float> start{{1, 3}, {-left, 0, 0, right, 0, 0}, {0, -left * speed, 0, 0, right * speed, 0}};
  n_body<float> system(sycl::queue(), start, {});
  const double before = system.energy().total();
  EXPECT_NEAR(before, -3 / (2 * axis), 1e-5); // -m1 m2 / (2 a)
  system.step(period / 800, 400);
  const float near_point = system.read().position[0];
  EXPECT_NEAR(near_point, 0.75 / 3, 2e-3); // on the other side, at a third of the distance
  EXPECT_NEAR(system.energy().total(), before, 3e-4 * std::abs(before));
  system.step(period / 800, 400);
  const bodies<float> after = system.read();
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(after.position[k], start.position[k], 3e-3) << k;
  EXPECT_NEAR(system.energy().total(), before, 1e-5 * std::abs(before));
}

TEST(gravity, direct_steps_conserve_momentum_and_energy) {
  n_body<float> system(sycl::queue(), clouds<float>(200), {1, 0.1});
  const auto before = system.momentum();
  const double energy = system.energy().total();
  system.step(0.01, 50);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(system.momentum()[k], before[k], 2e-6);
  EXPECT_NEAR(system.energy().total(), energy, 1e-3 * std::abs(energy));
}

TEST(gravity, leapfrog_retraces_its_steps) {
  const bodies<float> start = clouds<float>(50);
  n_body<float> system(sycl::queue(), start, {1, 0.1});
  system.step(0.01, 40);
  EXPECT_GT(error_of(system.read().position, {start.position.begin(), start.position.end()}), 1e-3);
  system.step(-0.01, 40);
  EXPECT_LT(error_of(system.read().position, {start.position.begin(), start.position.end()}), 1e-5);
}

TEST(barnes_hut, with_theta_0_all_attractions_are_computed) {
  for (const std::size_t n : {1, 2, 9, 300}) {
    const bodies<float> all = clouds<float>(n);
    const n_body<float> system(sycl::queue(), all, {1, 0.05, method::barnes_hut, 0});
    double potential = 0;
    const std::vector<double> exact = serial_accelerations(all, 0.05, potential);
    if (n > 1) {
      EXPECT_LT(error_of(system.accelerations(), exact), 2e-6) << n << " bodies";
    }
    EXPECT_NEAR(system.energy().potential, potential, 2e-6 * std::abs(potential)) << n << " bodies";
  }
}

TEST(barnes_hut, the_error_falls_with_theta_and_is_below_a_hundredth_at_a_half) {
  const bodies<float> all = clouds<float>(2000);
  double potential = 0, last = 1;
  const std::vector<double> exact = serial_accelerations(all, 0.02, potential);
  for (const double theta : {1.0, 0.5, 0.25}) {
    const n_body<float> system(sycl::queue(), all, {1, 0.02, method::barnes_hut, theta});
    const double error = error_of(system.accelerations(), exact);
    RecordProperty("error at theta " + std::to_string(theta), std::to_string(error));
    EXPECT_LT(error, last / 2) << "theta " << theta;
    EXPECT_GT(error, 1e-6) << "theta " << theta << " computed all attractions";
    if (theta == 0.5) {
      EXPECT_LT(error, 0.01);
    }
    last = error;
  }
}

TEST(barnes_hut, bodies_at_one_place_and_without_mass_are_no_trouble) {
  bodies<float> all{std::vector<float>(40, 1), std::vector<float>(120, 0.5F), std::vector<float>(120, 0)};
  all.position[3] = 2.5F; // body 1, two away from the others
  all.mass[7] = 0;
  for (const method by : {method::direct, method::barnes_hut}) {
    const n_body<float> system(sycl::queue(), all, {1, 0, by, 0.5});
    const std::vector<float> found = system.accelerations();
    EXPECT_NEAR(found[3], -38.0 / 4, 1e-4); // 38 bodies with mass
    for (const std::size_t body : {0, 7, 39}) EXPECT_NEAR(found[3 * body], 0.25, 1e-6) << body;
  }
}

TEST(barnes_hut, steps_keep_the_energy) {
  n_body<float> system(sycl::queue(), clouds<float>(500), {1, 0.1, method::barnes_hut, 0.4});
  const double before = system.energy().total();
  system.step(0.01, 20);
  EXPECT_NEAR(system.energy().total(), before, 5e-3 * std::abs(before));
}

/// sin(pi a i / (rows - 1)) sin(pi b j / (columns - 1)), which is 0 at the edges.
template <typename Real>
std::vector<Real> mode(const grid& points, int a, int b) {
  std::vector<Real> out;
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t j = 0; j < points.columns; ++j)
      out.push_back(Real(std::sin(pi * a * double(i) / double(points.rows - 1)) *
                         std::sin(pi * b * double(j) / double(points.columns - 1))));
  return out;
}

/// -L(mode) / mode.
double stiffness(const grid& points, int a, int b) {
  const double x = std::sin(pi * a / (2 * double(points.rows - 1))),
               y = std::sin(pi * b / (2 * double(points.columns - 1)));
  return 4 * (x * x + y * y);
}

template <typename Real>
void expect_mode(const std::vector<Real>& values, const std::vector<Real>& shape, double factor,
                 double tolerance) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    ASSERT_NEAR(double(values[i]), factor * double(shape[i]), tolerance) << "point " << i;
}

template <typename Real>
void sine_mode_decays(double tolerance) {
  const grid points{21, 33, 0.1};
  const double time_step = largest_heat_step(points, 2) * 0.9;
  const std::vector<Real> start = mode<Real>(points, 2, 1);
  heat<Real> plate(sycl::queue(), points, start, 2, time_step);
  plate.step(60);
  const double factor = std::pow(1 - 2 * time_step / 0.01 * stiffness(points, 2, 1), 60);
  EXPECT_LT(factor, 0.6);
  expect_mode(plate.values(), start, factor, tolerance);
}

TEST(heat, a_sine_mode_decays_by_the_discrete_factor) { sine_mode_decays<float>(2e-6); }
TEST(heat, in_double_it_does_so_to_rounding) {
  NEEDS_DOUBLE();
  sine_mode_decays<double>(2e-15);
}

TEST(heat, with_periodic_edges_the_total_is_conserved_and_spreads_evenly) {
  const grid points{12, 20, 1, edges::periodic};
  std::vector<float> start(240);
  start[0] = 240; // in the corner, so that it flows over all edges
  heat<float> plate(sycl::queue(), points, start, 1, 0.2);
  plate.step(7);
  std::vector<float> early = plate.values();
  EXPECT_NEAR(std::accumulate(early.begin(), early.end(), 0.0), 240, 1e-3);
  EXPECT_FLOAT_EQ(early[1], early[19]);   // left and right of the corner
  EXPECT_FLOAT_EQ(early[20], early[220]); // below and above
  plate.step(600);
  for (const float each : plate.values()) ASSERT_NEAR(each, 1, 1e-3);
}

TEST(heat, fixed_edges_hold_their_values_and_the_middle_becomes_linear) {
  const grid points{3, 11};
  std::vector<float> start(33);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 11; ++j)
      start[i * 11 + j] = i == 1 && j > 0 && j < 10 ? 50.0F : 10.0F * float(j);
  heat<float> plate(sycl::queue(), points, start, 1, 0.2);
  plate.step(200);
  const std::vector<float> after = plate.values();
  for (std::size_t i = 0; i < 33; ++i) EXPECT_NEAR(after[i], 10.0F * float(i % 11), 1e-4) << i;
}

template <typename Real>
void standing_mode_swings(double tolerance) {
  const grid points{25, 17, 0.5};
  const double speed = 3, time_step = largest_wave_step(points, speed) * 0.8;
  const std::vector<Real> start = mode<Real>(points, 1, 2);
  wave<Real> membrane(sycl::queue(), points, start, std::vector<Real>(start.size()), speed, time_step);
  const double courant = speed * time_step / 0.5;
  const double angle = 2 * std::asin(0.5 * courant * std::sqrt(stiffness(points, 1, 2))); // of a step
  const double energy = membrane.energy();
  for (int step = 0; step < 100; step += 10) {
    expect_mode(membrane.values(), start, std::cos(angle * step), tolerance);
    EXPECT_NEAR(membrane.energy(), energy, 10 * tolerance * energy) << "step " << step;
    membrane.step(10);
  }
}

TEST(wave, a_standing_mode_swings_with_the_discrete_period_and_keeps_its_energy) {
  standing_mode_swings<float>(3e-5);
}
TEST(wave, in_double_it_does_so_to_rounding) {
  NEEDS_DOUBLE();
  standing_mode_swings<double>(1e-13);
}

TEST(wave, the_discrete_period_is_near_that_of_the_membrane) {
  const grid points{41, 41, 1.0 / 40};
  const double period = 2 * pi / (pi * std::sqrt(2.0)); // of the first mode of a unit square at speed 1
  const std::vector<float> start = mode<float>(points, 1, 1);
  wave<float> membrane(sycl::queue(), points, start, std::vector<float>(start.size()), 1, period / 100);
  membrane.step(25);
  expect_mode(membrane.values(), start, 0, 2e-3);
  membrane.step(25);
  expect_mode(membrane.values(), start, -1, 2e-3);
}

TEST(wave, an_initial_velocity_moves_points_at_rest) {
  const grid points{16, 16, 1, edges::periodic};
  wave<float> even(sycl::queue(), points, std::vector<float>(256), std::vector<float>(256, 2.0F), 1, 0.5);
  even.step(8);
  for (const float each : even.values()) ASSERT_NEAR(each, 2 * 0.5 * 8, 1e-5); // no strain, so no force
  EXPECT_NEAR(even.energy(), 0.5 * 4 * 256, 1e-2);
}

template <typename Body>
void expect_refusal(const std::string& words, const Body& body) {
  try {
    body();
    ADD_FAILURE() << "was accepted: " << words;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(refusals, name_what_is_wrong_and_the_limit) {
  const sycl::queue q;
  const std::vector<float> nine(9), ten(10);
  expect_refusal("0.26 is unstable; the largest stable one is 0.25",
                 [&] { heat<float>(q, {3, 3}, nine, 1, 0.26); });
  EXPECT_NO_THROW(heat<float>(q, {3, 3}, nine, 1, 0.25));
  expect_refusal("0.36 is unstable; the largest stable one is 0.353553",
                 [&] { wave<float>(q, {3, 3}, nine, nine, 2, 0.36); });
  EXPECT_NO_THROW(wave<float>(q, {3, 3}, nine, nine, 2, largest_wave_step({3, 3}, 2)));
  expect_refusal("2 x 3; it needs 3", [&] { heat<float>(q, {2, 3}, nine, 1, 0.1); });
  expect_refusal("has 10 numbers for 3 x 3", [&] { wave<float>(q, {3, 3}, nine, ten, 1, 0.1); });
  expect_refusal("the diffusivity is -1", [&] { heat<float>(q, {3, 3}, nine, -1, 0.1); });
  expect_refusal("the time step is 0", [&] { heat<float>(q, {3, 3}, nine, 1, 0); });
  const bodies<float> one{{1}, {0, 0, 0}, {0, 0, 0}};
  bodies<float> wrong = one;
  wrong.mass[0] = -1;
  expect_refusal("the mass of body 0 is negative", [&] { n_body<float>(q, wrong, {}); });
  wrong = one;
  wrong.position[1] = NAN;
  expect_refusal("number 1 of position is not finite", [&] { n_body<float>(q, wrong, {}); });
  wrong = one;
  wrong.velocity.pop_back();
  expect_refusal("velocity has 2 numbers instead of 3", [&] { n_body<float>(q, wrong, {}); });
  expect_refusal("0 bodies", [&] { n_body<float>(q, {}, {}); });
  expect_refusal("theta is between 0 and 1", [&] { n_body<float>(q, one, {1, 0, method::barnes_hut, 1.5}); });
  expect_refusal("softening", [&] { n_body<float>(q, one, {1, -1}); });
}

} // namespace
