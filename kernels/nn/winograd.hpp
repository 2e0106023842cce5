// The transforms of Winograd's algorithm F(4 x 4, 3 x 3), and its steps on processors. A. Lavin & S. Gray,
// "Fast algorithms for convolutional neural networks", 2016: of the weights G w G', of the image B' d B, of
// the result A' m A, at the points 0, 1, -1, 2, -2 and infinity.
#pragma once

#include "kernels/nn/convolution.hpp"

namespace prism::nn::winograd {

inline constexpr size_t side = 4, reach = 6, products = reach * reach; // of a tile: its result, its points

/// Six values `step` apart, in place: B' d.
template <typename R>
void transform_points(R* d, size_t step) {
  const auto at = [&](size_t i) -> R& { return d[i * step]; };
  const R zero = R(4) * at(0) - R(5) * at(2) + at(4), five = R(4) * at(1) - R(5) * at(3) + at(5);
  const R even = at(4) - R(4) * at(2), odd = at(3) - R(4) * at(1);
  const R even2 = at(4) - at(2), odd2 = R(2) * (at(3) - at(1));
  at(0) = zero, at(1) = even + odd, at(2) = even - odd, at(3) = even2 + odd2, at(4) = even2 - odd2;
  at(5) = five;
}
/// Three values become six: G w.
template <typename R>
void transform_weights(const R* w, size_t step, R* out, size_t out_step) {
  const R even = w[0] + w[2 * step], odd = w[step];
  const R even2 = w[0] / R(24) + w[2 * step] / R(6), odd2 = odd / R(12);
  out[0] = w[0] / R(4);
  out[out_step] = -(even + odd) / R(6), out[2 * out_step] = (odd - even) / R(6);
  out[3 * out_step] = even2 + odd2, out[4 * out_step] = even2 - odd2;
  out[5 * out_step] = w[2 * step];
}
/// Six values become four: A' m.
template <typename R>
void transform_results(const R* m, size_t step, R* out, size_t out_step) {
  const R even = m[step] + m[2 * step], odd = m[step] - m[2 * step];
  const R even2 = m[3 * step] + m[4 * step], odd2 = m[3 * step] - m[4 * step];
  out[0] = m[0] + even + even2;
  out[out_step] = odd + R(2) * odd2;
  out[2 * out_step] = even + R(4) * even2;
  out[3 * out_step] = odd + R(8) * odd2 + m[5 * step];
}

/// Tiles of some images: a line of tiles has those of all images, row by row.
struct tiling {
  size_t images, rows, columns; // rows and columns of tiles
  size_t count() const { return images * rows * columns; }
};

/// The points of a tile's rows: x becomes (0, product, channel, tile). Nothing if the device is no processor
/// or the rows have gaps.
template <typename R>
std::optional<sycl::event> transform_image_rows(sycl::queue& queue, const tensor4<R>& x,
                                                const tensor4<R>& points, const tiling& tiles,
                                                const window& how, const events& depends);
/// (0, product, output, tile) becomes y. Reads up to `readable_behind` elements behind the products.
inline constexpr size_t readable_behind = 64;
template <typename R>
std::optional<sycl::event> transform_result_rows(sycl::queue& queue, const tensor4<R>& sums,
                                                 const tensor4<R>& y, const tiling& tiles,
                                                 const events& depends);

} // namespace prism::nn::winograd
