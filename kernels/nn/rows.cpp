// Activations, normalisations and softmax.
#include "kernels/nn/steps.hpp"

#include <algorithm>

namespace prism::nn {
namespace {

constexpr size_t in_a_run = 64;

/// A work-item does a run of neighbours in the last dimension.
struct runs {
  size_t channels, height, width, per_row;
  template <typename R>
  explicit runs(const tensor4<R>& of)
      : channels(of.extent[1]), height(of.extent[2]), width(of.extent[3]),
        per_row((of.extent[3] + in_a_run - 1) / in_a_run) {}
  template <typename R>
  size_t count(const tensor4<R>& of) const {
    return of.extent[0] * channels * height * per_row;
  }
  position4 at(size_t number) const {
    position4 out(number, channels, height, per_row);
    out.j *= in_a_run;
    return out;
  }
  size_t length(const position4& p) const { return sycl::min(in_a_run, width - p.j); }
};

template <typename R>
struct optional_values {
  planes<const R> of;
  bool is_there = false;
  optional_values(const std::optional<tensor4<R>>& from, const tensor4<R>& other, sycl::handler& h)
      : of((from ? *from : other).read(h)), is_there(from.has_value()) {}
  R get(size_t c, R otherwise) const { return is_there ? *of.at(0, 0, 0, c) : otherwise; }
};

template <typename R>
struct normalised {
  runs how;
  activation then;
  planes<const R> x;
  planes<R> y;
  optional_values<R> mean, variance, gamma, beta;
  R epsilon;
  void operator()(sycl::id<1> id) const {
    const position4 p = how.at(id[0]);
    const R middle = mean.get(p.c, R(0)), shift = beta.get(p.c, R(0));
    const R factor =
        gamma.get(p.c, R(1)) / (variance.is_there ? sycl::sqrt(variance.get(p.c, R(1)) + epsilon) : R(1));
    const R* from = x.at(p.n, p.c, p.i, p.j);
    R* to = y.at(p.n, p.c, p.i, p.j);
    for (size_t k = how.length(p); k != 0; --k, from += x.stride[3], to += y.stride[3])
      *to = activated(then, (*from - middle) * factor + shift);
  }
};

template <typename R>
struct with_derivative {
  runs how;
  activation of;
  planes<const R> x, dy;
  planes<R> dx;
  void operator()(sycl::id<1> id) const {
    const position4 p = how.at(id[0]);
    for (size_t k = 0; k < how.length(p); ++k)
      *dx.at(p.n, p.c, p.i, p.j + k) =
          *dy.at(p.n, p.c, p.i, p.j + k) * derivative(of, *x.at(p.n, p.c, p.i, p.j + k));
  }
};

/// A row a work-item; three passes. The mean is subtracted before squares are added.
template <typename R>
struct row_work {
  detail::row_task task;
  R epsilon;
  planes<const R> x, gamma, beta;
  planes<R> y;
  size_t columns;
  void operator()(sycl::id<1> id) const {
    const R* const from = x.at(0, 0, id[0], 0);
    R* const to = y.at(0, 0, id[0], 0);
    const ptrdiff_t by_x = x.stride[3], by_y = y.stride[3];
    if (task == detail::row_task::layer_norm) return norm(from, to, by_x, by_y);
    R most = from[0];
    for (size_t j = 1; j < columns; ++j) most = sycl::fmax(most, from[ptrdiff_t(j) * by_x]);
    R sum = 0;
    for (size_t j = 0; j < columns; ++j) {
      const R shifted = from[ptrdiff_t(j) * by_x] - most, power = sycl::exp(shifted);
      sum += power;
      to[ptrdiff_t(j) * by_y] = task == detail::row_task::softmax ? power : shifted;
    }
    const R factor = R(1) / sum, shift = sycl::log(sum);
    for (size_t j = 0; j < columns; ++j) {
      R& one = to[ptrdiff_t(j) * by_y];
      one = task == detail::row_task::softmax ? one * factor : one - shift;
    }
  }

private:
  void norm(const R* from, R* to, ptrdiff_t by_x, ptrdiff_t by_y) const {
    R sum = 0, squares = 0;
    for (size_t j = 0; j < columns; ++j) sum += from[ptrdiff_t(j) * by_x];
    const R mean = sum / R(columns);
    for (size_t j = 0; j < columns; ++j) {
      const R away = from[ptrdiff_t(j) * by_x] - mean;
      squares += away * away;
    }
    const R factor = R(1) / sycl::sqrt(squares / R(columns) + epsilon);
    for (size_t j = 0; j < columns; ++j)
      to[ptrdiff_t(j) * by_y] =
          (from[ptrdiff_t(j) * by_x] - mean) * factor * *gamma.at(0, 0, 0, j) + *beta.at(0, 0, 0, j);
  }
};

} // namespace

template <typename R>
sycl::event normalise(sycl::queue& queue, activation then, const tensor4<R>& x, const channel_values<R>& by,
                      const tensor4<R>& y, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const runs how(y);
    h.parallel_for(sycl::range<1>(how.count(y)), normalised<R>{how,
                                                               then,
                                                               x.read(h),
                                                               y.write(h),
                                                               {by.mean, x, h},
                                                               {by.variance, x, h},
                                                               {by.gamma, x, h},
                                                               {by.beta, x, h},
                                                               by.epsilon});
  });
}

template <typename R>
sycl::event activation_gradient(sycl::queue& queue, activation of, const tensor4<R>& x, const tensor4<R>& dy,
                                const tensor4<R>& dx, const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const runs how(dx);
    h.parallel_for(sycl::range<1>(how.count(dx)),
                   with_derivative<R>{how, of, x.read(h), dy.read(h), dx.write(h)});
  });
}

template <typename R>
sycl::event scale(sycl::queue& queue, R factor, const tensor4<R>& x, const tensor4<R>& y,
                  const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto from = x.read(h);
    const auto to = y.write(h);
    const size_t c = y.extent[1], height = y.extent[2], width = y.extent[3];
    h.parallel_for(sycl::range<1>(y.size()), [=](sycl::id<1> id) {
      const position4 p(id[0], c, height, width);
      *to.at(p.n, p.c, p.i, p.j) = factor * *from.at(p.n, p.c, p.i, p.j);
    });
  });
}

template <typename R>
sycl::event row_operation(sycl::queue& queue, detail::row_task task, R epsilon, const tensor4<R>& x,
                          const tensor4<R>& gamma, const tensor4<R>& beta, const tensor4<R>& y,
                          const events& depends) {
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(y.extent[2]), row_work<R>{task, epsilon, x.read(h), gamma.read(h),
                                                            beta.read(h), y.write(h), y.extent[3]});
  });
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template sycl::event normalise<R>(sycl::queue&, activation, const tensor4<R>&, const channel_values<R>&,   \
                                    const tensor4<R>&, const events&);                                       \
  template sycl::event activation_gradient<R>(sycl::queue&, activation, const tensor4<R>&,                   \
                                              const tensor4<R>&, const tensor4<R>&, const events&);          \
  template sycl::event scale<R>(sycl::queue&, R, const tensor4<R>&, const tensor4<R>&, const events&);       \
  template sycl::event row_operation<R>(sycl::queue&, detail::row_task, R, const tensor4<R>&,                \
                                        const tensor4<R>&, const tensor4<R>&, const tensor4<R>&,             \
                                        const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::nn
