// Edge-preserving smoothing of a grey image: the bilateral filter of C. Tomasi and R. Manduchi, "Bilateral
// filtering for gray and color images", ICCV 1998. Each 16 x 16 work-group loads its tile with a border into
// local memory once.
#pragma once

#include "samples/common/timed.hpp"

#include <vector>

namespace samples {

struct filtered_image {
  std::vector<float> values;
  timing time;
};

/// `image`: height rows of width grey values in [0, 1]. Any size; borders repeat the edge.
filtered_image edge_filter(sycl::queue& queue, const std::vector<float>& image, std::size_t width,
                           std::size_t height);

/// The same in double precision on this thread.
std::vector<double> reference_edge_filter(const std::vector<float>& image, std::size_t width,
                                          std::size_t height);

/// A test picture: the Mandelbrot set in grey with deterministic noise.
std::vector<float> noisy_mandelbrot(std::size_t width, std::size_t height);

} // namespace samples
