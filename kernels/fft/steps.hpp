// A plan as its steps: kernels in an order, on the operands and on temporary memory. Plain data, made once.
#pragma once

#include "kernels/fft/map.hpp"
#include "kernels/fft/tables.hpp"

#include <string>
#include <variant>
#include <vector>

namespace prism::fft {

/// Numbers of memories: the operands, and temporaries from 0 on.
inline constexpr int input_memory = -1, output_memory = -2;

enum class transform_kind : std::uint8_t {
  complex,
  real_forward,
  real_backward,
  cosine_1,
  cosine_2,
  cosine_3,
  cosine_4
};

/// What is transformed, in numbers of elements: complex ones where the side is complex. Dimensions in the
/// order of the extents; the last one is the one that is half of a real transform.
struct problem {
  transform_kind kind = transform_kind::complex;
  bool backward = false;
  int rank = 1;
  std::size_t extent[3] = {1, 1, 1}; // of the real side where one is real
  std::size_t batch = 1;
  std::ptrdiff_t in_stride[3] = {}, out_stride[3] = {}, in_batch = 0, out_batch = 0;
  double scale = 1;
};

/// What decides between methods.
struct machine {
  std::size_t vector_bytes = 0; // of the code of the host device; 0 for other devices
  std::size_t local_bytes = 32768;
};

/// `half_in`, `half_out`: the elements of that side are stored as half.
template <typename Real>
struct leaf_step {
  leaf<Real> what;
  int in, out;
};
template <typename Real>
struct map_step {
  map<Real, Real, Real> what; // with half on a side only for a copy
  int in, out;
  bool half_in = false, half_out = false;
};

template <typename Real>
struct steps {
  std::vector<std::variant<leaf_step<Real>, map_step<Real>>> all;
  std::vector<std::size_t> temporaries; // in reals
  tables<Real> numbers;
};

/// `half`: operands are stored as half. Throws std::length_error where a size does not fit.
template <typename Real>
steps<Real> make_steps(const problem& what, const machine& on, bool half);

} // namespace prism::fft
