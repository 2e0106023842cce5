#include "kernels/einsum/steps.hpp"

#include "kernels/linalg/number.hpp"

#include <algorithm>
#include <cmath>

namespace prism::einsum {
namespace {

/// Dimensions in a kernel, the last one fastest.
struct grid {
  std::uint32_t rank = 0;
  std::size_t extent[most_dimensions] = {};
  std::ptrdiff_t a[most_dimensions] = {}, b[most_dimensions] = {}, out[most_dimensions] = {};

  explicit grid(const std::vector<dimension>& all) {
    for (const dimension& d : all) {
      extent[rank] = d.extent, a[rank] = d.a, b[rank] = d.b, out[rank] = d.out;
      ++rank;
    }
  }
  std::size_t size() const {
    std::size_t n = 1;
    for (std::uint32_t d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }
};

struct offsets {
  std::ptrdiff_t a, b, out;
  void add(const grid& of, std::uint32_t d, std::ptrdiff_t i) {
    a += i * of.a[d], b += i * of.b[d], out += i * of.out[d];
  }
  /// Element number `n` of the grid.
  void add(const grid& of, std::size_t n) {
    for (std::uint32_t d = of.rank; d-- > 1;) {
      add(of, d, static_cast<std::ptrdiff_t>(n % of.extent[d]));
      n /= of.extent[d];
    }
    if (of.rank != 0) add(of, 0, static_cast<std::ptrdiff_t>(n));
  }
};

/// A work-item computes one element, or one of `parts` parts of its sum.
template <typename E>
struct sum {
  using R = linalg::real_of_number<E>;
  const R *a, *b;
  R* out;
  offsets first;
  bool two;
  grid kept, summed;
  std::size_t terms, parts, of_part;

  static E read(const R* at) {
    if constexpr (linalg::is_pair<E>) return {at[0], at[1]};
    else return at[0];
  }
  void operator()(sycl::id<1> id) const {
    offsets at = first;
    const std::size_t part = id[0] % parts;
    at.add(kept, id[0] / parts);
    const std::size_t from = part * of_part, to = sycl::min(from + of_part, terms);
    E all(0);
    if (summed.rank == 0) {
      if (terms != 0) all = value(at);
    } else {
      const std::uint32_t last = summed.rank - 1;
      for (std::size_t r = from; r < to;) { // a run of the last dimension
        offsets here = at;
        here.add(summed, r);
        const std::size_t in_run = summed.extent[last] - r % summed.extent[last],
                          count = sycl::min(in_run, to - r);
        const std::size_t adjacent = add_adjacent(here, count, last, all);
        here.add(summed, last, static_cast<std::ptrdiff_t>(adjacent));
        for (std::size_t i = adjacent; i < count; ++i) {
          all += value(here);
          here.a += summed.a[last], here.b += summed.b[last];
        }
        r += count;
      }
    }
    R* const result = out + at.out + static_cast<std::ptrdiff_t>(part * (linalg::is_pair<E> ? 2 : 1));
    result[0] = linalg::re_of(all);
    if constexpr (linalg::is_pair<E>) result[1] = all.im;
  }

private:
  /// Adds whole vectors of adjacent reals; how many elements these were.
  std::size_t add_adjacent(const offsets& at, std::size_t count, std::uint32_t last, E& all) const {
    constexpr std::size_t lanes = 16;
    if constexpr (linalg::is_pair<E>) return 0;
    else {
      if (count < 2 * lanes || summed.a[last] != 1 || (two && summed.b[last] != 1)) return 0;
      const R *const x = a + at.a, *const y = two ? b + at.b : x;
      R partial[2 * lanes] = {};
      const std::size_t end = count / (2 * lanes) * (2 * lanes);
      if (two)
        for (std::size_t i = 0; i < end; i += 2 * lanes)
#pragma unroll
          for (std::size_t k = 0; k < 2 * lanes; ++k) partial[k] += x[i + k] * y[i + k];
      else
        for (std::size_t i = 0; i < end; i += 2 * lanes)
#pragma unroll
          for (std::size_t k = 0; k < 2 * lanes; ++k) partial[k] += x[i + k];
      R total(0);
      for (std::size_t k = 0; k < 2 * lanes; ++k) total += partial[k];
      all += total;
      return end;
    }
  }
  E value(const offsets& at) const { return two ? read(a + at.a) * read(b + at.b) : read(a + at.a); }
};

/// Without a sum. A work-item computes up to `run` neighbours in the last dimension, so that their place is
/// computed once.
template <typename E>
struct map {
  using R = linalg::real_of_number<E>;
  static constexpr std::ptrdiff_t components = linalg::is_pair<E> ? 2 : 1;
  const R *a, *b;
  R* out;
  offsets first;
  bool two;
  grid kept;
  std::size_t run, runs; // in a line

  void operator()(sycl::id<1> id) const {
    const std::uint32_t last = kept.rank - 1;
    const std::size_t start = id[0] % runs * run, count = sycl::min(run, kept.extent[last] - start);
    offsets at = first;
    at.add(kept, id[0] / runs * kept.extent[last] + start);
    const std::ptrdiff_t by_a = kept.a[last], by_b = kept.b[last], by_out = kept.out[last];
    const R *x = a + at.a, *y = two ? b + at.b : x;
    R* to = out + at.out;
    if (by_a == components && by_out == components && (!two || by_b == components))
      write(x, y, to, count, components, components, components);
    else write(x, y, to, count, by_a, two ? by_b : by_a, by_out);
  }

private:
  void write(const R* x, const R* y, R* to, std::size_t count, std::ptrdiff_t by_x, std::ptrdiff_t by_y,
             std::ptrdiff_t by_to) const {
    for (std::size_t i = 0; i < count; ++i, x += by_x, y += by_y, to += by_to) {
      const E value = two ? sum<E>::read(x) * sum<E>::read(y) : sum<E>::read(x);
      to[0] = linalg::re_of(value);
      if constexpr (linalg::is_pair<E>) to[1] = value.im;
    }
  }
};

/// Long sums are divided, so that many work-items share them, and because software drivers limit the loop
/// iterations of a work-item.
std::size_t parts_of_sum(std::size_t results, std::size_t terms) {
  constexpr std::size_t most_terms = 1 << 14, many_results = 256, few_terms = 1024;
  std::size_t parts = (terms + most_terms - 1) / most_terms;
  if (results < many_results && terms > few_terms)
    parts = std::max(parts, std::size_t(std::sqrt(double(terms))) / 2);
  return std::max<std::size_t>(1, parts);
}

void require_few(const std::vector<dimension>& all) {
  if (all.size() > most_dimensions)
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "einsum: a step has " + std::to_string(all.size()) +
                              " dimensions that no stride joins; at most " + std::to_string(most_dimensions) +
                              " are possible");
}

} // namespace

std::vector<dimension> merged(const std::vector<dimension>& all) {
  std::vector<dimension> out;
  for (const dimension& d : all) {
    if (d.extent == 1) continue;
    if (!out.empty()) {
      dimension& before = out.back();
      const auto n = static_cast<std::ptrdiff_t>(d.extent);
      if (before.a == d.a * n && before.b == d.b * n && before.out == d.out * n) {
        before = {before.extent * d.extent, d.a, d.b, d.out};
        continue;
      }
    }
    out.push_back(d);
  }
  return out;
}

template <typename T>
sycl::event sum_of_products(sycl::queue& queue, const std::vector<dimension>& kept,
                            const std::vector<dimension>& summed, const blas::place<blas::real_of<T>>& a,
                            bool two, const blas::place<blas::real_of<T>>& b,
                            const blas::place<blas::real_of<T>>& out, const events& depends) {
  using E = linalg::number<T>;
  using R = blas::real_of<T>;
  constexpr auto components = static_cast<std::ptrdiff_t>(blas::parts_of<T>);
  const std::vector<dimension> results = merged(kept), added = merged(summed);
  require_few(results), require_few(added);
  const grid all(results), of_sum(added);
  std::size_t terms = 1;
  for (const dimension& d : summed) terms *= d.extent;
  const std::size_t parts = parts_of_sum(all.size(), terms), of_part = (terms + parts - 1) / parts;
  if (all.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
  if (parts > 1) {
    const blas::place<R> partial(
        sycl::buffer<R, 1>{sycl::range<1>(all.size() * parts * std::size_t(components))});
    std::vector<dimension> first = kept, second = kept;
    std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(parts) * components;
    for (std::size_t d = kept.size(); d-- > 0;) {
      first[d].out = apart, second[d].a = apart, second[d].b = 0;
      apart *= static_cast<std::ptrdiff_t>(kept[d].extent);
    }
    const grid where(merged(first));
    require_few(merged(first));
    const sycl::event done = queue.submit([&](sycl::handler& h) {
      h.depends_on(depends);
      h.parallel_for(sycl::range<1>(where.size() * parts), sum<E>{a.read_only(h),
                                                                  two ? b.read_only(h) : nullptr,
                                                                  partial.read_write(h),
                                                                  {a.offset, b.offset, 0},
                                                                  two,
                                                                  where,
                                                                  of_sum,
                                                                  terms,
                                                                  parts,
                                                                  of_part});
    });
    return sum_of_products<T>(queue, second, {{parts, components, 0, 0}}, partial, false, {}, out, {done});
  }
  if (terms == 1 && !results.empty()) {
    const std::size_t line = results.back().extent, run = queue.get_device().is_cpu() ? 64 : 1,
                      runs = (line + run - 1) / run;
    return queue.submit([&](sycl::handler& h) {
      h.depends_on(depends);
      h.parallel_for(sycl::range<1>(all.size() / line * runs), map<E>{a.read_only(h),
                                                                      two ? b.read_only(h) : nullptr,
                                                                      out.read_write(h),
                                                                      {a.offset, b.offset, out.offset},
                                                                      two,
                                                                      all,
                                                                      run,
                                                                      runs});
    });
  }
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(all.size()), sum<E>{a.read_only(h),
                                                      two ? b.read_only(h) : nullptr,
                                                      out.read_write(h),
                                                      {a.offset, b.offset, out.offset},
                                                      two,
                                                      all,
                                                      of_sum,
                                                      terms,
                                                      1,
                                                      of_part});
  });
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event sum_of_products<T>(                                                                   \
      sycl::queue&, const std::vector<dimension>&, const std::vector<dimension>&,                            \
      const blas::place<blas::real_of<T>>&, bool, const blas::place<blas::real_of<T>>&,                      \
      const blas::place<blas::real_of<T>>&, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::einsum
