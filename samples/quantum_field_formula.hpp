// The spiral formula of quantum_field.hpp for one point, for kernels and references.
#pragma once

#include "samples/quantum_field.hpp"

#include <cmath>

namespace samples {

/// The numbers of the formula that are the same for all points.
template <typename Real>
struct spiral {
  Real by_distance, phase;
};

template <typename Real>
spiral<Real> make_spiral(double hertz, double time) {
  constexpr double two_pi = 6.28318530717958647693;
  return {Real(0.01 * hertz), Real(std::fmod(time * std::pow(golden_ratio, golden_ratio), two_pi))};
}

/// Point `index` of `count` from -1 to 1. The sign is exact, on which the angle depends.
template <typename Real>
Real centred(std::size_t index, std::size_t count) {
  if (count == 1) return Real(-1);
  return Real(2 * static_cast<long long>(index) - static_cast<long long>(count - 1)) / Real(count - 1);
}

template <typename Real>
Real spiral_at(const spiral<Real>& s, Real x, Real y) {
  const Real distance = std::sqrt(x * x + y * y) * Real(golden_ratio);
  return std::sin(distance * s.by_distance + std::atan2(y, x) * Real(golden_ratio) + s.phase) *
         std::exp(-distance * Real(1 / golden_ratio));
}

} // namespace samples
