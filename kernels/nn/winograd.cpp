// Convolutions with 3 x 3 weights by Winograd's algorithm F(4 x 4, 3 x 3): 36 products of matrices give the
// results of tiles of 4 x 4 points, with a quarter of the multiplications of the definition. A. Lavin & S.
// Gray, "Fast algorithms for convolutional neural networks", 2016, from which the transforms are: of the
// weights G w G', of the image B' d B, of the result A' m A, at the points 0, 1, -1, 2, -2 and infinity.
#include "kernels/nn/convolution.hpp"
#include "kernels/nn/products.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

constexpr size_t side = 4, reach = 6, products = reach * reach; // of a tile: its result, its points
constexpr size_t most_elements = size_t(1) << 23;               // of the transformed images of one step

constexpr size_t parts_of(size_t n, size_t size) { return (n + size - 1) / size; }

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

/// to(0, product, channel, tile) = the transformed tile of x.
template <typename R>
struct transformed_image {
  planes<const R> from;
  planes<R> to;
  tiling tiles;
  size_t height, width, above, before;
  void operator()(sycl::id<2> id) const {
    const position4 p(id[1], 1, tiles.rows, tiles.columns);
    R d[products];
    for (size_t i = 0; i < reach; ++i)
      for (size_t j = 0; j < reach; ++j) {
        const size_t row = p.i * side + i - above, column = p.j * side + j - before; // wrap where outside
        const bool inside = row < height && column < width;
        d[i * reach + j] = inside ? *from.at(p.n, id[0], row, column) : R(0);
      }
    for (size_t j = 0; j < reach; ++j) transform_points(d + j, reach);
    for (size_t i = 0; i < reach; ++i) transform_points(d + i * reach, 1);
    for (size_t k = 0; k < products; ++k) *to.at(0, k, id[0], id[1]) = d[k];
  }
};

/// to(0, product, output, input) = the transformed weights.
template <typename R>
struct transformed_weights {
  planes<const R> from;
  planes<R> to;
  void operator()(sycl::id<2> id) const {
    R w[9], half[18];
    for (size_t r = 0; r < 3; ++r)
      for (size_t s = 0; s < 3; ++s) w[r * 3 + s] = *from.at(id[0], id[1], r, s);
    for (size_t s = 0; s < 3; ++s) transform_weights(w + s, 3, half + s, 3);
    for (size_t i = 0; i < reach; ++i) {
      R row[reach];
      transform_weights(half + i * 3, 1, row, 1);
      for (size_t j = 0; j < reach; ++j) *to.at(0, i * reach + j, id[0], id[1]) = row[j];
    }
  }
};

/// y's tile = the transformed products (0, product, output, tile).
template <typename R>
struct transformed_results {
  planes<const R> from;
  planes<R> to;
  tiling tiles;
  size_t height, width;
  void operator()(sycl::id<2> id) const {
    const position4 p(id[1], 1, tiles.rows, tiles.columns);
    R m[products], half[side * reach], out[side * side];
    for (size_t k = 0; k < products; ++k) m[k] = *from.at(0, k, id[0], id[1]);
    for (size_t j = 0; j < reach; ++j) transform_results(m + j, reach, half + j, reach);
    for (size_t i = 0; i < side; ++i) transform_results(half + i * reach, 1, out + i * side, 1);
    for (size_t i = 0; i < side; ++i)
      for (size_t j = 0; j < side; ++j) {
        const size_t row = p.i * side + i, column = p.j * side + j;
        if (row < height && column < width) *to.at(p.n, id[0], row, column) = out[i * side + j];
      }
  }
};

template <typename R>
matrices<R> batch_of(const tensor4<R>& t) {
  return {t.where, t.extent[1], t.extent[2], t.extent[3], t.stride[1], t.stride[2], t.stride[3]};
}

template <typename Kernel, typename R, typename... More>
sycl::event transform(sycl::queue& queue, const tensor4<R>& from, const tensor4<R>& to, size_t lines,
                      size_t each, const events& depends, More... more) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<2>(lines, each), Kernel{from.read(h), to.write(h), more...});
  });
}

} // namespace

template <typename R>
sycl::event convolve_by_winograd(sycl::queue& queue, const convolution_of<R>& what, const events& depends) {
  const tensor4<R>&x = what.x, &w = what.w, &y = what.y;
  const size_t inputs = w.extent[1], outputs = w.extent[0] / what.groups;
  const size_t height = y.extent[2], width = y.extent[3];
  tiling tiles{1, parts_of(height, side), parts_of(width, side)};
  const size_t of_image = products * tiles.count() * std::max(inputs, outputs);
  const size_t step = std::clamp<size_t>(most_elements / of_image, 1, y.extent[0]);
  events before = depends;
  const auto then = [&](sycl::event done) { before.assign(1, std::move(done)); };
  for (size_t g = 0; g < what.groups; ++g) {
    const tensor4<R> weights(1, products, outputs, inputs);
    then(transform<transformed_weights<R>>(queue, w.part(0, g * outputs, outputs), weights, outputs, inputs,
                                           before));
    for (size_t first = 0; first < y.extent[0]; first += step) {
      tiles.images = std::min(step, y.extent[0] - first);
      const tensor4<R> points(1, products, inputs, tiles.count()), sums(1, products, outputs, tiles.count());
      const tensor4<R> image = x.part(0, first, tiles.images).part(1, g * inputs, inputs),
                       result = y.part(0, first, tiles.images).part(1, g * outputs, outputs);
      then(transform<transformed_image<R>>(queue, image, points, inputs, tiles.count(), before, tiles,
                                           x.extent[2], x.extent[3], what.how.padding[0],
                                           what.how.padding[1]));
      then(multiply(queue, batch_of(weights), batch_of(points), R(0), batch_of(sums), before));
      then(transform<transformed_results<R>>(queue, sums, result, outputs, tiles.count(), before, tiles,
                                             height, width));
    }
  }
  return before.front();
}

template sycl::event convolve_by_winograd<float>(sycl::queue&, const convolution_of<float>&, const events&);
template sycl::event convolve_by_winograd<double>(sycl::queue&, const convolution_of<double>&, const events&);

} // namespace prism::nn
