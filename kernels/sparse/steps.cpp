#include "kernels/sparse/steps.hpp"

#include "kernels/linalg/number.hpp"

#include <algorithm>

namespace prism::sparse {
namespace {

using linalg::is_pair;
using linalg::number;

template <typename E>
using real_of_number = linalg::real_of_number<E>;
template <typename E>
inline constexpr std::ptrdiff_t components = is_pair<E> ? 2 : 1;

template <typename E>
E load(const real_of_number<E>* at) {
  if constexpr (is_pair<E>) return {at[0], at[1]};
  else return at[0];
}
template <typename E>
void save(real_of_number<E>* at, E value) {
  at[0] = linalg::re_of(value);
  if constexpr (is_pair<E>) at[1] = value.im;
}
template <typename T>
number<T> number_of(const blas::factor<blas::real_of<T>>& of) {
  if constexpr (is_pair<number<T>>) return {of.parts[0], of.parts[1]};
  else return of.parts[0];
}

std::size_t at(index i) { return static_cast<std::size_t>(i); }

struct indices {
  const index* data;
  std::ptrdiff_t offset;
  indices(const index_place& of, sycl::handler& h) : data(of.read_only(h)), offset(of.offset) {}
  indices() : data(nullptr), offset(0) {}
  const index* begin() const { return data + offset; }
};

/// A structure in a kernel.
struct rows_seen {
  indices offsets, columns, source;
  bool has_source;
  rows_seen(const rows_in_memory& a, sycl::handler& h)
      : offsets(a.offsets, h), columns(a.columns, h), source(a.has_source ? a.source : a.columns, h),
        has_source(a.has_source) {}
  /// Where the value of element e lies.
  index source_of(std::size_t e) const { return has_source ? source.begin()[e] : static_cast<index>(e); }
};

template <typename E>
struct values_seen {
  using R = real_of_number<E>;
  const R* data;
  std::ptrdiff_t offset;
  values_seen(const blas::place<R>& of, sycl::handler& h) : data(of.read_only(h)), offset(of.offset) {}
  /// Value s, or the conjugate of ~s.
  E operator[](index s) const {
    const index plain = s < 0 ? ~s : s;
    const E value = load<E>(data + offset + static_cast<std::ptrdiff_t>(plain) * components<E>);
    return s < 0 ? linalg::conj(value) : value;
  }
};

template <typename R>
struct lines {
  R* data;
  std::ptrdiff_t offset, row, column;
  R* at(std::size_t i, std::size_t j) const {
    return data + (offset + static_cast<std::ptrdiff_t>(i) * row + static_cast<std::ptrdiff_t>(j) * column);
  }
};
template <typename T>
lines<const blas::real_of<T>> read(const blas::matrix<T>& m, sycl::handler& h) {
  return {m.where.read_only(h), m.where.offset, m.row_stride, m.column_stride};
}
template <typename T>
lines<blas::real_of<T>> write(const blas::matrix<T>& m, sycl::handler& h) {
  return {m.where.read_write(h), m.where.offset, m.row_stride, m.column_stride};
}

// ---- products with dense operands

/// A row of A times one column of X. Four sums, so that additions do not wait for each other.
template <typename E>
struct row_times_vector {
  using R = real_of_number<E>;
  rows_seen a;
  values_seen<E> values;
  lines<const R> x;
  lines<R> y;
  E alpha, beta;
  bool reads;
  std::size_t block;

  void operator()(sycl::id<1> id) const {
    const std::size_t i = id[0], line = block == 1 ? i : i / block;
    const index *const offsets = a.offsets.begin(), *const columns = a.columns.begin();
    const std::size_t begin = at(offsets[line]), end = at(offsets[line + 1]);
    E sum = block == 1 ? sum_of_elements(begin, end, columns) : sum_of_blocks(begin, end, i % block, columns);
    sum = alpha * sum;
    R* const to = y.at(i, 0);
    save<E>(to, reads ? sum + beta * load<E>(to) : sum);
  }

private:
  /// `step` of x is passed, so that it is a constant for contiguous vectors.
  template <bool HasSource>
  E sum_of(std::size_t begin, std::size_t end, const index* columns, const index* source,
           std::ptrdiff_t step) const {
    constexpr std::size_t parts = 4;
    E sum[parts] = {E(0), E(0), E(0), E(0)};
    const R *const v = values.data + values.offset, *const from = x.data + x.offset;
    const auto product = [&](std::size_t e) {
      E value;
      if constexpr (HasSource) value = values[source[e]];
      else value = load<E>(v + static_cast<std::ptrdiff_t>(e) * components<E>);
      return value * load<E>(from + static_cast<std::ptrdiff_t>(columns[e]) * step);
    };
    std::size_t e = begin;
    for (; e + parts <= end; e += parts)
#pragma unroll
      for (std::size_t k = 0; k < parts; ++k) sum[k] += product(e + k);
    for (; e < end; ++e) sum[0] += product(e);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  E sum_of_elements(std::size_t begin, std::size_t end, const index* columns) const {
    if (a.has_source) return sum_of<true>(begin, end, columns, a.source.begin(), x.row);
    return x.row == components<E> ? sum_of<false>(begin, end, columns, nullptr, components<E>)
                                  : sum_of<false>(begin, end, columns, nullptr, x.row);
  }
  E sum_of_blocks(std::size_t begin, std::size_t end, std::size_t row, const index* columns) const {
    E sum(0), other(0);
    for (std::size_t k = begin; k < end; ++k) {
      const R* v = values.data + values.offset +
                   static_cast<std::ptrdiff_t>((k * block + row) * block) * components<E>;
      const std::size_t first = at(columns[k]) * block;
      for (std::size_t c = 0; c < block; ++c, v += components<E>)
        (c % 2 == 0 ? sum : other) += load<E>(v) * load<E>(x.at(first + c, 0));
    }
    return sum + other;
  }
};

/// A row of A times some adjacent columns of X.
template <typename E>
struct row_times_columns {
  static constexpr std::size_t together = is_pair<E> ? 8 : 32;
  using R = real_of_number<E>;
  rows_seen a;
  values_seen<E> values;
  lines<const R> x;
  lines<R> y;
  E alpha, beta;
  bool reads;
  std::size_t block, columns;

  void operator()(sycl::id<2> id) const {
    const std::size_t i = id[0], first = id[1] * together, line = i / block, row = i % block;
    const index* const offsets = a.offsets.begin();
    const index* const column = a.columns.begin();
    const index* const source = a.source.begin();
    const std::size_t count = sycl::min(together, columns - first);
    if constexpr (!is_pair<E>)
      if (block == 1 && count == together && x.column == 1 && y.column == 1)
        return whole_vectors(i, first, offsets, column, a.has_source ? source : nullptr);
    E sum[together];
    for (std::size_t j = 0; j < together; ++j) sum[j] = E(0);
    for (std::size_t k = at(offsets[line]); k < at(offsets[line + 1]); ++k)
      for (std::size_t c = 0; c < block; ++c) {
        const E value =
            a.has_source
                ? values[source[k]]
                : load<E>(values.data + values.offset +
                          static_cast<std::ptrdiff_t>((k * block + row) * block + c) * components<E>);
        add(value, at(column[k]) * block + c, first, count, sum);
      }
    for (std::size_t j = 0; j < count; ++j) {
      R* const to = y.at(i, first + j);
      save<E>(to, reads ? alpha * sum[j] + beta * load<E>(to) : alpha * sum[j]);
    }
  }

private:
  void whole_vectors(std::size_t i, std::size_t first, const index* offsets, const index* column,
                     const index* source) const {
    constexpr int lanes = 16, vectors = int(together) / lanes;
    using vector = sycl::vec<R, lanes>;
    vector sum[vectors];
#pragma unroll
    for (int v = 0; v < vectors; ++v) sum[v] = vector(R(0));
    for (std::size_t k = at(offsets[i]); k < at(offsets[i + 1]); ++k) {
      const vector value(values[source ? source[k] : static_cast<index>(k)]);
      const R* const from = x.at(at(column[k]), first);
#pragma unroll
      for (int v = 0; v < vectors; ++v) {
        vector one;
        one.load(0, from + v * lanes);
        sum[v] += value * one;
      }
    }
    R* const to = y.at(i, first);
#pragma unroll
    for (int v = 0; v < vectors; ++v) {
      vector one(R(0));
      if (reads) one.load(0, to + v * lanes);
      one = reads ? vector(alpha) * sum[v] + vector(beta) * one : vector(alpha) * sum[v];
      one.store(0, to + v * lanes);
    }
  }
  void add(E value, std::size_t row, std::size_t first, std::size_t count, E (&sum)[together]) const {
    const R* const from = x.at(row, first);
    for (std::size_t j = 0; j < count; ++j)
      sum[j] += value * load<E>(from + static_cast<std::ptrdiff_t>(j) * x.column);
  }
};

// ---- triangular systems

template <typename E>
struct solved_rows {
  using R = real_of_number<E>;
  rows_seen below;
  values_seen<E> values;
  indices order, diagonal;
  lines<R> x;
  std::size_t first, last, columns;
  bool serial, unit;

  /// One row of one column; or all rows of one column.
  void operator()(sycl::id<1> id) const {
    const std::size_t j = id[0] % columns;
    if (!serial) return solve(first + id[0] / columns, j);
    for (std::size_t k = first; k < last; ++k) solve(k, j);
  }

private:
  void solve(std::size_t k, std::size_t j) const {
    const std::size_t i = at(order.begin()[k]);
    const index *const offsets = below.offsets.begin(), *const column = below.columns.begin(),
                       *const source = below.source.begin();
    E sum = load<E>(x.at(i, j));
    for (std::size_t e = at(offsets[i]); e < at(offsets[i + 1]); ++e)
      sum -= values[source[e]] * load<E>(x.at(at(column[e]), j));
    save<E>(x.at(i, j), unit ? sum : sum / values[diagonal.begin()[i]]);
  }
};

// ---- structures

template <typename E>
struct gathered {
  using R = real_of_number<E>;
  indices first, source;
  lines<const R> from;
  std::size_t columns; // of `from`
  R* to;
  std::ptrdiff_t offset;

  void operator()(sycl::id<1> id) const {
    E sum(0);
    for (std::size_t k = at(first.begin()[id[0]]); k < at(first.begin()[id[0] + 1]); ++k) {
      const index s = source.begin()[k];
      const std::size_t plain = at(s < 0 ? ~s : s);
      const E value = load<E>(from.at(plain / columns, plain % columns));
      sum += s < 0 ? linalg::conj(value) : value;
    }
    save<E>(to + offset + static_cast<std::ptrdiff_t>(id[0]) * components<E>, sum);
  }
};

template <typename E>
struct dense_rows {
  using R = real_of_number<E>;
  rows_seen a;
  values_seen<E> values;
  lines<R> dense;
  std::size_t columns;

  void operator()(sycl::id<1> id) const {
    const std::size_t i = id[0];
    for (std::size_t j = 0; j < columns; ++j) save<E>(dense.at(i, j), E(0));
    for (std::size_t e = at(a.offsets.begin()[i]); e < at(a.offsets.begin()[i + 1]); ++e) {
      R* const to = dense.at(i, at(a.columns.begin()[e]));
      save<E>(to, load<E>(to) + values[a.source_of(e)]);
    }
  }
};

/// A row of C. Its columns are sorted, so each product finds its place by bisection.
template <typename E>
struct product_row {
  using R = real_of_number<E>;
  rows_seen a, b, c;
  values_seen<E> of_a, of_b;
  R* data;
  std::ptrdiff_t offset;

  void operator()(sycl::id<1> id) const {
    const std::size_t i = id[0];
    const std::size_t begin = at(c.offsets.begin()[i]), end = at(c.offsets.begin()[i + 1]);
    R* const to = data + offset;
    for (std::size_t e = begin; e < end; ++e) save<E>(to + std::ptrdiff_t(e) * components<E>, E(0));
    for (std::size_t e = at(a.offsets.begin()[i]); e < at(a.offsets.begin()[i + 1]); ++e) {
      const std::size_t k = at(a.columns.begin()[e]);
      const E left = of_a[a.source_of(e)];
      for (std::size_t f = at(b.offsets.begin()[k]); f < at(b.offsets.begin()[k + 1]); ++f) {
        const std::size_t place = place_of(b.columns.begin()[f], begin, end);
        R* const sum = to + std::ptrdiff_t(place) * components<E>;
        save<E>(sum, load<E>(sum) + left * of_b[b.source_of(f)]);
      }
    }
  }

private:
  std::size_t place_of(index column, std::size_t low, std::size_t high) const {
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      if (c.columns.begin()[middle] <= column) low = middle;
      else high = middle;
    }
    return low;
  }
};

/// Some adjacent rows of C, by a dense row of sums for each work-item. For few work-items, on processors.
template <typename E>
struct product_rows {
  using R = real_of_number<E>;
  rows_seen a, b, c;
  values_seen<E> of_a, of_b;
  R *data, *sums;
  std::ptrdiff_t offset;
  std::size_t rows, together, columns;

  void operator()(sycl::id<1> id) const {
    R *const to = data + offset, *const sum = sums + std::ptrdiff_t(id[0] * columns) * components<E>;
    const index *const offsets = c.offsets.begin(), *const column = c.columns.begin();
    for (std::size_t i = id[0] * together; i < sycl::min(rows, (id[0] + 1) * together); ++i) {
      const std::size_t begin = at(offsets[i]), end = at(offsets[i + 1]);
      for (std::size_t e = begin; e < end; ++e) save<E>(sum + column[e] * components<E>, E(0));
      for (std::size_t e = at(a.offsets.begin()[i]); e < at(a.offsets.begin()[i + 1]); ++e) {
        const std::size_t k = at(a.columns.begin()[e]);
        const E left = of_a[a.source_of(e)];
        for (std::size_t f = at(b.offsets.begin()[k]); f < at(b.offsets.begin()[k + 1]); ++f) {
          R* const one = sum + b.columns.begin()[f] * components<E>;
          save<E>(one, load<E>(one) + left * of_b[b.source_of(f)]);
        }
      }
      for (std::size_t e = begin; e < end; ++e)
        save<E>(to + std::ptrdiff_t(e) * components<E>, load<E>(sum + column[e] * components<E>));
    }
  }
};

} // namespace

template <typename T>
sycl::event times(sycl::queue& queue, const blas::factor<blas::real_of<T>>& alpha, const rows_in_memory& a,
                  const blas::place<blas::real_of<T>>& values, const blas::matrix<T>& x,
                  const blas::factor<blas::real_of<T>>& beta, const blas::matrix<T>& y,
                  const events& depends) {
  using E = number<T>;
  if (a.rows == 0 || y.columns == 0) return queue.ext_oneapi_submit_barrier(depends);
  const bool reads = !beta.is(blas::real_of<T>(0));
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    if (y.columns == 1)
      return h.parallel_for(sycl::range<1>(a.rows), row_times_vector<E>{{a, h},
                                                                        {values, h},
                                                                        read(x, h),
                                                                        write(y, h),
                                                                        number_of<T>(alpha),
                                                                        number_of<T>(beta),
                                                                        reads,
                                                                        a.block});
    using kernel = row_times_columns<E>;
    h.parallel_for(sycl::range<2>(a.rows, (y.columns + kernel::together - 1) / kernel::together),
                   kernel{{a, h},
                          {values, h},
                          read(x, h),
                          write(y, h),
                          number_of<T>(alpha),
                          number_of<T>(beta),
                          reads,
                          a.block,
                          y.columns});
  });
}

template <typename T>
sycl::event scaled(sycl::queue& queue, const blas::factor<blas::real_of<T>>& alpha, const blas::matrix<T>& b,
                   const blas::matrix<T>& x, const events& depends) {
  using E = number<T>;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const auto from = read(b, h);
    const auto to = write(x, h);
    const E by = number_of<T>(alpha);
    h.parallel_for(sycl::range<2>(x.rows, x.columns), [=](sycl::id<2> id) {
      save<E>(to.at(id[0], id[1]), by * load<E>(from.at(id[0], id[1])));
    });
  });
}

template <typename T>
sycl::event solve_rows(sycl::queue& queue, const rows_in_memory& below, const index_place& order,
                       std::size_t first, std::size_t last, bool serial, const index_place& diagonal,
                       bool unit, const blas::place<blas::real_of<T>>& values, const blas::matrix<T>& x,
                       const events& depends) {
  using E = number<T>;
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(x.columns * (serial ? 1 : last - first)), solved_rows<E>{{below, h},
                                                                                           {values, h},
                                                                                           {order, h},
                                                                                           {diagonal, h},
                                                                                           write(x, h),
                                                                                           first,
                                                                                           last,
                                                                                           x.columns,
                                                                                           serial,
                                                                                           unit});
  });
}

template <typename T>
sycl::event gather(sycl::queue& queue, std::size_t count, const index_place& first, const index_place& source,
                   const blas::matrix<T>& from, const blas::place<blas::real_of<T>>& to,
                   const events& depends) {
  if (count == 0) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(count), gathered<number<T>>{{first, h},
                                                              {source, h},
                                                              read(from, h),
                                                              std::max<std::size_t>(1, from.columns),
                                                              to.read_write(h),
                                                              to.offset});
  });
}

sycl::event copy_indices(sycl::queue& queue, std::size_t count, const index_place& from,
                         const index_place& to, const events& depends) {
  if (count == 0) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const index* const in = from.read_only(h);
    index* const out = to.read_write(h);
    const std::ptrdiff_t in_offset = from.offset, out_offset = to.offset;
    h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
      out[out_offset + std::ptrdiff_t(i[0])] = in[in_offset + std::ptrdiff_t(i[0])];
    });
  });
}

template <typename T>
sycl::event to_dense(sycl::queue& queue, const rows_in_memory& a, const blas::place<blas::real_of<T>>& values,
                     const blas::matrix<T>& dense, const events& depends) {
  if (dense.size() == 0) return queue.ext_oneapi_submit_barrier(depends);
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(sycl::range<1>(a.rows),
                   dense_rows<number<T>>{{a, h}, {values, h}, write(dense, h), dense.columns});
  });
}

template <typename T>
sycl::event product_values(sycl::queue& queue, const rows_in_memory& a,
                           const blas::place<blas::real_of<T>>& a_values, const rows_in_memory& b,
                           const blas::place<blas::real_of<T>>& b_values, const rows_in_memory& c,
                           const blas::place<blas::real_of<T>>& c_values, std::size_t columns,
                           const events& depends) {
  if (c.rows == 0) return queue.ext_oneapi_submit_barrier(depends);
  const sycl::device device = queue.get_device();
  if (device.get_backend() == sycl::backend::ext_prism_host) {
    const std::size_t items = 8 * device.get_info<sycl::info::device::max_compute_units>(),
                      together = (c.rows + items - 1) / items;
    sycl::buffer<blas::real_of<T>, 1> sums{
        sycl::range<1>(items * std::max<std::size_t>(1, columns) * blas::parts_of<T>)};
    return queue.submit([&](sycl::handler& h) {
      h.depends_on(depends);
      h.parallel_for(sycl::range<1>((c.rows + together - 1) / together),
                     product_rows<number<T>>{{a, h},
                                             {b, h},
                                             {c, h},
                                             {a_values, h},
                                             {b_values, h},
                                             c_values.read_write(h),
                                             blas::place<blas::real_of<T>>(sums).read_write(h),
                                             c_values.offset,
                                             c.rows,
                                             together,
                                             columns});
    });
  }
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    h.parallel_for(
        sycl::range<1>(c.rows),
        product_row<number<T>>{
            {a, h}, {b, h}, {c, h}, {a_values, h}, {b_values, h}, c_values.read_write(h), c_values.offset});
  });
}

#define PRISM_INSTANTIATE(T)                                                                                 \
  template sycl::event times<T>(sycl::queue&, const blas::factor<blas::real_of<T>>&, const rows_in_memory&,  \
                                const blas::place<blas::real_of<T>>&, const blas::matrix<T>&,                \
                                const blas::factor<blas::real_of<T>>&, const blas::matrix<T>&,               \
                                const events&);                                                              \
  template sycl::event scaled<T>(sycl::queue&, const blas::factor<blas::real_of<T>>&,                        \
                                 const blas::matrix<T>&, const blas::matrix<T>&, const events&);             \
  template sycl::event solve_rows<T>(sycl::queue&, const rows_in_memory&, const index_place&, std::size_t,   \
                                     std::size_t, bool, const index_place&, bool,                            \
                                     const blas::place<blas::real_of<T>>&, const blas::matrix<T>&,           \
                                     const events&);                                                         \
  template sycl::event gather<T>(sycl::queue&, std::size_t, const index_place&, const index_place&,          \
                                 const blas::matrix<T>&, const blas::place<blas::real_of<T>>&,               \
                                 const events&);                                                             \
  template sycl::event to_dense<T>(sycl::queue&, const rows_in_memory&,                                      \
                                   const blas::place<blas::real_of<T>>&, const blas::matrix<T>&,             \
                                   const events&);                                                           \
  template sycl::event product_values<T>(sycl::queue&, const rows_in_memory&,                                \
                                         const blas::place<blas::real_of<T>>&, const rows_in_memory&,        \
                                         const blas::place<blas::real_of<T>>&, const rows_in_memory&,        \
                                         const blas::place<blas::real_of<T>>&, std::size_t, const events&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::sparse
