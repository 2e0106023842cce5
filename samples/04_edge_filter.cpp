// Local memory and barriers: smooths a noisy picture without blurring its edges. Writes edge_filter.png
// (before | after).
#include "samples/common/picture.hpp"
#include "samples/edge_filter.hpp"

#include <cmath>
#include <iostream>

int main() try {
  const std::size_t n = 256;
  sycl::queue queue;
  const auto image = samples::noisy_mandelbrot(n, n);
  const auto smooth = samples::edge_filter(queue, image, n, n);
  samples::picture picture(2 * n, n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t x = 0; x < n; ++x) {
      const float before = image[y * n + x], after = smooth.values[y * n + x];
      picture.set(x, y, before, before, before);
      picture.set(n + x, y, after, after, after);
    }
  samples::write_png(picture, "edge_filter.png");
  const auto expected = samples::reference_edge_filter(image, n, n);
  double worst = 0;
  for (std::size_t i = 0; i < n * n; ++i) worst = std::max(worst, std::fabs(smooth.values[i] - expected[i]));
  std::cout << "kernel " << smooth.time.kernel_ms << " ms, largest error " << worst
            << ", picture edge_filter.png\n";
  return worst < 1e-5 ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
