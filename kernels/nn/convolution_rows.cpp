// Direct convolutions on processors, for images whose rows are contiguous and windows that step by one: a
// work-item computes part of a row of the result. Each row of the image that meets it is copied with zeros
// around it, so that each point of the window is a multiplication of whole vectors, without questions about
// edges. Several rows of the result share the copy.
#include "kernels/nn/convolution.hpp"

#include "kernels/blas/product.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

template <typename R>
struct convolution_rows {
  static constexpr size_t together = 128 / sizeof(R), rows = 4; // of the result
  static constexpr size_t most_reach = together;                // points of a row that a window adds
  planes<const R> x, w;
  planes<R> y;
  size_t outputs, height, width, row_blocks, blocks, in_height, in_width, inputs, kernel_height, kernel_width,
      per_group, down, across; // down, across: dilation
  size_t above, before;        // padding

  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], outputs, row_blocks, blocks);
    const size_t first = p.j * together, top = p.i * rows, count = sycl::min(rows, height - top);
    R sum[rows][together];
    for (size_t k = 0; k < rows; ++k)
      for (size_t i = 0; i < together; ++i) sum[k][i] = R(0);
    const size_t reach = (kernel_height - 1) * down;
    for (size_t c = 0; c < inputs; ++c)
      for (size_t below = 0; below < count + reach; ++below) {
        const size_t line = top + below - above; // before the image: it wraps around
        if (line >= in_height) continue;
        R padded[together + most_reach];
        copy_row(x.at(p.n, p.c / per_group * inputs + c, line, 0), first, padded);
        for (size_t r = 0; r < kernel_height; ++r) {
          const size_t k = below - r * down;
          if (k < count) add_row(w.at(p.c, c, r, 0), padded, sum[k]);
        }
      }
    for (size_t k = 0; k < count; ++k) {
      R* const to = y.at(p.n, p.c, top + k, first);
      const size_t points = sycl::min(together, width - first);
      for (size_t i = 0; i < points; ++i) to[i] = sum[k][i];
    }
  }

private:
  /// The points of a row that the window meets at `first` and later: 0 outside.
  void copy_row(const R* from, size_t first, R* to) const {
    const size_t all = together + (kernel_width - 1) * across,
                 lead = first < before ? sycl::min(before - first, all) : 0, start = first + lead - before,
                 inside = start < in_width ? sycl::min(all - lead, in_width - start) : 0;
    for (size_t i = 0; i < lead; ++i) to[i] = R(0);
    for (size_t i = 0; i < inside; ++i) to[lead + i] = from[start + i];
    for (size_t i = lead + inside; i < all; ++i) to[i] = R(0);
  }
  void add_row(const R* by, const R* padded, R* sum) const {
    for (size_t s = 0; s < kernel_width; ++s) {
      const R factor = by[ptrdiff_t(s) * w.stride[3]];
      const R* const from = padded + s * across;
      for (size_t i = 0; i < together; ++i) sum[i] += factor * from[i];
    }
  }
};

} // namespace

template <typename R>
std::optional<sycl::event> convolve_rows(sycl::queue& queue, const convolution_of<R>& what,
                                         const events& depends) {
  using kernel = convolution_rows<R>;
  const tensor4<R>&x = what.x, &w = what.w, &y = what.y;
  const window& how = what.how;
  const bool fits = how.stride[0] == 1 && how.stride[1] == 1 && x.stride[3] == 1 && y.stride[3] == 1 &&
                    (w.extent[3] - 1) * how.dilation[1] <= kernel::most_reach;
  if (!fits || !blas::runs_packed(queue.get_device())) return {};
  const size_t row_blocks = (y.extent[2] + kernel::rows - 1) / kernel::rows,
               blocks = (y.extent[3] + kernel::together - 1) / kernel::together;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(y.extent[0] * y.extent[1] * row_blocks * blocks),
                   kernel{x.read(h), w.read(h), y.write(h), y.extent[1], y.extent[2], y.extent[3], row_blocks,
                          blocks, x.extent[2], x.extent[3], w.extent[1], w.extent[2], w.extent[3],
                          y.extent[1] / what.groups, how.dilation[0], how.dilation[1], how.padding[0],
                          how.padding[1]});
  });
}

template std::optional<sycl::event> convolve_rows<float>(sycl::queue&, const convolution_of<float>&,
                                                         const events&);
template std::optional<sycl::event> convolve_rows<double>(sycl::queue&, const convolution_of<double>&,
                                                          const events&);

} // namespace prism::nn
