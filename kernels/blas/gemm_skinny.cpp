// Products of real numbers with few rows, on processors. The long operand is read once, where it is: packing
// it, as for large products, would take longer than the product. The rows of B are added up, four at a time,
// in a strip of C that stays in the first-level cache. The transposed product serves C with few columns of a
// column-major B. Other products with few columns are as fast in the tiles of large ones. Heinecke, Henry,
// Hutchinson & Pabst, "LIBXSMM", SC 2016, treat such shapes apart for the same reason.
#include "kernels/blas/skinny.hpp"

namespace prism::blas {
namespace {

constexpr std::size_t most_rows = 16;

/// C = alpha sum + beta C for one element.
template <typename Real>
void write_sum(const gemm_target<Real>& c, std::size_t i, std::size_t j, Real sum) {
  Real* const to = c.data + (static_cast<std::ptrdiff_t>(i) * c.row_stride +
                             static_cast<std::ptrdiff_t>(j) * c.column_stride);
  const Real value = c.alpha.parts[0] * sum;
  to[0] = c.reads ? value + c.beta.parts[0] * to[0] : value;
}

/// A group has `width` neighbouring columns of C. B's rows are contiguous.
template <typename Real>
struct few_rows {
  static constexpr std::size_t width = 1024 / sizeof(Real), together = 4;
  source<const Real> of_a, of_b;
  gemm_target<Real> of_c;
  std::size_t rows, columns, steps;

  /// `sums`: rows x width.
  void run(std::size_t group, Real* sums) const {
    const source<const Real> a = of_a.placed(), b = of_b.placed();
    const gemm_target<Real> c = of_c.placed();
    const std::size_t first = group * width, count = sycl::min(width, columns - first);
    for (std::size_t i = 0; i < rows * width; ++i) sums[i] = Real(0);
    const Real* line = b.data + first;
    std::size_t k = 0;
    for (; k + together <= steps; k += together, line += std::ptrdiff_t(together) * b.row_stride)
      for (std::size_t r = 0; r < rows; ++r) {
        const Real* const by =
            a.data + (std::ptrdiff_t(r) * a.row_stride + std::ptrdiff_t(k) * a.column_stride);
        add_four(sums + r * width, count, line, b.row_stride, by[0], by[a.column_stride],
                 by[2 * a.column_stride], by[3 * a.column_stride]);
      }
    for (; k < steps; ++k, line += b.row_stride)
      for (std::size_t r = 0; r < rows; ++r) {
        const Real by = a.data[std::ptrdiff_t(r) * a.row_stride + std::ptrdiff_t(k) * a.column_stride];
        Real* const to = sums + r * width;
        for (std::size_t x = 0; x < count; ++x) to[x] += by * line[x];
      }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t x = 0; x < count; ++x) write_sum(c, r, first + x, sums[r * width + x]);
  }

private:
  static void add_four(Real* to, std::size_t count, const Real* line, std::ptrdiff_t apart, Real a0, Real a1,
                       Real a2, Real a3) {
    const Real *const second = line + apart, *const third = second + apart, *const fourth = third + apart;
    for (std::size_t x = 0; x < count; ++x)
      to[x] = a3 * fourth[x] + (a2 * third[x] + (a1 * second[x] + (a0 * line[x] + to[x])));
  }
};

template <typename Real>
sycl::event run_few_rows(sycl::queue& queue, const product<Real>& what, const events& depends) {
  using kernel = few_rows<Real>;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const kernel all{what.a.read(h), what.b.read(h), what.target(h),
                     what.c.rows,    what.c.columns, what.a.columns};
    const sycl::local_accessor<Real> sums(what.c.rows * kernel::width, h);
    h.parallel_for(sycl::nd_range<1>((what.c.columns + kernel::width - 1) / kernel::width, 1),
                   [=](sycl::nd_item<1> item)
                       [[sycl::reqd_work_group_size(1)]] { all.run(item.get_group(0), &sums[0]); });
  });
}

template <typename Real>
std::optional<sycl::event> by_layout(sycl::queue& queue, const product<Real>& what, const events& depends) {
  if (!what.all || what.a.kind != form::general || what.b.kind != form::general) return {};
  const product<Real> turned = what.transposed();
  for (const product<Real>* each : {&what, &turned})
    if (each->c.rows <= most_rows && each->b.column_stride == 1)
      return run_few_rows<Real>(queue, *each, depends);
  return {};
}

} // namespace

template <>
std::optional<sycl::event> multiply_skinny<float>(sycl::queue& queue, const product<float>& what,
                                                  const events& depends) {
  return by_layout(queue, what, depends);
}
template <>
std::optional<sycl::event> multiply_skinny<double>(sycl::queue& queue, const product<double>& what,
                                                   const events& depends) {
  return by_layout(queue, what, depends);
}

} // namespace prism::blas
