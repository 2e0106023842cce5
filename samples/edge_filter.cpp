// Kernel of edge_filter.hpp.
#include "samples/edge_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace samples {
namespace {

constexpr int radius = 4, tile = 16, span = tile + 2 * radius;
constexpr double sigma_space = 2.5, sigma_value = 0.2;

constexpr std::size_t clamped(std::ptrdiff_t i, std::size_t n) {
  return i < 0 ? 0 : std::size_t(i) >= n ? n - 1 : std::size_t(i);
}

/// The filter at one pixel; pixel(dx, dy) returns the neighbours.
template <typename Real, typename Pixel>
Real filter_at(Pixel pixel) {
  const Real centre = pixel(0, 0);
  Real sum = 0, weights = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const Real value = pixel(dx, dy), difference = value - centre;
      const Real weight = std::exp(-Real(dx * dx + dy * dy) * Real(0.5 / (sigma_space * sigma_space)) -
                                   difference * difference * Real(0.5 / (sigma_value * sigma_value)));
      sum += weight * value;
      weights += weight;
    }
  return sum / weights;
}

} // namespace

filtered_image edge_filter(sycl::queue& queue, const std::vector<float>& image, std::size_t width,
                           std::size_t height) {
  filtered_image result;
  result.values.resize(image.size());
  sycl::buffer<float, 2> in_buffer(image.data(), sycl::range<2>(height, width));
  sycl::buffer<float, 2> out_buffer(result.values.data(), sycl::range<2>(height, width));
  const auto round_up = [](std::size_t n) { return (n + tile - 1) / tile * tile; };
  result.time = timed(2, [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(in_buffer, handler, sycl::read_only);
      sycl::accessor out(out_buffer, handler, sycl::write_only, sycl::no_init);
      sycl::local_accessor<float, 2> block(sycl::range<2>(span, span), handler);
      handler.parallel_for(sycl::nd_range<2>({round_up(height), round_up(width)}, {tile, tile}),
                           [=](sycl::nd_item<2> item) {
        const int ly = int(item.get_local_id(0)), lx = int(item.get_local_id(1));
        const std::ptrdiff_t top = std::ptrdiff_t(item.get_group(0) * tile) - radius;
        const std::ptrdiff_t left = std::ptrdiff_t(item.get_group(1) * tile) - radius;
        for (int y = ly; y < span; y += tile)
          for (int x = lx; x < span; x += tile)
            block[y][x] = in[clamped(top + y, height)][clamped(left + x, width)];
        sycl::group_barrier(item.get_group());
        const std::size_t gy = item.get_global_id(0), gx = item.get_global_id(1);
        if (gy >= height || gx >= width) return;
        out[gy][gx] = filter_at<float>(
            [&](int dx, int dy) -> float { return block[ly + radius + dy][lx + radius + dx]; });
      });
    });
    queue.wait_and_throw();
  });
  sycl::host_accessor done(out_buffer, sycl::read_only);
  std::vector<float> copied(image.size());
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) copied[y * width + x] = done[y][x];
  result.values = copied;
  return result;
}

std::vector<double> reference_edge_filter(const std::vector<float>& image, std::size_t width,
                                          std::size_t height) {
  std::vector<double> values(image.size());
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      values[y * width + x] = filter_at<double>([&](int dx, int dy) -> double {
        return image[clamped(std::ptrdiff_t(y) + dy, height) * width +
                     clamped(std::ptrdiff_t(x) + dx, width)];
      });
  return values;
}

std::vector<float> noisy_mandelbrot(std::size_t width, std::size_t height) {
  std::vector<float> image(width * height);
  std::uint32_t random = 12345;
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const double cr = 3.0 * double(x) / double(width) - 2.2, ci = 2.4 * double(y) / double(height) - 1.2;
      double zr = 0, zi = 0;
      int steps = 0;
      for (; steps < 100 && zr * zr + zi * zi < 4; ++steps) {
        const double next = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = next;
      }
      random = random * 1664525u + 1013904223u; // Numerical Recipes' generator
      const float noise = (float(random >> 8) / float(1 << 24) - 0.5f) * 0.2f;
      image[y * width + x] = std::clamp(std::sqrt(float(steps) / 100.0f) + noise, 0.0f, 1.0f);
    }
  return image;
}

} // namespace samples
