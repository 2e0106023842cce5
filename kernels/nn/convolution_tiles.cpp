// Convolutions on the host as products of matrices whose columns, the windows, are never in memory as a
// whole: a group writes the windows of some points as a panel, and multiplies all weights with it in the
// tiles of <kernels/blas/gemm_tile.hpp>. The image is copied with zeros around it before, so that no window
// has an edge. A group has one work-item, because one thread runs each group. Chellapilla, Puri & Simard,
// "High performance convolutional neural networks for document processing", 2006 (columns); Chetlur et al.,
// "cuDNN: efficient primitives for deep learning", 2014 (columns by parts).
#include "kernels/blas/gemm_tile.hpp"
#include "kernels/blas/panel.hpp"
#include "kernels/blas/product.hpp"
#include "kernels/nn/convolution.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

constexpr size_t parts_of(size_t n, size_t size) { return (n + size - 1) / size; }

/// A row of the image with zeros around it.
template <typename R>
struct padded_row {
  planes<const R> from;
  planes<R> to;
  size_t channels, rows, height, width, above, before, line; // line: of `to`
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], channels, rows, 1);
    R* const row = to.at(p.n, p.c, p.i, 0);
    const bool inside = p.i >= above && p.i - above < height;
    const size_t last = inside ? before + width : before;
    for (size_t j = 0; j < before; ++j) row[j] = R(0);
    if (inside) {
      const R* const source = from.at(p.n, p.c, p.i - above, 0);
      if (from.stride[3] == 1)
        for (size_t j = 0; j < width; ++j) row[before + j] = source[j];
      else
        for (size_t j = 0; j < width; ++j) row[before + j] = source[ptrdiff_t(j) * from.stride[3]];
    }
    for (size_t j = last; j < line; ++j) row[j] = R(0);
  }
};

template <typename Tile>
struct convolved_points {
  using R = typename Tile::real;
  static constexpr size_t columns = Tile::columns, rows = Tile::rows, lanes = size_t(Tile::lanes::size());

  planes<const R> x, w; // with zeros around; panels of weights: groups x tiles x (terms * rows)
  planes<R> y;
  size_t groups, panels, parts, tiles, outputs, inputs, width, points, terms, depth;
  size_t kernel_height, kernel_width;
  size_t step[2], dilation[2];

  /// Elements of local memory. Whole vectors are copied, so that the last one may be longer than the panel.
  static constexpr size_t panel_size(size_t depth) { return depth * columns + lanes; }

  void run(size_t id, R* panel) const {
    const position4 p(id, groups, panels, parts);
    const size_t each = parts_of(tiles, parts), first_tile = std::min(p.j * each, tiles),
                 last_tile = std::min(first_tile + each, tiles);
    const size_t first_point = p.i * columns, used = std::min(columns, points - first_point);
    blas::gemm_target<R> to{y.at(p.n, p.c * outputs, 0, 0), y.stride[1], y.stride[3], R(1), R(0), false};
    for (size_t first = 0; first < terms; first += depth) {
      const size_t count = std::min(depth, terms - first);
      write_panel(x.at(p.n, p.c * inputs, 0, 0), first_point, used, first, count, panel);
      for (size_t t = first_tile; t < last_tile; ++t) {
        blas::finished<Tile> sum;
        Tile::multiply(sum, {w.at(p.c, t, 0, 0) + first * rows, 1, rows, 0}, {panel, 1, columns, 0}, count);
        blas::store<Tile>(sum, to, t * rows, first_point, std::min(rows, outputs - t * rows), used);
      }
      to.beta = blas::factor<R>(R(1)), to.reads = true;
    }
  }

private:
  /// Step k of the panel holds what the window's term `first` + k meets at each of the points.
  void write_panel(const R* image, size_t first_point, size_t used, size_t first, size_t count,
                   R* panel) const {
    size_t s = first % kernel_width, r = first / kernel_width % kernel_height,
           c = first / (kernel_width * kernel_height);
    for (size_t k = 0; k < count; ++k, panel += columns) {
      const R* const from = image + ptrdiff_t(c) * x.stride[1] + ptrdiff_t(r * dilation[0]) * x.stride[2] +
                            ptrdiff_t(s * dilation[1]);
      size_t i = first_point / width, j = first_point % width;
      for (size_t done = 0; done < used; ++i, j = 0) {
        const size_t some = std::min(used - done, width - j);
        copy(from + ptrdiff_t(i * step[0]) * x.stride[2] + ptrdiff_t(j * step[1]), some, panel + done);
        done += some;
      }
      if (++s < kernel_width) continue;
      s = 0;
      if (++r < kernel_height) continue;
      r = 0, ++c;
    }
  }
  /// Points of one row. What is copied beyond them is overwritten by the next row, or not used.
  void copy(const R* from, size_t some, R* to) const {
    if (step[1] == 1) {
      for (size_t done = 0; done < some; done += lanes) {
        typename Tile::lanes value;
        value.load(0, from + done);
        value.store(0, to + done);
      }
    } else {
      for (size_t l = 0; l < some; ++l) to[l] = from[l * step[1]];
    }
  }
};

/// The image with zeros around it. Vectors that begin at its last points end in the memory behind it.
template <typename R>
tensor4<R> with_zeros(sycl::queue& queue, const tensor4<R>& x, const window& how, size_t behind,
                      events& before) {
  const size_t height = x.extent[2] + 2 * how.padding[0], width = x.extent[3] + 2 * how.padding[1];
  tensor4<R> out(x.extent[0], x.extent[1], height, width);
  out.where = blas::place<R>(sycl::buffer<R, 1>{sycl::range<1>(out.size() + behind)});
  before.push_back(queue.submit([&](sycl::handler& h) {
    h.depends_on(before);
    h.parallel_for(sycl::range<1>(x.extent[0] * x.extent[1] * height),
                   padded_row<R>{x.read(h), out.write(h), x.extent[1], height, x.extent[2], x.extent[3],
                                 how.padding[0], how.padding[1], width});
  }));
  return out;
}

/// Panels of Tile::rows outputs each: groups x tiles x (terms * rows).
template <typename Tile, typename R>
tensor4<R> panels_of(sycl::queue& queue, const tensor4<R>& w, size_t groups, events& before) {
  constexpr size_t rows = Tile::rows;
  const size_t outputs = w.extent[0] / groups, terms = w.extent[1] * w.extent[2] * w.extent[3],
               tiles = parts_of(outputs, rows);
  const tensor4<R> out(groups, tiles, 1, terms * rows);
  before.push_back(queue.submit([&](sycl::handler& h) {
    h.depends_on(before);
    const planes<const R> from = w.read(h);
    const planes<R> to = out.write(h);
    h.parallel_for(sycl::range<1>(groups * tiles), [=](sycl::id<1> id) {
      const position4 p(id[0], groups, tiles, 1);
      const blas::source<R> lines{from.at(p.c * outputs, 0, 0, 0), from.stride[0], from.stride[3]};
      blas::pack<int(rows), 1>(to.at(p.c, p.i, 0, 0), lines, p.i * rows, std::min(rows, outputs - p.i * rows),
                               0, terms);
    });
  }));
  return out;
}

template <typename Tile, typename R>
std::optional<sycl::event> convolve(sycl::queue& queue, const convolution_of<R>& what,
                                    const events& depends) {
  using group = convolved_points<Tile>;
  // Panels stay in the second-level cache, and each thread has some groups.
  constexpr size_t most_depth = 2048, groups_of_thread = 4;
  const sycl::device device = queue.get_device();
  const tensor4<R>&x = what.x, &w = what.w, &y = what.y;
  const size_t terms = w.extent[1] * w.extent[2] * w.extent[3], outputs = w.extent[0] / what.groups,
               points = y.extent[2] * y.extent[3],
               local = device.get_info<sycl::info::device::local_mem_size>() / sizeof(R);
  if (local < group::panel_size(1)) return {};
  const size_t depth = std::min({terms, most_depth, (local - group::lanes) / group::columns});
  const size_t panels = parts_of(points, group::columns), tiles = parts_of(outputs, group::rows),
               wanted = groups_of_thread * device.get_info<sycl::info::device::max_compute_units>(),
               parts = std::clamp<size_t>(wanted / (y.extent[0] * what.groups * panels), 1, tiles);
  events before = depends;
  const tensor4<R> image = with_zeros(queue, x, what.how, group::lanes, before),
                   weights = panels_of<Tile>(queue, w, what.groups, before);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(before);
    const group all{image.read(h),
                    weights.read(h),
                    y.write(h),
                    what.groups,
                    panels,
                    parts,
                    tiles,
                    outputs,
                    w.extent[1],
                    y.extent[3],
                    points,
                    terms,
                    depth,
                    w.extent[2],
                    w.extent[3],
                    {what.how.stride[0], what.how.stride[1]},
                    {what.how.dilation[0], what.how.dilation[1]}};
    sycl::local_accessor<R> panel(group::panel_size(depth), h);
    h.parallel_for(sycl::nd_range<1>(y.extent[0] * what.groups * panels * parts, 1),
                   [=](sycl::nd_item<1> item)
                       [[sycl::reqd_work_group_size(1)]] { all.run(item.get_group(0), &panel[0]); });
  });
}

/// On the host; PoCL is as fast with the windows in memory. The operands have one stride where a product
/// needs it.
template <typename R>
bool fits(sycl::queue& queue, const convolution_of<R>& what) {
  return what.y.stride[3] == 1 && what.y.joins(2, 3) && what.w.joins(1, 3) &&
         queue.get_backend() == sycl::backend::ext_prism_host;
}

/// Wide tiles have few rows where there are few outputs.
template <typename R>
std::optional<sycl::event> convolve_wide(sycl::queue& queue, const convolution_of<R>& what,
                                         const events& depends) {
  constexpr int lanes = 64 / int(sizeof(R)), few = 8;
  return what.w.extent[0] / what.groups <= few
             ? convolve<blas::gemm_tile<R, lanes, few, 3, 1>>(queue, what, depends)
             : convolve<blas::gemm_tile<R, lanes, 14, 2, 1>>(queue, what, depends);
}

} // namespace

template <>
std::optional<sycl::event> convolve_by_tiles<float>(sycl::queue& queue, const convolution_of<float>& what,
                                                    const events& depends) {
  if (!fits(queue, what)) return {};
  return blas::has_wide_vectors(queue.get_device())
             ? convolve_wide(queue, what, depends)
             : convolve<blas::gemm_tile<float, 8, 6, 2, 1>>(queue, what, depends);
}
template <>
std::optional<sycl::event> convolve_by_tiles<double>(sycl::queue& queue, const convolution_of<double>& what,
                                                     const events& depends) {
  if (!fits(queue, what)) return {};
  return blas::has_wide_vectors(queue.get_device())
             ? convolve_wide(queue, what, depends)
             : convolve<blas::gemm_tile<double, 4, 6, 2, 1>>(queue, what, depends);
}

} // namespace prism::nn
