// The host device's convolutions of which each channel of the result has one of the image: planes_kernel.hpp
// compiled for several instruction sets.
#pragma once

#include "kernels/blas/host_isa.hpp"

#include <cstddef>

namespace prism::nn {

/// Elements and their distances, as planes' in operands.hpp, without its inline functions.
template <typename R>
struct plane_elements {
  R* data;
  std::ptrdiff_t of_image, of_channel, of_row, of_column;
};

/// Windows of size x size that step by one.
template <typename R>
struct plane_convolution {
  plane_elements<const R> x, w;
  plane_elements<R> y;
  std::size_t size, channels, strips, height; // of a strip of results
  std::size_t in_height, in_width, out_height, out_width, above, before;
  std::size_t line; // elements from one row of the memory to the next: whole vectors
};

/// Elements before a row in `run_planes`' memory: a vector of any instruction set, of which the last ones are
/// zeros around the image.
template <typename R>
constexpr std::size_t plane_lead = 64 / sizeof(R);

/// Strips `first` to `last` - 1 of all channels of all images. Sizes are 3, 5 or 7, and rows have at most
/// half a vector of zeros at each end. `memory` has the rows of the image that a strip of results needs, at
/// least `most_plane_rows` and those of a window, and three vectors behind them.
constexpr std::size_t most_plane_rows = 8;
template <typename R, typename Isa>
void run_planes(const plane_convolution<R>& what, R* memory, std::size_t first, std::size_t last);

} // namespace prism::nn
