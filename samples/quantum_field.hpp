// The quantum field picture: an interference pattern of plane waves whose directions turn by the golden angle
// and whose wave numbers and amplitudes follow powers of the golden ratio, under a Gaussian envelope, driven
// at a named frequency.
//   field(x, y, t) = exp(-(x^2 + y^2) / 2) * sum_k phi^-k sin(q_k (x cos a_k + y sin a_k) - w t phi^(k / 2))
//   a_k = k * golden angle, q_k = 2 pi * 2 * phi^(k / 3) * f / 432, w = 2 pi f / 432, k = 0 .. waves - 1
// x and y span [-2, 2]. coherence is |mean of exp(i pi field)|: 1 when all of the field is in phase, 0 when
// it is not.
#pragma once

#include "samples/common/timed.hpp"

#include <string>
#include <vector>

namespace samples {

struct quantum_field {
  std::vector<float> values; // height rows of width, in [-sum phi^-k, sum phi^-k]
  float coherence = 0;
  timing time;
};

inline constexpr int field_waves = 12;

/// The frequency in hertz of "ground", "love", "create", "heart", "voice", "vision" or "unity"; for another
/// name throws std::invalid_argument that lists them.
double field_frequency(const std::string& name);

/// Runs on the queue's device, in float. width and height in points, time in seconds.
quantum_field generate_quantum_field(sycl::queue& queue, std::size_t width, std::size_t height,
                                     const std::string& frequency, float time);

/// The same in double precision on this thread, as reference. Stores the coherence in `coherence`.
std::vector<double> reference_quantum_field(std::size_t width, std::size_t height,
                                            const std::string& frequency, double time, double& coherence);

} // namespace samples
