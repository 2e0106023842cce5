// Convolutions on the host whose windows step by one, straight from the image: a group copies some rows of
// all channels with zeros around them, and multiplies the weights with the copy in tiles of registers. What a
// term of the window meets at adjacent points is adjacent in the copy, so no windows are written. A tile has
// some vectors of points, each of one row; the last one of a row ends where the row ends, and computes points
// of the one before it again. Tiles with few terms stay in the first-level cache so. A group has one
// work-item, because one thread runs each group. Georganas et al., "Anatomy of high-performance deep learning
// convolutions on SIMD architectures", SC 2018 (direct sums in registers).
#include "kernels/blas/product.hpp"
#include "kernels/nn/convolution.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

/// Rows: outputs of a tile. Rows * Vectors sums, Vectors of the image and one weight fit the registers, and
/// one is free: clang stores and loads sums in each step where none is.
template <typename R, int Lanes, int Rows, int Vectors>
struct convolved_strip {
  using lanes = sycl::vec<R, Lanes>;
  static constexpr size_t rows = Rows, width = Lanes;
  using tile = R[Rows][Vectors][Lanes];

  planes<const R> x, w;
  planes<R> y;
  size_t groups, strips, height;                                                   // of a strip of results
  size_t inputs, outputs, in_height, in_width, out_height, out_width, line, lines; // of the copy
  size_t kernel_height, kernel_width, above, before, down, across;                 // the last two: dilation

  static size_t copy_size(size_t inputs, size_t lines, size_t line) { return inputs * lines * line + width; }

  void run(size_t id, R* copy) const {
    const position4 p(id, groups, strips, 1);
    const size_t top = p.i * height, count = std::min(height, out_height - top),
                 vectors_of_row = (out_width + width - 1) / width, vectors = count * vectors_of_row;
    write_copy(p, top, copy);
    size_t i = 0, j = 0; // the next vector
    for (size_t first = 0; first < vectors; first += Vectors) {
      const R* from[Vectors];
      ptrdiff_t to[Vectors];
#pragma unroll
      for (int v = 0; v < Vectors; ++v) {
        const size_t point = out_width < width ? 0 : std::min(j * width, out_width - width);
        from[v] = copy + (i * line + point);
        to[v] = ptrdiff_t(i) * y.stride[2] + ptrdiff_t(point);
        if (first + size_t(v) + 1 >= vectors) continue; // the last one again
        if (++j == vectors_of_row) j = 0, ++i;
      }
      for (size_t o = 0; o < outputs; o += rows)
        compute(p.c * outputs + o, std::min(rows, outputs - o), from, y.at(p.n, p.c * outputs + o, top, 0),
                to);
    }
  }

private:
  /// The rows that the strip meets, and zeros behind them, which the last vector of narrow images reads.
  void write_copy(const position4& p, size_t top, R* to) const {
    for (size_t c = 0; c < inputs; ++c)
      for (size_t l = 0; l < lines; ++l, to += line) {
        const size_t from = top + l - above; // before the image: it wraps around
        const bool inside = from < in_height;
        const size_t last = inside ? before + in_width : 0;
        if (inside) {
          const R* const source = x.at(p.n, p.c * inputs + c, from, 0);
          for (size_t j = 0; j < before; ++j) to[j] = R(0);
          copy_row(source, to + before);
        }
        for (size_t j = last; j < line; ++j) to[j] = R(0);
      }
    for (size_t j = 0; j < width; ++j) to[j] = R(0);
  }

  void copy_row(const R* from, R* to) const {
    if (x.stride[3] != 1 || in_width < width) {
      for (size_t j = 0; j < in_width; ++j) to[j] = from[ptrdiff_t(j) * x.stride[3]];
      return;
    }
    for (size_t done = 0; done < in_width; done += width) {
      const size_t j = std::min(done, in_width - width);
      lanes value;
      value.load(0, from + j);
      value.store(0, to + j);
    }
  }

  /// Outputs beyond the last one are computed as that, and not written. `base`: the strip's first result of
  /// the first output.
  void compute(size_t output, size_t used, const R* const (&first)[Vectors], R* base,
               const ptrdiff_t (&to)[Vectors]) const {
    const R* weights[Rows];
#pragma unroll
    for (size_t r = 0; r < rows; ++r) weights[r] = w.at(output + (r < used ? r : used - 1), 0, 0, 0);
    lanes sum[Rows][Vectors];
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int v = 0; v < Vectors; ++v) sum[r][v] = lanes(R(0));
    ptrdiff_t k = 0;
    for (size_t c = 0; c < inputs; ++c)
      for (size_t i = 0; i < kernel_height; ++i) {
        auto at = ptrdiff_t((c * lines + i * down) * line);
        for (size_t j = 0; j < kernel_width; ++j, at += ptrdiff_t(across), k += w.stride[3]) {
          lanes image[Vectors];
#pragma unroll
          for (int v = 0; v < Vectors; ++v) image[v].load(0, first[v] + at);
#pragma unroll
          for (int r = 0; r < Rows; ++r) {
            const lanes weight(weights[r][k]);
#pragma unroll
            for (int v = 0; v < Vectors; ++v)
#pragma unroll
              for (int l = 0; l < Lanes; ++l) sum[r][v][l] = weight[l] * image[v][l] + sum[r][v][l];
          }
        }
      }
    tile found; // a second use of the sums would keep clang from having them in registers
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int v = 0; v < Vectors; ++v) sum[r][v].store(0, found[r][v]);
    write(found, used, base, to);
  }

  void write(const tile& found, size_t used, R* base, const ptrdiff_t (&to)[Vectors]) const {
    if (out_width >= width) {
#pragma unroll 1
      for (size_t r = 0; r < used; ++r, base += y.stride[1])
#pragma unroll
        for (int v = 0; v < Vectors; ++v) {
          lanes value;
          value.load(0, found[r][v]);
          value.store(0, base + to[v]);
        }
      return;
    }
#pragma unroll 1
    for (size_t r = 0; r < used; ++r)
#pragma unroll 1
      for (int v = 0; v < Vectors; ++v)
#pragma unroll 1
        for (size_t l = 0; l < std::min(width, out_width); ++l)
          base[ptrdiff_t(r) * y.stride[1] + to[v] + ptrdiff_t(l)] = found[r][v][l];
  }
};

template <typename Strip, typename R>
std::optional<sycl::event> convolve(sycl::queue& queue, const convolution_of<R>& what,
                                    const events& depends) {
  // The copy and what a tile reads of it stay in the caches next to the processor; each thread has some
  // strips.
  constexpr size_t most_bytes = 32768, strips_of_thread = 8;
  const sycl::device device = queue.get_device();
  const tensor4<R>&x = what.x, &w = what.w, &y = what.y;
  const window& how = what.how;
  const size_t inputs = w.extent[1], height = y.extent[2], line = x.extent[3] + 2 * how.padding[1],
               reach = (w.extent[2] - 1) * how.dilation[0],
               local = device.get_info<sycl::info::device::local_mem_size>() / sizeof(R);
  const size_t wanted = strips_of_thread * device.get_info<sycl::info::device::max_compute_units>(),
               images = y.extent[0] * what.groups, few = std::max<size_t>(1, wanted / images),
               that_fit = most_bytes / sizeof(R) / (inputs * line),
               rows = std::clamp<size_t>(that_fit > reach ? that_fit - reach : 1, 1,
                                         std::max<size_t>(1, (height + few - 1) / few)),
               size = Strip::copy_size(inputs, rows + reach, line);
  if (size > local) return {};
  const size_t strips = (height + rows - 1) / rows;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const Strip all{x.read(h),      w.read(h),      y.write(h),      what.groups,
                    strips,         rows,           inputs,          w.extent[0] / what.groups,
                    x.extent[2],    x.extent[3],    height,          y.extent[3],
                    line,           rows + reach,   w.extent[2],     w.extent[3],
                    how.padding[0], how.padding[1], how.dilation[0], how.dilation[1]};
    const sycl::local_accessor<R> copy(size, h);
    h.parallel_for(sycl::nd_range<1>(images * strips, 1),
                   [=](sycl::nd_item<1> item)
                       [[sycl::reqd_work_group_size(1)]] { all.run(item.get_group(0), &copy[0]); });
  });
}

template <typename R, int Lanes, int Rows, int Vectors>
std::optional<sycl::event> by_outputs(sycl::queue& queue, const convolution_of<R>& what,
                                      const events& depends) {
  return what.w.extent[0] == what.groups
             ? convolve<convolved_strip<R, Lanes, 1, 6>>(queue, what, depends)
             : convolve<convolved_strip<R, Lanes, Rows, Vectors>>(queue, what, depends);
}

template <typename R>
std::optional<sycl::event> convolve_host(sycl::queue& queue, const convolution_of<R>& what,
                                         const events& depends) {
  // Few terms: a tile's part of the copy is in the first-level cache while all outputs use it.
  constexpr size_t most_terms = 160;
  const window& how = what.how;
  const tensor4<R>& w = what.w;
  if (queue.get_backend() != sycl::backend::ext_prism_host || how.stride[0] != 1 || how.stride[1] != 1 ||
      what.y.stride[3] != 1 || !w.joins(1, 3) || w.extent[1] * w.extent[2] * w.extent[3] > most_terms)
    return {};
  return blas::has_wide_vectors(queue.get_device())
             ? by_outputs<R, 64 / int(sizeof(R)), 8, 3>(queue, what, depends)
             : by_outputs<R, 32 / int(sizeof(R)), 4, 2>(queue, what, depends);
}

} // namespace

template <>
std::optional<sycl::event> convolve_strips<float>(sycl::queue& queue, const convolution_of<float>& what,
                                                  const events& depends) {
  return convolve_host(queue, what, depends);
}
template <>
std::optional<sycl::event> convolve_strips<double>(sycl::queue& queue, const convolution_of<double>& what,
                                                   const events& depends) {
  return convolve_host(queue, what, depends);
}

} // namespace prism::nn
