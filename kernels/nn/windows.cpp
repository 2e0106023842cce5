// Convolutions and pooling: direct sums, and windows as the columns of a matrix (Chellapilla, Puri & Simard
// 2006, "High performance convolutional neural networks for document processing").
#include "kernels/nn/steps.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

/// Where a window meets an image: point `i` of the result and `r` of the window. Beyond the image it is
/// outside, also before it, because the number wraps around.
struct meeting {
  size_t stride, padding, dilation;
  size_t at(size_t i, size_t r) const { return i * stride + r * dilation - padding; }
};
meeting meeting_of(const window& how, int d) { return {how.stride[d], how.padding[d], how.dilation[d]}; }

template <typename R>
struct direct_convolution {
  static constexpr size_t together = 16;
  using vector = sycl::vec<R, int(together)>;
  planes<const R> x, w;
  planes<R> y;
  size_t outputs, height, width, blocks, in_height, in_width, inputs, kernel_height, kernel_width, per_group;
  meeting down, across;

  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], outputs, height, blocks);
    const size_t j = p.j * together, count = sycl::min(together, width - j);
    vector sum(R(0));
    for (size_t c = 0; c < inputs; ++c)
      for (size_t r = 0; r < kernel_height; ++r) {
        const size_t line = down.at(p.i, r);
        if (line < in_height) add_row(p, c, r, line, j, count, sum);
      }
    R* const to = y.at(p.n, p.c, p.i, j);
    R all[together];
    sum.store(0, all);
    for (size_t k = 0; k < count; ++k) to[ptrdiff_t(k) * y.stride[3]] = all[k];
  }

private:
  void add_row(const position4& p, size_t c, size_t r, size_t line, size_t j, size_t count,
               vector& sum) const {
    const R* const from = x.at(p.n, p.c / per_group * inputs + c, line, 0);
    for (size_t s = 0; s < kernel_width; ++s) {
      const R by = *w.at(p.c, c, r, s);
      const size_t first = across.at(j, s);
      if (count == together && across.stride == 1 && x.stride[3] == 1 && first < in_width &&
          in_width - first >= together) {
        vector one;
        one.load(0, from + first);
        sum += vector(by) * one;
      } else {
        R points[together] = {};
        for (size_t k = 0; k < count; ++k)
          if (const size_t column = across.at(j + k, s); column < in_width)
            points[k] = by * from[ptrdiff_t(column) * x.stride[3]];
        vector one;
        one.load(0, points);
        sum += one;
      }
    }
  }
};

template <typename R>
struct column_rows {
  planes<const R> x;
  planes<R> columns;
  size_t channels, kernel_height, kernel_width, height, width, in_height, in_width;
  meeting down, across;
  /// A row of the result for one point of the window.
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0] / height, channels, kernel_height, kernel_width);
    const size_t i = id[0] % height, line = down.at(i, p.i);
    R* const to = columns.at(p.n, 0, (p.c * kernel_height + p.i) * kernel_width + p.j, i * width);
    const bool inside = line < in_height;
    const R* const from = inside ? x.at(p.n, p.c, line, 0) : nullptr;
    const size_t first = across.at(0, p.j);
    if (inside && across.stride == 1 && x.stride[3] == 1) {
      // Points before the image have wrapped around.
      const size_t before = first < in_width ? 0 : sycl::min(width, size_t(0) - first),
                   start = first + before,
                   count = start < in_width ? sycl::min(width - before, in_width - start) : 0;
      for (size_t k = 0; k < before; ++k) to[k] = R(0);
      for (size_t k = 0; k < count; ++k) to[before + k] = from[start + k];
      for (size_t k = before + count; k < width; ++k) to[k] = R(0);
      return;
    }
    for (size_t k = 0; k < width; ++k) {
      const size_t column = across.at(k, p.j);
      to[k] = inside && column < in_width ? from[ptrdiff_t(column) * x.stride[3]] : R(0);
    }
  }
};

/// The result's points that meet point `line` of the image: those whose window has it.
struct met {
  meeting how;
  size_t results;
  /// Whether point r of a window of result `i` is `line`.
  bool find(size_t line, size_t r, size_t& i) const {
    const size_t from = line + how.padding, behind = r * how.dilation;
    if (from < behind || (from - behind) % how.stride != 0) return false;
    i = (from - behind) / how.stride;
    return i < results;
  }
};

template <typename R>
struct summed_columns {
  planes<const R> columns;
  planes<R> x;
  size_t channels, in_height, in_width, kernel_height, kernel_width, width;
  met down, across;
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], channels, in_height, in_width);
    R sum = 0;
    for (size_t r = 0; r < kernel_height; ++r) {
      size_t i = 0, j = 0;
      if (!down.find(p.i, r, i)) continue;
      for (size_t s = 0; s < kernel_width; ++s)
        if (across.find(p.j, s, j))
          sum += *columns.at(p.n, 0, (p.c * kernel_height + r) * kernel_width + s, i * width + j);
    }
    *x.at(p.n, p.c, p.i, p.j) = sum;
  }
};

/// A window of pooling.
template <typename R>
struct pooled_window {
  planes<const R> x;
  size_t kernel_height, kernel_width, in_height, in_width;
  meeting down, across;

  R mean(const position4& p, bool counts_padding) const {
    R sum = 0;
    size_t count = 0;
    for (size_t r = 0; r < kernel_height; ++r)
      for (size_t s = 0; s < kernel_width; ++s) {
        const size_t line = down.at(p.i, r), column = across.at(p.j, s);
        if (line < in_height && column < in_width) sum += *x.at(p.n, p.c, line, column), ++count;
      }
    return sum / R(counts_padding ? kernel_height * kernel_width : count);
  }
  size_t points(size_t i, size_t j) const {
    size_t count = 0;
    for (size_t r = 0; r < kernel_height; ++r)
      for (size_t s = 0; s < kernel_width; ++s)
        if (down.at(i, r) < in_height && across.at(j, s) < in_width) ++count;
    return count;
  }
  /// The largest value; `where`: the number of its point in the image. The first NaN counts as the largest.
  R most(size_t n, size_t c, size_t i, size_t j, size_t& where) const {
    R best = 0;
    bool any = false;
    for (size_t r = 0; r < kernel_height; ++r)
      for (size_t s = 0; s < kernel_width; ++s) {
        const size_t line = down.at(i, r), column = across.at(j, s);
        if (line >= in_height || column >= in_width) continue;
        const R value = *x.at(n, c, line, column);
        if (!any || value > best || (value != value && best == best))
          best = value, where = line * in_width + column, any = true;
      }
    return best;
  }
};

template <typename R>
pooled_window<R> window_in(sycl::handler& h, const image_windows& of, const tensor4<R>& x) {
  return {x.read(h),   of.kernel[0],          of.kernel[1],         x.extent[2],
          x.extent[3], meeting_of(of.how, 0), meeting_of(of.how, 1)};
}

template <typename R>
struct pooled {
  pooled_window<R> of;
  planes<R> y;
  pooling kind;
  size_t channels, height, width;
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], channels, height, width);
    size_t where = 0;
    *y.at(p.n, p.c, p.i, p.j) = kind == pooling::max ? of.most(p.n, p.c, p.i, p.j, where)
                                                     : of.mean(p, kind == pooling::average_with_padding);
  }
};

/// A point of the image collects from the windows that have it, so nothing is added twice at once.
template <typename R>
struct pooled_gradient {
  pooled_window<R> of;
  planes<const R> dy;
  planes<R> dx;
  pooling kind;
  size_t channels;
  met down, across;
  void operator()(sycl::id<1> id) const {
    const position4 p(id[0], channels, of.in_height, of.in_width);
    R sum = 0;
    for (size_t r = 0; r < of.kernel_height; ++r) {
      size_t i = 0, j = 0;
      if (!down.find(p.i, r, i)) continue;
      for (size_t s = 0; s < of.kernel_width; ++s) {
        if (!across.find(p.j, s, j)) continue;
        const R gradient = *dy.at(p.n, p.c, i, j);
        if (kind == pooling::max) {
          size_t where = 0;
          of.most(p.n, p.c, i, j, where);
          if (where == p.i * of.in_width + p.j) sum += gradient;
        } else
          sum +=
              gradient / R(kind == pooling::average ? of.points(i, j) : of.kernel_height * of.kernel_width);
      }
    }
    *dx.at(p.n, p.c, p.i, p.j) = sum;
  }
};

} // namespace

template <typename R>
sycl::event convolve_directly(sycl::queue& queue, const window& how, size_t groups, const tensor4<R>& x,
                              const tensor4<R>& w, const tensor4<R>& y, const events& depends) {
  using kernel = direct_convolution<R>;
  const size_t blocks = (y.extent[3] + kernel::together - 1) / kernel::together;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(y.extent[0] * y.extent[1] * y.extent[2] * blocks),
                   kernel{x.read(h), w.read(h), y.write(h), y.extent[1], y.extent[2], y.extent[3], blocks,
                          x.extent[2], x.extent[3], w.extent[1], w.extent[2], w.extent[3],
                          y.extent[1] / groups, meeting_of(how, 0), meeting_of(how, 1)});
  });
}

template <typename R>
sycl::event to_columns(sycl::queue& queue, const image_windows& of, const tensor4<R>& x,
                       const tensor4<R>& columns, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(x.extent[0] * x.extent[1] * of.kernel[0] * of.kernel[1] * of.out[0]),
                   column_rows<R>{x.read(h), columns.write(h), x.extent[1], of.kernel[0], of.kernel[1],
                                  of.out[0], of.out[1], x.extent[2], x.extent[3], meeting_of(of.how, 0),
                                  meeting_of(of.how, 1)});
  });
}

template <typename R>
sycl::event from_columns(sycl::queue& queue, const image_windows& of, const tensor4<R>& columns,
                         const tensor4<R>& x, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(x.size()), summed_columns<R>{columns.read(h),
                                                               x.write(h),
                                                               x.extent[1],
                                                               x.extent[2],
                                                               x.extent[3],
                                                               of.kernel[0],
                                                               of.kernel[1],
                                                               of.out[1],
                                                               {meeting_of(of.how, 0), of.out[0]},
                                                               {meeting_of(of.how, 1), of.out[1]}});
  });
}

template <typename R>
sycl::event pool_windows(sycl::queue& queue, pooling kind, const image_windows& of, const tensor4<R>& x,
                         const tensor4<R>& y, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(y.size()),
                   pooled<R>{window_in(h, of, x), y.write(h), kind, y.extent[1], y.extent[2], y.extent[3]});
  });
}

template <typename R>
sycl::event pool_gradient(sycl::queue& queue, pooling kind, const image_windows& of, const tensor4<R>& x,
                          const tensor4<R>& dy, const tensor4<R>& dx, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(dx.size()), pooled_gradient<R>{window_in(h, of, x),
                                                                 dy.read(h),
                                                                 dx.write(h),
                                                                 kind,
                                                                 dx.extent[1],
                                                                 {meeting_of(of.how, 0), of.out[0]},
                                                                 {meeting_of(of.how, 1), of.out[1]}});
  });
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template sycl::event convolve_directly<R>(sycl::queue&, const window&, size_t, const tensor4<R>&,          \
                                            const tensor4<R>&, const tensor4<R>&, const events&);            \
  template sycl::event to_columns<R>(sycl::queue&, const image_windows&, const tensor4<R>&,                  \
                                     const tensor4<R>&, const events&);                                      \
  template sycl::event from_columns<R>(sycl::queue&, const image_windows&, const tensor4<R>&,                \
                                       const tensor4<R>&, const events&);                                    \
  template sycl::event pool_windows<R>(sycl::queue&, pooling, const image_windows&, const tensor4<R>&,       \
                                       const tensor4<R>&, const events&);                                    \
  template sycl::event pool_gradient<R>(sycl::queue&, pooling, const image_windows&, const tensor4<R>&,      \
                                        const tensor4<R>&, const tensor4<R>&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::nn
