// The kernels of steps.hpp.
#include "kernels/linalg/steps.hpp"

namespace prism::linalg {
namespace {

/// Elements as a kernel writes them. Strides and offset count parts.
template <typename Real>
struct target {
  Real* data;
  std::ptrdiff_t offset, row_stride, column_stride;
  Real* at(std::size_t i, std::size_t j) const {
    return data + (offset + static_cast<std::ptrdiff_t>(i) * row_stride +
                   static_cast<std::ptrdiff_t>(j) * column_stride);
  }
};
template <typename T>
target<real_of<T>> written(const matrix<T>& a, sycl::handler& h) {
  return {a.where.read_write(h), a.where.offset, a.row_stride, a.column_stride};
}

template <typename T>
number<T> load(const real_of<T>* at) {
  if constexpr (parts_of<T> == 2) return {at[0], at[1]};
  else return at[0];
}
template <typename T>
void store(real_of<T>* at, number<T> value) {
  at[0] = re_of(value);
  if constexpr (parts_of<T> == 2) at[1] = value.im;
}

/// Neighbours of the last dimension should be neighbours in memory.
template <typename T>
bool runs_down(const matrix<T>& a) {
  const auto size = [](std::ptrdiff_t stride) { return stride < 0 ? -stride : stride; };
  return size(a.row_stride) < size(a.column_stride);
}

part turned(part which) {
  return which == part::lower ? part::upper : which == part::upper ? part::lower : which;
}

/// A matrix stored in full that lies across where it goes to: a work-item copies a tile, whose lines stay in
/// the first-level cache of a processor. lavapipe takes twice as long so.
template <typename T>
sycl::event copy_in_tiles(sequence& s, const matrix<T>& from, const matrix<T>& to) {
  constexpr std::size_t tile = 16;
  constexpr int parts = parts_of<T>;
  return s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto source = from.read(h);
    const target<real_of<T>> out = written(to, h);
    const std::size_t rows = to.rows, columns = to.columns;
    h.parallel_for(sycl::range<2>((rows + tile - 1) / tile, (columns + tile - 1) / tile),
                   [=](sycl::id<2> at) {
      const auto in = source.placed();
      const std::size_t first = at[0] * tile, left = at[1] * tile, end = sycl::min(first + tile, rows),
                        right = sycl::min(left + tile, columns);
      for (std::size_t i = first; i < end; ++i)
        for (std::size_t j = left; j < right; ++j) {
          const real_of<T>* const value = in.data + (static_cast<std::ptrdiff_t>(i) * in.row_stride +
                                                     static_cast<std::ptrdiff_t>(j) * in.column_stride);
          for (int p = 0; p < parts; ++p) out.at(i, j)[p] = value[p];
        }
    });
  });
}

} // namespace

template <typename T>
void copy(sequence& s, const matrix<T>& from, const matrix<T>& to, part which) {
  using real = real_of<T>;
  constexpr int parts = parts_of<T>;
  if (to.size() == 0) return;
  if (runs_down(to)) return copy<T>(s, from.transposed(), to.transposed(), turned(which));
  const bool is_plain = which == part::all && from.kind == blas::form::general && !from.conjugate;
  if (is_plain && runs_down(from) && blas::runs_packed(s.queue.get_device()))
    return s.then(copy_in_tiles<T>(s, from, to));
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto source = from.read(h);
    const target<real> out = written(to, h);
    h.parallel_for(sycl::range<2>(to.rows, to.columns), [=](sycl::id<2> at) {
      const std::size_t i = at[0], j = at[1];
      if ((which == part::lower && j > i) || (which == part::upper && i > j)) return;
      real value[parts];
      source.placed().read(i, j, value);
      real* const there = out.at(i, j);
      for (int p = 0; p < parts; ++p) there[p] = value[p];
    });
  }));
}

template <typename T>
void copy(sequence& s, const vector<T>& from, const vector<T>& to) {
  if (to.size == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto source = from.read(h);
    const auto out = to.write(h);
    const bool conjugates = from.conjugate;
    h.parallel_for(sycl::range<1>(to.size), [=](sycl::id<1> i) {
      out.at(i[0])[0] = source.at(i[0])[0];
      if constexpr (parts_of<T> == 2) out.at(i[0])[1] = conjugates ? -source.at(i[0])[1] : source.at(i[0])[1];
    });
  }));
}

void set(sequence& s, const indices& to, std::int64_t first, std::int64_t step) {
  if (to.size == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto out = to.write(h);
    h.parallel_for(sycl::range<1>(to.size),
                   [=](sycl::id<1> i) { *out.at(i[0]) = first + static_cast<std::int64_t>(i[0]) * step; });
  }));
}

void combine(sequence& s, const indices& first, std::int64_t before, const indices& second,
             const indices& to) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto one = first.read(h), other = second.read(h);
    const auto out = to.write(h);
    h.single_task([=] { *out.at(0) = *one.at(0) > 0 ? before + *one.at(0) : *other.at(0); });
  }));
}

template <typename T>
void first_zero(sequence& s, const matrix<T>& a, const indices& to) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto from = a.read(h);
    const auto out = to.write(h);
    const std::size_t n = a.rows;
    h.single_task([=] {
      std::int64_t found = 0;
      for (std::size_t i = 0; i < n && found == 0; ++i) {
        real_of<T> value[parts_of<T>];
        from.placed().read(i, i, value);
        if (value[0] == 0 && value[parts_of<T> - 1] == 0) found = static_cast<std::int64_t>(i) + 1;
      }
      *out.at(0) = found;
    });
  }));
}

template <typename T>
void fill(sequence& s, const matrix<T>& to, real_of<T> other, real_of<T> diagonal) {
  if (to.size() == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto out = written(to, h);
    h.parallel_for(sycl::range<2>(to.rows, to.columns), [=](sycl::id<2> at) {
      store<T>(out.at(at[0], at[1]), number<T>(at[0] == at[1] ? diagonal : other));
    });
  }));
}

template <typename T>
void exchange_rows(sequence& s, const matrix<T>& a, const indices& pivots, std::size_t first,
                   std::size_t count, bool backwards) {
  if (a.size() == 0 || count == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto out = written(a, h);
    const auto by = pivots.read(h);
    const auto rows = static_cast<std::int64_t>(a.rows);
    h.parallel_for(sycl::range<1>(a.columns), [=](sycl::id<1> column) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = first + (backwards ? count - 1 - k : k);
        const std::int64_t other = *by.at(i);
        if (other == static_cast<std::int64_t>(i) || other < 0 || other >= rows) continue;
        real_of<T>*const x = out.at(i, column[0]), *const y =
                                                       out.at(static_cast<std::size_t>(other), column[0]);
        for (int p = 0; p < parts_of<T>; ++p) {
          const real_of<T> old = x[p];
          x[p] = y[p], y[p] = old;
        }
      }
    });
  }));
}

template <typename T>
void divide_rows(sequence& s, const matrix<T>& a, const vector<real_of<T>>& by, real_of<T> least,
                 const indices& rank) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto out = written(a, h);
    const auto divisors = by.read(h);
    const auto counted = rank.write(h);
    const std::size_t rows = a.rows, columns = a.columns;
    h.parallel_for(sycl::range<1>(columns + 1), [=](sycl::id<1> column) {
      std::int64_t count = 0;
      const real_of<T> limit = rows == 0 ? real_of<T>(0) : least * *divisors.at(0);
      for (std::size_t i = 0; i < rows; ++i) {
        const real_of<T> divisor = *divisors.at(i);
        const bool counts = !(divisor <= limit); // a NaN stays
        count += counts;
        if (column[0] == columns) continue;
        real_of<T>* const there = out.at(i, column[0]);
        for (int p = 0; p < parts_of<T>; ++p) there[p] = counts ? there[p] / divisor : real_of<T>(0);
      }
      if (column[0] == columns) *counted.at(0) = count;
    });
  }));
}

template <typename T>
void transpose_square(sequence& s, const matrix<T>& a) {
  if (a.size() == 0) return;
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const auto out = written(a, h);
    h.parallel_for(sycl::range<2>(a.rows, a.columns), [=](sycl::id<2> at) {
      if (at[0] >= at[1]) return;
      real_of<T>*const x = out.at(at[0], at[1]), *const y = out.at(at[1], at[0]);
      for (int p = 0; p < parts_of<T>; ++p) {
        const real_of<T> old = x[p];
        x[p] = y[p], y[p] = old;
      }
    });
  }));
}

namespace {

constexpr std::size_t chunks_of_line = 16;

template <typename Real>
Real larger(Real a, Real b) { // a NaN stays
  return a != a || a > b ? a : b;
}

/// Of one chunk: the sum or the largest of absolute values, or scale and scaled sum of squares.
template <typename T, norm_kind Kind>
struct norm_of_chunk {
  using real = real_of<T>;
  blas::source<const real> a; // lines are rows
  std::size_t length, chunk;
  real* partial;

  void operator()(sycl::id<2> at) const {
    const auto from = a.placed();
    const std::size_t begin = at[1] * chunk, end = sycl::min(length, begin + chunk);
    real sum = 0, largest = 0;
    const auto element = [&](std::size_t j) {
      real value[parts_of<T>];
      from.read(at[0], j, value);
      if constexpr (parts_of<T> == 2) return number<T>(value[0], value[1]);
      else return value[0];
    };
    for (std::size_t j = begin; j < end; ++j) {
      const number<T> value = element(j);
      if constexpr (Kind == norm_kind::frobenius)
        sum += square(value), largest = larger(abs1(value), largest);
      else if constexpr (Kind == norm_kind::largest) largest = larger(abs(value), largest);
      else sum += abs(value);
    }
    real* const to = partial + 2 * (at[0] * chunks_of_line + at[1]);
    to[0] = Kind == norm_kind::largest ? largest : sum, to[1] = 1;
    if constexpr (Kind == norm_kind::frobenius) {
      constexpr real tiny = std::numeric_limits<real>::min() / std::numeric_limits<real>::epsilon();
      const bool in_range = (sum >= tiny && sum <= std::numeric_limits<real>::max() / 1024) || largest == 0;
      if (in_range || !sycl::isfinite(largest)) {
        if (!sycl::isfinite(largest)) to[0] = largest;
        return;
      }
      real scaled = 0;
      for (std::size_t j = begin; j < end; ++j) {
        number<T> value = element(j);
        scaled += square(value / largest);
      }
      to[0] = scaled, to[1] = largest;
    }
  }
};

template <typename Real>
struct norm_of_all {
  const Real* partial;
  blas::elements<Real> to;
  std::size_t lines;
  norm_kind kind;

  void operator()() const {
    Real out = 0, scale = 1;
    for (std::size_t i = 0; i < lines; ++i) {
      Real line = 0;
      for (std::size_t c = 0; c < chunks_of_line; ++c) {
        const Real* const one = partial + 2 * (i * chunks_of_line + c);
        if (kind == norm_kind::largest) {
          out = larger(one[0], out);
        } else if (kind == norm_kind::frobenius) {
          if (one[0] == 0) continue;
          if (one[1] > scale || (out == 0 && one[1] < scale)) {
            const Real ratio = scale / one[1];
            out = one[0] + (out == 0 ? Real(0) : out * ratio * ratio), scale = one[1];
          } else {
            const Real ratio = one[1] / scale;
            out += one[0] * ratio * ratio;
          }
        } else {
          line += one[0];
        }
      }
      if (kind == norm_kind::one || kind == norm_kind::infinity) out = larger(line, out);
    }
    *to.at(0) = kind == norm_kind::frobenius ? scale * sycl::sqrt(out) : out;
  }
};

template <typename T, norm_kind Kind>
void submit_chunks(sequence& s, const matrix<T>& lines, const matrix<real_of<T>>& partial) {
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    const std::size_t chunk = (lines.columns + chunks_of_line - 1) / chunks_of_line;
    h.parallel_for(sycl::range<2>(lines.rows, chunks_of_line),
                   norm_of_chunk<T, Kind>{lines.read(h), lines.columns, chunk, partial.where.read_write(h)});
  }));
}

} // namespace

template <typename T>
void norm(sequence& s, norm_kind kind, const matrix<T>& a, const vector<real_of<T>>& to) {
  using real = real_of<T>;
  const bool empty = a.size() == 0;
  const matrix<T> lines =
      kind == norm_kind::one || (kind != norm_kind::infinity && runs_down(a)) ? a.transposed() : a;
  const matrix<real> partial = temporary<real>(2 * chunks_of_line, std::max<std::size_t>(1, lines.rows));
  if (!empty) switch (kind) {
      case norm_kind::one:
      case norm_kind::infinity: submit_chunks<T, norm_kind::one>(s, lines, partial); break;
      case norm_kind::frobenius: submit_chunks<T, norm_kind::frobenius>(s, lines, partial); break;
      case norm_kind::largest: submit_chunks<T, norm_kind::largest>(s, lines, partial); break;
    }
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    h.single_task(norm_of_all<real>{partial.where.read_only(h), to.write(h), empty ? 0 : lines.rows, kind});
  }));
}

namespace {

template <typename T>
struct product_of_diagonal {
  using real = real_of<T>;
  target<real> lu;
  blas::elements<const std::int64_t> pivots;
  blas::elements<real> sign, log;
  std::size_t n;
  bool wants_log;

  void operator()() const {
    number<T> value(real(1));
    int exponent = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value = value * load<T>(lu.at(i, i));
      if (*pivots.at(i) != static_cast<std::int64_t>(i)) value = -value;
      const real size = abs1(value);
      if (!(size > 0) || !sycl::isfinite(size)) continue;
      const int up = sycl::ilogb(size);
      exponent += up, value = scaled(value, -up);
    }
    if (!wants_log) return store<T>(sign.at(0), scaled(value, sycl::clamp(exponent, -5000, 5000)));
    const real size = abs(value);
    *log.at(0) = sycl::log(size) + static_cast<real>(exponent) * real(0.69314718055994530942);
    store<T>(sign.at(0), size > 0 ? value / size : value);
  }
  static number<T> scaled(number<T> value, int up) {
    if constexpr (parts_of<T> == 2) return {sycl::ldexp(value.re, up), sycl::ldexp(value.im, up)};
    else return sycl::ldexp(value, up);
  }
};

} // namespace

template <typename T>
void determinant_of_lu(sequence& s, const matrix<T>& lu, const indices& pivots, const vector<T>& sign,
                       const vector<real_of<T>>& log) {
  const vector<real_of<T>> logarithm = log.size != 0 ? log : temporary_vector<real_of<T>>(1);
  s.then(s.queue.submit([&](sycl::handler& h) {
    h.depends_on(s.before);
    h.single_task(product_of_diagonal<T>{written(lu, h), pivots.read(h), sign.write(h), logarithm.write(h),
                                         lu.rows, log.size != 0});
  }));
}

template void copy<std::int64_t>(sequence&, const vector<std::int64_t>&, const vector<std::int64_t>&);

#define PRISM_INSTANTIATE(T)                                                                                 \
  template void copy<T>(sequence&, const matrix<T>&, const matrix<T>&, part);                                \
  template void copy<T>(sequence&, const vector<T>&, const vector<T>&);                                      \
  template void first_zero<T>(sequence&, const matrix<T>&, const indices&);                                  \
  template void fill<T>(sequence&, const matrix<T>&, real_of<T>, real_of<T>);                                \
  template void exchange_rows<T>(sequence&, const matrix<T>&, const indices&, std::size_t, std::size_t,      \
                                 bool);                                                                      \
  template void divide_rows<T>(sequence&, const matrix<T>&, const vector<real_of<T>>&, real_of<T>,           \
                               const indices&);                                                              \
  template void transpose_square<T>(sequence&, const matrix<T>&);                                            \
  template void norm<T>(sequence&, norm_kind, const matrix<T>&, const vector<real_of<T>>&);                  \
  template void determinant_of_lu<T>(sequence&, const matrix<T>&, const indices&, const vector<T>&,          \
                                     const vector<real_of<T>>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(std::complex<float>)
PRISM_INSTANTIATE(std::complex<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg
