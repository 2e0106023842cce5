// Operations on single elements: axpy, scal, copy, swap, rot. A work-item computes one element. Contiguous
// vectors have kernels of their own, which compilers can vectorise.
#include "kernels/blas/product.hpp"

namespace prism::blas {
namespace {

template <typename T>
struct scalars {
  factor<real_of<T>> alpha, beta;
  real_of<T> sign; // -1: x is conjugated
};

/// One element of x and one of y, as components.
template <typename T>
struct axpy_step {
  template <typename R>
  static void apply(const scalars<T>& by, const R* x, R* y) {
    const R* const a = by.alpha.parts;
    if constexpr (parts_of<T> == 1) {
      y[0] += a[0] * x[0];
    } else {
      const R re = x[0], im = by.sign * x[1];
      y[0] += a[0] * re - a[1] * im;
      y[1] += a[0] * im + a[1] * re;
    }
  }
};
template <typename T>
struct copy_step {
  template <typename R>
  static void apply(const scalars<T>& by, const R* x, R* y) {
    y[0] = x[0];
    if constexpr (parts_of<T> == 2) y[1] = by.sign * x[1];
  }
};
template <typename T>
struct scal_step {
  template <typename R>
  static void apply(const scalars<T>& by, const R*, R* y) {
    const R* const a = by.alpha.parts;
    if constexpr (parts_of<T> == 1) {
      y[0] *= a[0];
    } else {
      const R re = y[0], im = y[1];
      y[0] = a[0] * re - a[1] * im;
      y[1] = a[0] * im + a[1] * re;
    }
  }
};
/// A real factor times complex elements: NaN and infinity stay in their component.
template <typename T>
struct real_scal_step {
  template <typename R>
  static void apply(const scalars<T>& by, const R*, R* y) {
    for (int p = 0; p < parts_of<T>; ++p) y[p] *= by.alpha.parts[0];
  }
};
template <typename T>
struct swap_step {
  template <typename R>
  static void apply(const scalars<T>&, R* x, R* y) {
    for (int p = 0; p < parts_of<T>; ++p) {
      const R old = x[p];
      x[p] = y[p], y[p] = old;
    }
  }
};
template <typename T>
struct rot_step {
  template <typename R>
  static void apply(const scalars<T>& by, R* x, R* y) {
    const R c = by.alpha.parts[0], s = by.beta.parts[0];
    for (int p = 0; p < parts_of<T>; ++p) {
      const R old = x[p];
      x[p] = c * old + s * y[p], y[p] = c * y[p] - s * old;
    }
  }
};

/// X: elements<const R> or elements<R>.
template <typename T, typename Step, bool Contiguous, typename X>
void submit_steps(sycl::handler& h, const scalars<T>& by, const X& x, const elements<real_of<T>>& y) {
  h.parallel_for(sycl::range<1>(y.size), [=](sycl::id<1> i) {
    if constexpr (Contiguous)
      Step::apply(by, x.data + (x.offset + static_cast<std::ptrdiff_t>(i[0] * parts_of<T>)),
                  y.data + (y.offset + static_cast<std::ptrdiff_t>(i[0] * parts_of<T>)));
    else Step::apply(by, x.at(i[0]), y.at(i[0]));
  });
}

template <typename T, typename Step, bool WritesBoth>
sycl::event each(sycl::queue& queue, const scalars<T>& by, const vector<T>& x, const vector<T>& y,
                 const events& depends) {
  if (y.size == 0) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto submit = [&](const auto& from) {
      const auto to = y.write(h);
      if (x.is_contiguous() && y.is_contiguous()) submit_steps<T, Step, true>(h, by, from, to);
      else submit_steps<T, Step, false>(h, by, from, to);
    };
    if constexpr (WritesBoth) submit(x.write(h));
    else submit(x.read(h));
  });
}

template <typename R>
factor<R> factor_of(const double (&value)[2]) {
  return factor<R>(std::complex<R>(R(value[0]), R(value[1])));
}

} // namespace

template <typename T>
sycl::event level1(sycl::queue& queue, const detail::request& what, const events& depends) {
  using real = real_of<T>;
  const vector<T> x(what, 0), y = what.what.operand_count > 1 ? vector<T>(what, 1) : x;
  const scalars<T> by{factor_of<real>(what.alpha), factor_of<real>(what.beta),
                      x.conjugate ? real(-1) : real(1)};
  switch (what.what.operation) {
    case PRISM_AXPY:
      if (by.alpha.is(real(0))) return queue.ext_oneapi_submit_barrier(depends);
      return each<T, axpy_step<T>, false>(queue, by, x, y, depends);
    case PRISM_COPY: return each<T, copy_step<T>, false>(queue, by, x, y, depends);
    case PRISM_SWAP: return each<T, swap_step<T>, true>(queue, by, x, y, depends);
    case PRISM_ROT: return each<T, rot_step<T>, true>(queue, by, x, y, depends);
    default: break;
  }
  return by.alpha.parts[1] == real(0) ? each<T, real_scal_step<T>, true>(queue, by, x, x, depends)
                                      : each<T, scal_step<T>, true>(queue, by, x, x, depends);
}

template <typename T>
sycl::event make_rotation(sycl::queue& queue, const detail::request& what, const events& depends) {
  using real = real_of<T>;
  const vector<T> a(what, 0), b(what, 1), s(what, 3);
  const vector<real> c(what, 2);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto pa = a.write(h), pb = b.write(h), ps = s.write(h), pc = c.write(h);
    h.single_task([=] {
      real *const at_a = pa.at(0), *const at_b = pb.at(0), *const at_s = ps.at(0), *const at_c = pc.at(0);
      if constexpr (parts_of<T> == 1) {
        const real x = at_a[0], y = at_b[0], size_x = sycl::fabs(x), size_y = sycl::fabs(y);
        if (y == real(0)) {
          at_c[0] = real(1), at_s[0] = real(0), at_b[0] = real(0);
        } else if (x == real(0)) {
          at_c[0] = real(0), at_s[0] = real(1), at_a[0] = y, at_b[0] = real(1);
        } else {
          const real most = sycl::fmax(size_x, size_y), down_x = x / most, down_y = y / most;
          const real r =
              sycl::copysign(most * sycl::sqrt(down_x * down_x + down_y * down_y), size_x > size_y ? x : y);
          const real cosine = x / r, sine = y / r;
          at_c[0] = cosine, at_s[0] = sine, at_a[0] = r;
          at_b[0] = size_x > size_y ? sine : cosine != real(0) ? real(1) / cosine : real(1);
        }
      } else {
        const real x = at_a[0], xi = at_a[1], y = at_b[0], yi = at_b[1];
        const real size_x = sycl::hypot(x, xi), size_y = sycl::hypot(y, yi);
        if (size_y == real(0)) {
          at_c[0] = real(1), at_s[0] = at_s[1] = real(0);
        } else if (size_x == real(0)) { // s = conj(b) / |b|, r = |b|
          at_c[0] = real(0), at_s[0] = y / size_y, at_s[1] = -yi / size_y, at_a[0] = size_y,
          at_a[1] = real(0);
        } else {
          const real r = sycl::hypot(size_x, size_y), cosine = size_x / r, ux = x / size_x, ui = xi / size_x;
          const real vx = y / r, vi = -yi / r; // conj(b) / r
          at_c[0] = cosine, at_s[0] = ux * vx - ui * vi, at_s[1] = ux * vi + ui * vx;
          at_a[0] = ux * r, at_a[1] = ui * r;
        }
      }
    });
  });
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event level1<T>(sycl::queue&, const detail::request&, const events&);                       \
  template sycl::event make_rotation<T>(sycl::queue&, const detail::request&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::blas
