// The steps of Winograd's algorithm on processors, for rows without gaps: a work-item has a block of tiles
// next to each other, whose values are in vectors, one for each of the 36 products.
#include "kernels/blas/product.hpp"
#include "kernels/nn/winograd.hpp"

#include <algorithm>

namespace prism::nn::winograd {
namespace {

template <typename R>
constexpr size_t together = 64 / sizeof(R); // tiles: a vector of a processor

/// The work-items: a block of tiles of a row of a channel of an image.
template <typename R>
struct blocks {
  tiling tiles;
  size_t in_row; // blocks
  explicit blocks(const tiling& of) : tiles(of), in_row((of.columns + together<R> - 1) / together<R>) {}
  size_t count(size_t channels) const { return channels * tiles.images * tiles.rows * in_row; }
  struct place {
    size_t channel, image, row, first, count; // first: column of tiles
    size_t tile;                              // number of the first one
  };
  place of(size_t id) const {
    const position4 p(id, tiles.images, tiles.rows, in_row);
    const size_t first = p.j * together<R>;
    return {p.n,
            p.c,
            p.i,
            first,
            sycl::min(together<R>, tiles.columns - first),
            (p.c * tiles.rows + p.i) * tiles.columns + first};
  }
};

template <typename R>
struct image_rows {
  planes<const R> from;
  planes<R> to;
  blocks<R> all;
  size_t height, width, above, before;

  void operator()(sycl::id<1> id) const {
    const auto p = all.of(id[0]);
    R points[reach][side][together<R> + 1]; // of the rows, every fourth point
    for (size_t r = 0; r < reach; ++r) {
      R line[(together<R> + 1) * side];
      copy_row(p.image, p.channel, p.row * side + r - above, p.first * side, line);
      for (size_t k = 0; k < side; ++k)
        for (size_t t = 0; t < together<R> + 1; ++t) points[r][k][t] = line[t * side + k];
    }
    for (size_t k = 0; k < side; ++k)
      for (size_t t = 0; t < together<R> + 1; ++t)
        transform_points(&points[0][k][t], side * (together<R> + 1));
    for (size_t r = 0; r < reach; ++r) {
      R out[reach][together<R>];
      for (size_t t = 0; t < together<R>; ++t) {
        R d[reach] = {points[r][0][t], points[r][1][t],     points[r][2][t],
                      points[r][3][t], points[r][0][t + 1], points[r][1][t + 1]};
        transform_points(d, 1);
        for (size_t k = 0; k < reach; ++k) out[k][t] = d[k];
      }
      for (size_t k = 0; k < reach; ++k) {
        R* const target = to.at(0, r * reach + k, p.channel, 0) + p.tile;
        if (p.count == together<R>)
          for (size_t t = 0; t < together<R>; ++t) target[t] = out[k][t];
        else
          for (size_t t = 0; t < p.count; ++t) target[t] = out[k][t];
      }
    }
  }

private:
  /// Points of a row from column `first` of the image with its padding: 0 outside.
  void copy_row(size_t image, size_t channel, size_t row, size_t first, R* line) const {
    constexpr size_t all_points = (together<R> + 1) * side;
    const size_t lead = first < before ? sycl::min(before - first, all_points) : 0,
                 start = first + lead - before;
    const size_t inside = row < height && start < width ? sycl::min(all_points - lead, width - start) : 0;
    for (size_t i = 0; i < lead; ++i) line[i] = R(0);
    const R* const source = inside != 0 ? from.at(image, channel, row, start) : nullptr;
    if (inside == all_points)
      for (size_t i = 0; i < all_points; ++i) line[i] = source[i];
    else
      for (size_t i = 0; i < inside; ++i) line[lead + i] = source[i];
    for (size_t i = lead + inside; i < all_points; ++i) line[i] = R(0);
  }
};

template <typename R>
struct result_rows {
  planes<const R> from;
  planes<R> to;
  blocks<R> all;
  size_t height, width;

  void operator()(sycl::id<1> id) const {
    const auto p = all.of(id[0]);
    R half[side][reach][together<R>];
    for (size_t j = 0; j < reach; ++j) {
      R column[reach][together<R>];
      for (size_t i = 0; i < reach; ++i) {
        const R* const source = from.at(0, i * reach + j, p.channel, 0) + p.tile; // may end behind its row
        for (size_t t = 0; t < together<R>; ++t) column[i][t] = source[t];
      }
      for (size_t t = 0; t < together<R>; ++t)
        transform_results(&column[0][t], together<R>, &half[0][j][t], reach * together<R>);
    }
    const size_t points = sycl::min(p.count * side, width - p.first * side);
    for (size_t i = 0; i < side && p.row * side + i < height; ++i) {
      R line[together<R> * side];
      for (size_t t = 0; t < together<R>; ++t) {
        R out[side];
        transform_results(&half[i][0][t], together<R>, out, 1);
        for (size_t k = 0; k < side; ++k) line[t * side + k] = out[k];
      }
      R* const target = to.at(p.image, p.channel, p.row * side + i, p.first * side);
      if (points == together<R> * side)
        for (size_t k = 0; k < together<R> * side; ++k) target[k] = line[k];
      else
        for (size_t k = 0; k < points; ++k) target[k] = line[k];
    }
  }
};

} // namespace

template <typename R>
std::optional<sycl::event> transform_image_rows(sycl::queue& queue, const tensor4<R>& x,
                                                const tensor4<R>& points, const tiling& tiles,
                                                const window& how, const events& depends) {
  if (x.stride[3] != 1 || !blas::runs_packed(queue.get_device())) return {};
  const blocks<R> all(tiles);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(all.count(x.extent[1])),
                   image_rows<R>{x.read(h), points.write(h), all, x.extent[2], x.extent[3], how.padding[0],
                                 how.padding[1]});
  });
}
template <typename R>
std::optional<sycl::event> transform_result_rows(sycl::queue& queue, const tensor4<R>& sums,
                                                 const tensor4<R>& y, const tiling& tiles,
                                                 const events& depends) {
  static_assert(together<R> <= readable_behind);
  if (y.stride[3] != 1 || !blas::runs_packed(queue.get_device())) return {};
  const blocks<R> all(tiles);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(all.count(y.extent[1])),
                   result_rows<R>{sums.read(h), y.write(h), all, y.extent[2], y.extent[3]});
  });
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template std::optional<sycl::event> transform_image_rows<R>(                                               \
      sycl::queue&, const tensor4<R>&, const tensor4<R>&, const tiling&, const window&, const events&);      \
  template std::optional<sycl::event> transform_result_rows<R>(                                              \
      sycl::queue&, const tensor4<R>&, const tensor4<R>&, const tiling&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::nn::winograd
