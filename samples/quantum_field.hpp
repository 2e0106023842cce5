// The quantum field: a small library that computes a picture, its coherence and a phi pattern on any device.
//
// The default formula, for x and y from -1 to 1, both ends included:
//   distance = sqrt(x^2 + y^2) phi; angle = atan2(y, x); lambda = 1 / phi
//   field(x, y, t) = sin(0.01 f distance + phi angle + t phi^phi) exp(-lambda distance)
// with the named frequency f. field_formula::waves is another one: an interference pattern of plane waves
// whose directions turn by the golden angle, for x and y in [-2, 2]:
//   field(x, y, t) = exp(-(x^2 + y^2) / 2) sum_k phi^-k sin(q_k (x cos a_k + y sin a_k) - w t phi^(k / 2))
//   a_k = k * golden angle, q_k = 4 pi phi^(k / 3) f / 432, w = 2 pi f / 432, k = 0 .. field_waves - 1
// coherence is |mean of exp(i pi field)|: 1 when all of the field is in phase, 0 when it is not.
#pragma once

#include "samples/common/timed.hpp"

#include <string>
#include <vector>

namespace samples {

enum class field_formula { spiral, waves };

struct quantum_field {
  std::vector<float> values; // height rows of width
  float coherence = 0;
  timing time;
};

inline constexpr int field_waves = 12;
inline constexpr double golden_ratio = 1.61803398874989484820;

/// The frequency in hertz of "ground", "love", "create", "heart", "voice", "vision" or "unity"; for another
/// name throws std::invalid_argument that lists them.
double field_frequency(const std::string& name);
const std::vector<std::string>& field_frequency_names();

/// Runs on the queue's device, in float. width and height in points, at least 1; time in seconds. Throws
/// std::invalid_argument for an empty field.
quantum_field generate_quantum_field(sycl::queue& queue, std::size_t width, std::size_t height,
                                     const std::string& frequency, double time,
                                     field_formula formula = field_formula::spiral);
/// The coherence of any values, computed on the queue's device. Throws std::invalid_argument if there are
/// none.
float calculate_field_coherence(sycl::queue& queue, const std::vector<float>& values);
/// A golden spiral: cos(2 pi (log_phi r - 2 angle / pi)), faded out within the middle.
std::vector<float> generate_phi_pattern(sycl::queue& queue, std::size_t width, std::size_t height);

/// The same in double precision on this thread, as references. The first stores the coherence in `coherence`.
std::vector<double> reference_quantum_field(std::size_t width, std::size_t height,
                                            const std::string& frequency, double time, double& coherence,
                                            field_formula formula = field_formula::spiral);
double reference_coherence(const std::vector<float>& values);
std::vector<double> reference_phi_pattern(std::size_t width, std::size_t height);

// ---- the same field by four methods

/// basic: this thread. device: one work-item for each point. devices: rows divided among all devices.
/// groups: work-groups of tiles, whose coordinates are computed once into local memory.
enum class field_tier { basic, device, devices, groups };
inline constexpr field_tier field_tiers[] = {field_tier::basic, field_tier::device, field_tier::devices,
                                             field_tier::groups};
const char* name_of(field_tier tier);

/// Points in x and y of a tile of field_tier::groups; their product is a work-group's size.
struct field_tile {
  std::size_t columns = 32, rows = 4;
};

/// Writes the spiral field. The first queue's device runs `device` and `groups`.
void run_field_tier(field_tier tier, std::vector<sycl::queue>& queues, std::vector<float>& values,
                    std::size_t width, std::size_t height, const std::string& frequency, double time,
                    const field_tile& tile = {});

struct field_choice {
  field_tier best = field_tier::basic;
  double milliseconds[4] = {}; // by tier
};
/// Measures the tiers for a size, each the best of a few runs, and returns the fastest.
field_choice choose_field_tier(std::vector<sycl::queue>& queues, std::size_t width, std::size_t height);

struct field_tuning {
  field_tile best;
  std::string family;               // of the best tile: "fibonacci" or "powers of two"
  double best_ms = 0, plain_ms = 0; // plain: the default tile
};
struct field_division {
  double guided_ms = 0, even_ms = 0, phi_ms = 0;
  std::string best;  // "guided", "even" or "powers of 1 / phi"
  bool right = true; // each division gave the field
};
/// Tunes the shares of field_tier::devices: guided chunks, even shares, and shares in powers of 1 / phi in
/// the order of the queues. A division with a wrong field is not the best.
field_division measure_field_division(std::vector<sycl::queue>& queues, std::size_t width,
                                      std::size_t height);
/// Tunes the tile of field_tier::groups over Fibonacci numbers and powers of two.
field_tuning tune_field_tile(sycl::queue& queue, std::size_t width, std::size_t height);

} // namespace samples
