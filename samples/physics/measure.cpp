// Processor time of n-body forces on the device of PRISM_DEVICE_SELECTOR, alongside a loop in plain C++ that
// the compiler vectorises: the figures of docs/physics.md. Each figure is the least of several runs.
#include "samples/physics/gravity.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>

using namespace physics;

namespace {

double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; } // of all threads

template <typename Body>
double least_seconds(int runs, const Body& body) {
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < runs; ++run) {
    const double before = processor_seconds();
    body();
    least = std::min(least, processor_seconds() - before);
  }
  return least;
}

bodies<float> cloud(std::size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  bodies<float> out{std::vector<float>(n, 1.0F / float(n)), std::vector<float>(3 * n),
                    std::vector<float>(3 * n)};
  for (float& each : out.position) each = normal(random);
  return out;
}

struct plain_bodies {
  std::vector<float> x, y, z, mass;
};

/// The loop over j is vectorised: this file is compiled with -O3 -march=native -ffast-math.
void attract_plainly(const plain_bodies& all, float softening2, std::vector<float>& out) {
  const std::size_t n = all.x.size();
  for (std::size_t i = 0; i < n; ++i) {
    float ax = 0, ay = 0, az = 0, potential = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const float dx = all.x[j] - all.x[i], dy = all.y[j] - all.y[i], dz = all.z[j] - all.z[i];
      const float inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening2);
      const float by = all.mass[j] * inverse, force = by * inverse * inverse;
      ax += force * dx;
      ay += force * dy;
      az += force * dz;
      potential -= by;
    }
    out[4 * i] = ax, out[4 * i + 1] = ay, out[4 * i + 2] = az, out[4 * i + 3] = potential;
  }
}

/// A step of time 0 computes the forces once.
double seconds_of_step(std::size_t n, const gravity& law, int runs) {
  sycl::queue queue;
  n_body<float> system(queue, cloud(n), law);
  queue.wait();
  return least_seconds(runs, [&] {
    system.step(0);
    queue.wait();
  });
}

} // namespace

int main(int count, char** words) {
  const std::size_t n = count > 1 ? std::strtoul(words[1], nullptr, 10) : 10000;
  const int runs = count > 2 ? std::atoi(words[2]) : 5;
  if (n < 2 || n > 10000000 || runs < 1) {
    std::fprintf(stderr, "usage: physics_measure [bodies, 2 to 10^7] [runs]\n");
    return 2;
  }
  const gravity law{1, 0.01};
  const bodies<float> start = cloud(n);
  plain_bodies plain{std::vector<float>(n), std::vector<float>(n), std::vector<float>(n), start.mass};
  for (std::size_t i = 0; i < n; ++i)
    plain.x[i] = start.position[3 * i], plain.y[i] = start.position[3 * i + 1],
    plain.z[i] = start.position[3 * i + 2];
  std::vector<float> out(4 * n);
  const double pairs = double(n) * double(n);
  const double loop = least_seconds(runs, [&] { attract_plainly(plain, 1e-4F, out); });
  const double direct = seconds_of_step(n, law, runs);
  const double tree = seconds_of_step(n, {1, 0.01, method::barnes_hut, 0.5}, runs);
  std::printf("%zu bodies; the loop's first potential is %g\n", n, double(out[3]));
  std::printf("loop in C++  %8.3f s  %6.2f 10^9 interactions/s of processor time\n", loop,
              pairs / loop * 1e-9);
  std::printf("direct       %8.3f s  %6.2f\n", direct, pairs / direct * 1e-9);
  std::printf("barnes_hut   %8.3f s  %6.2f times as fast as direct\n", tree, direct / tree);
}
