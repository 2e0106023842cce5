// Convolutions with 3 x 3 weights by Winograd's algorithm F(4 x 4, 3 x 3): 36 products of matrices give the
// results of tiles of 4 x 4 points, with a quarter of the multiplications of the definition.
#include "kernels/nn/products.hpp"
#include "kernels/nn/winograd.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

using namespace winograd;

constexpr size_t most_elements = size_t(1) << 23; // of the transformed images of one step

constexpr size_t parts_of(size_t n, size_t size) { return (n + size - 1) / size; }

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
    for (size_t k = 0; k < products; ++k) to.at(0, k, id[0], 0)[id[1]] = d[k]; // adjacent
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
      for (size_t j = 0; j < reach; ++j) to.at(0, i * reach + j, id[0], 0)[id[1]] = row[j];
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
    for (size_t k = 0; k < products; ++k) m[k] = from.at(0, k, id[0], 0)[id[1]];
    for (size_t j = 0; j < reach; ++j) transform_results(m + j, reach, half + j, reach);
    for (size_t i = 0; i < side; ++i) transform_results(half + i * reach, 1, out + i * side, 1);
    for (size_t i = 0; i < side; ++i)
      for (size_t j = 0; j < side; ++j) {
        const size_t row = p.i * side + i, column = p.j * side + j;
        if (row < height && column < width) *to.at(p.n, id[0], row, column) = out[i * side + j];
      }
  }
};

/// A matrix for each product. They begin in different sets of a cache: an odd number of its lines apart.
template <typename R>
tensor4<R> matrices_of_products(size_t rows, size_t columns) {
  constexpr size_t line = 64 / sizeof(R);
  const size_t apart = (parts_of(rows * columns, line) | 1) * line;
  tensor4<R> out;
  out.extent[1] = products, out.extent[2] = rows, out.extent[3] = columns;
  out.stride[1] = ptrdiff_t(apart), out.stride[2] = ptrdiff_t(columns), out.stride[3] = 1;
  out.where = blas::place<R>(sycl::buffer<R, 1>{sycl::range<1>(products * apart + readable_behind)});
  return out;
}
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
    const auto weights = matrices_of_products<R>(outputs, inputs);
    then(transform<transformed_weights<R>>(queue, w.part(0, g * outputs, outputs), weights, outputs, inputs,
                                           before));
    for (size_t first = 0; first < y.extent[0]; first += step) {
      tiles.images = std::min(step, y.extent[0] - first);
      const auto points = matrices_of_products<R>(inputs, tiles.count()),
                 sums = matrices_of_products<R>(outputs, tiles.count());
      const tensor4<R> image = x.part(0, first, tiles.images).part(1, g * inputs, inputs),
                       result = y.part(0, first, tiles.images).part(1, g * outputs, outputs);
      if (const auto done = transform_image_rows(queue, image, points, tiles, what.how, before)) then(*done);
      else
        then(transform<transformed_image<R>>(queue, image, points, inputs, tiles.count(), before, tiles,
                                             x.extent[2], x.extent[3], what.how.padding[0],
                                             what.how.padding[1]));
      then(multiply(queue, batch_of(weights), batch_of(points), R(0), batch_of(sums), before));
      if (const auto done = transform_result_rows(queue, sums, result, tiles, before)) then(*done);
      else
        then(transform<transformed_results<R>>(queue, sums, result, outputs, tiles.count(), before, tiles,
                                               height, width));
    }
  }
  return before.front();
}

template sycl::event convolve_by_winograd<float>(sycl::queue&, const convolution_of<float>&, const events&);
template sycl::event convolve_by_winograd<double>(sycl::queue&, const convolution_of<double>&, const events&);

} // namespace prism::nn
