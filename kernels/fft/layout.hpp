// How the planner sees the points of one dimension and the transforms along all others.
#pragma once

#include "kernels/fft/steps.hpp"

#include <algorithm>

namespace prism::fft {

/// One side of transforms along a line, in reals: `step` between points, `along` of each batch dimension.
struct layout {
  int memory = input_memory;
  std::ptrdiff_t offset = 0, step = 0, imaginary = 1;
  std::vector<std::ptrdiff_t> along;

  /// The same with real and imaginary parts exchanged.
  layout exchanged() const {
    layout out = *this;
    out.offset += imaginary, out.imaginary = -imaginary;
    return out;
  }
  layout real() const {
    layout out = *this;
    out.imaginary = 0;
    return out;
  }
  /// Two neighbouring reals as one complex number.
  layout pairs() const {
    layout out = *this;
    out.imaginary = step, out.step = 2 * step;
    return out;
  }
  /// Points from `first` on, each `times` as far apart.
  layout part(std::size_t first, std::size_t times) const {
    layout out = *this;
    out.offset += static_cast<std::ptrdiff_t>(first) * step, out.step *= static_cast<std::ptrdiff_t>(times);
    return out;
  }
  layout with(std::ptrdiff_t dimension) const {
    layout out = *this;
    out.along.push_back(dimension);
    return out;
  }
};

using counts = std::vector<std::size_t>;

inline std::size_t product_of(const counts& all) {
  std::size_t out = 1;
  for (const std::size_t each : all) out *= each;
  return out;
}

/// Drops dimensions of one, and makes one of two that a single stride describes on both sides. `last` stays
/// the last: the others determine it.
inline void merge(counts& dims, layout& in, layout& out) {
  const auto drop = [&](std::size_t d) {
    dims.erase(dims.begin() + std::ptrdiff_t(d));
    in.along.erase(in.along.begin() + std::ptrdiff_t(d)),
        out.along.erase(out.along.begin() + std::ptrdiff_t(d));
  };
  for (std::size_t d = dims.size(); d-- > 0;)
    if (dims[d] == 1) drop(d);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < dims.size() && !again; ++i)
      for (std::size_t j = 0; j < dims.size() && !again; ++j) {
        const auto n = static_cast<std::ptrdiff_t>(dims[j]);
        if (i == j || in.along[i] != in.along[j] * n || out.along[i] != out.along[j] * n) continue;
        dims[j] *= dims[i], drop(i), again = true;
      }
  }
}

template <typename Real>
side<Real> side_of(const layout& from, std::size_t lane, std::size_t dims) {
  side<Real> out{};
  out.offset = from.offset, out.step = from.step, out.imaginary = from.imaginary;
  if (dims != 0) out.lane = from.along[lane];
  for (std::size_t d = 0, to = 0; d < dims; ++d)
    if (d != lane) out.outer[to++] = from.along[d];
  return out;
}

} // namespace prism::fft
