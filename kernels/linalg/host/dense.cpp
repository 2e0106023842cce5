#include "kernels/linalg/host/dense.hpp"

#include "kernels/linalg/host/instruction_sets.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace prism::linalg::host {
namespace {

/// Tiles: `Bytes` of a column in one vector, `Columns` columns, sums in registers. Packed A has for every
/// step the real parts and then the imaginary parts of a tile's rows.
template <typename R, int Bytes>
using vector_of __attribute__((vector_size(Bytes), aligned(alignof(R)), may_alias)) = R;

constexpr count most_depth = 256, most_rows = 192; // A's packed block stays in the cache
/// So many sums as hide the time that a multiplication takes.
template <typename E>
constexpr count most_columns = is_pair<E> ? 4 : 8;

template <typename E, int Bytes>
PRISM_INLINE void tile(count depth, const real_of_number<E>* a, const E* b, real_of_number<E> sign, E* to,
                       count leading, count rows, count columns) {
  using R = real_of_number<E>;
  using vector = vector_of<R, Bytes>;
  constexpr count lanes = Bytes / sizeof(R);
  vector re[most_columns<E>] = {}, im[most_columns<E>] = {};
  for (count p = 0; p < depth; ++p) {
    const vector x = *reinterpret_cast<const vector*>(a);
    if constexpr (is_pair<E>) {
      const vector y = *reinterpret_cast<const vector*>(a + lanes);
      for (int j = 0; j < most_columns<E>; ++j) {
        re[j] += x * b[j].re - y * b[j].im;
        im[j] += x * b[j].im + y * b[j].re;
      }
      a += 2 * lanes;
    } else {
      for (int j = 0; j < most_columns<E>; ++j) re[j] += x * b[j];
      a += lanes;
    }
    b += most_columns<E>;
  }
  if constexpr (!is_pair<E>)
    if (rows == lanes && columns == most_columns<E>) {
      for (int j = 0; j < most_columns<E>; ++j) *reinterpret_cast<vector*>(to + j * leading) += sign * re[j];
      return;
    }
  for (count j = 0; j < columns; ++j)
    for (count i = 0; i < rows; ++i) {
      if constexpr (is_pair<E>) to[i + j * leading] += sign * E(re[j][i], im[j][i]);
      else to[i + j * leading] += sign * re[j][i];
    }
}

template <typename E>
PRISM_INLINE void pack_rows(const factor<E>& a, count first, count rows, count at, count depth, count lanes,
                            real_of_number<E>* to) {
  for (count ii = 0; ii < rows; ii += lanes)
    for (count p = 0; p < depth; ++p) {
      for (count i = 0; i < lanes; ++i) {
        const bool inside = ii + i < rows;
        const E value = inside ? a.data[(first + ii + i) * a.down + (at + p) * a.across] : E(0);
        to[i] = re_of(value);
        if constexpr (is_pair<E>) to[lanes + i] = a.conjugate ? -value.im : value.im;
      }
      to += is_pair<E> ? 2 * lanes : lanes;
    }
}

template <typename E, int Bytes>
PRISM_INLINE void product_body(const dense<E>& c, count k, real_of_number<E> sign, const factor<E>& a,
                               const factor<E>& b, real_of_number<E>* packed, E* packed_b) {
  constexpr count lanes = Bytes / sizeof(real_of_number<E>), parts = is_pair<E> ? 2 : 1;
  for (count pp = 0; pp < k; pp += most_depth) {
    const count depth = std::min(most_depth, k - pp);
    for (count j = 0; j < c.columns; j += most_columns<E>)
      for (count p = 0; p < depth; ++p)
        for (count q = 0; q < most_columns<E>; ++q) {
          const E value = j + q < c.columns ? b.data[(pp + p) * b.down + (j + q) * b.across] : E(0);
          packed_b[j * depth + p * most_columns<E> + q] = b.conjugate ? conj(value) : value;
        }
    for (count ii = 0; ii < c.rows; ii += most_rows) {
      const count rows = std::min(most_rows, c.rows - ii);
      pack_rows(a, ii, rows, pp, depth, lanes, packed);
      for (count j = 0; j < c.columns; j += most_columns<E>)
        for (count i = 0; i < rows; i += lanes)
          tile<E, Bytes>(depth, packed + i * depth * parts, packed_b + j * depth, sign,
                         c.data + ii + i + j * c.leading, c.leading, std::min(lanes, rows - i),
                         std::min(most_columns<E>, c.columns - j));
    }
  }
}

template <typename E, int>
PRISM_INLINE E dot_body(count n, const E* x, const E* y) {
  if constexpr (is_pair<E>) {
    using R = real_of_number<E>;
    R re = 0, im = 0;
    for (count i = 0; i < n; ++i)
      re += x[i].re * y[i].re + x[i].im * y[i].im, im += x[i].re * y[i].im - x[i].im * y[i].re;
    return {re, im};
  } else {
    E sum[16] = {};
    count i = 0;
    for (; i + 16 <= n; i += 16)
      for (int l = 0; l < 16; ++l) sum[l] += x[i + l] * y[i + l];
    E out = 0;
    for (; i < n; ++i) out += x[i] * y[i];
    for (int l = 0; l < 16; ++l) out += sum[l];
    return out;
  }
}
template <typename E, int>
PRISM_INLINE void axpy_body(count n, E a, const E* x, E* y) {
  for (count i = 0; i < n; ++i) y[i] += a * x[i];
}
template <typename E, int>
PRISM_INLINE void rotate_body(count n, E* x, E* y, real_of_number<E> c, E s) {
  for (count i = 0; i < n; ++i) {
    const E u = x[i], v = y[i];
    x[i] = c * u + s * v, y[i] = c * v - conj(s) * u;
  }
}

template <typename E, int Bytes>
PRISM_INLINE void matrix_body(const dense<E>& a, const E* v, E* x) {
  count j = 0;
  if constexpr (!is_pair<E>) // four columns for one pass over x
    for (; j + 4 <= a.columns; j += 4) {
      const E *a0 = a.column(j), *a1 = a.column(j + 1), *a2 = a.column(j + 2), *a3 = a.column(j + 3);
      const E v0 = v[j], v1 = v[j + 1], v2 = v[j + 2], v3 = v[j + 3];
      for (count i = 0; i < a.rows; ++i) x[i] += (a0[i] * v0 + a1[i] * v1) + (a2[i] * v2 + a3[i] * v3);
    }
  for (; j < a.columns; ++j) axpy_body<E, Bytes>(a.rows, v[j], a.column(j), x);
}

template <typename E, int Bytes>
PRISM_INLINE void adjoint_body(const dense<E>& a, const E* v, E* x) {
  count j = 0;
  if constexpr (!is_pair<E>) {
    using vector = vector_of<E, Bytes>;
    constexpr count lanes = Bytes / sizeof(E);
    for (; j + 4 <= a.columns; j += 4) { // four columns for one pass over v
      const E *a0 = a.column(j), *a1 = a.column(j + 1), *a2 = a.column(j + 2), *a3 = a.column(j + 3);
      vector s0 = {}, s1 = {}, s2 = {}, s3 = {};
      count i = 0;
      for (; i + lanes <= a.rows; i += lanes) {
        const vector by = *reinterpret_cast<const vector*>(v + i);
        s0 += *reinterpret_cast<const vector*>(a0 + i) * by;
        s1 += *reinterpret_cast<const vector*>(a1 + i) * by;
        s2 += *reinterpret_cast<const vector*>(a2 + i) * by;
        s3 += *reinterpret_cast<const vector*>(a3 + i) * by;
      }
      for (count l = 0; l < lanes; ++l)
        x[j] += s0[l], x[j + 1] += s1[l], x[j + 2] += s2[l], x[j + 3] += s3[l];
      for (; i < a.rows; ++i)
        x[j] += a0[i] * v[i], x[j + 1] += a1[i] * v[i], x[j + 2] += a2[i] * v[i], x[j + 3] += a3[i] * v[i];
    }
  }
  for (; j < a.columns; ++j) x[j] += dot_body<E, Bytes>(a.rows, a.column(j), v);
}

/// Four columns at a time, so that each element of the triangle is read once, and x and v once for four.
template <typename E, int Bytes>
PRISM_INLINE void hermitian_body(const dense<E>& a, const E* v, E* x) {
  using R = real_of_number<E>;
  const count n = a.rows;
  count j = 0;
  if constexpr (!is_pair<E>) {
    using vector = vector_of<R, Bytes>;
    constexpr count lanes = Bytes / sizeof(R), columns = 4;
    for (; j + columns <= n; j += columns) {
      R sums[columns] = {};
      for (count q = 0; q < columns; ++q) {
        sums[q] += a(j + q, j + q) * v[j + q];
        for (count p = q + 1; p < columns; ++p)
          sums[q] += a(j + p, j + q) * v[j + p], x[j + p] += a(j + p, j + q) * v[j + q];
      }
      const E *a0 = a.column(j), *a1 = a.column(j + 1), *a2 = a.column(j + 2), *a3 = a.column(j + 3);
      const R v0 = v[j], v1 = v[j + 1], v2 = v[j + 2], v3 = v[j + 3];
      vector s0 = {}, s1 = {}, s2 = {}, s3 = {};
      count i = j + columns;
      for (; i + lanes <= n; i += lanes) {
        const vector b0 = *reinterpret_cast<const vector*>(a0 + i),
                     b1 = *reinterpret_cast<const vector*>(a1 + i),
                     b2 = *reinterpret_cast<const vector*>(a2 + i),
                     b3 = *reinterpret_cast<const vector*>(a3 + i),
                     by = *reinterpret_cast<const vector*>(v + i);
        s0 += b0 * by, s1 += b1 * by, s2 += b2 * by, s3 += b3 * by;
        *reinterpret_cast<vector*>(x + i) += (b0 * v0 + b1 * v1) + (b2 * v2 + b3 * v3);
      }
      for (count l = 0; l < lanes; ++l)
        sums[0] += s0[l], sums[1] += s1[l], sums[2] += s2[l], sums[3] += s3[l];
      for (; i < n; ++i) {
        sums[0] += a0[i] * v[i], sums[1] += a1[i] * v[i], sums[2] += a2[i] * v[i], sums[3] += a3[i] * v[i];
        x[i] += (a0[i] * v0 + a1[i] * v1) + (a2[i] * v2 + a3[i] * v3);
      }
      for (count q = 0; q < columns; ++q) x[j + q] += sums[q];
    }
  }
  for (; j < n; ++j) {
    const count below = n - j - 1;
    x[j] += re_of(a(j, j)) * v[j] + dot_body<E, Bytes>(below, a.column(j) + j + 1, v + j + 1);
    axpy_body<E, Bytes>(below, v[j], a.column(j) + j + 1, x + j + 1);
  }
}

/// A strip of rows in adjacent memory: `Bytes` times `strip_vectors` of a column are in registers while the
/// rotations of a sweep pass them. Two sweeps go at once, the second one column behind the first, so that a
/// column is loaded and stored once for two rotations (Van Zee, van de Geijn & Quintana-Orti 2014).
constexpr count strip_vectors = 4;

template <typename V>
PRISM_INLINE void load(V (&to)[strip_vectors], const V* from) {
  for (count q = 0; q < strip_vectors; ++q) to[q] = from[q];
}
template <typename V>
PRISM_INLINE void store(const V (&from)[strip_vectors], V* to) {
  for (count q = 0; q < strip_vectors; ++q) to[q] = from[q];
}
template <typename V, typename R>
PRISM_INLINE void turn(V (&x)[strip_vectors], V (&y)[strip_vectors], R c, R s) {
  for (count q = 0; q < strip_vectors; ++q) {
    const V u = x[q], w = y[q];
    x[q] = c * u + s * w, y[q] = c * w - s * u;
  }
}

template <typename R, int Bytes>
PRISM_INLINE void turn_body(R* strip, const rotations<R>* sweep, count sweeps) {
  using vector = vector_of<R, Bytes>;
  vector* const columns = reinterpret_cast<vector*>(strip);
  for (count k = 0; k < sweeps;) {
    const rotations<R>& a = sweep[k];
    const rotations<R>& b = sweep[k + 1 < sweeps ? k + 1 : k];
    if (a.last > a.first) {
      ++k;
      continue;
    }
    vector x[strip_vectors], y[strip_vectors], z[strip_vectors];
    count i = a.first;
    load(x, columns + (i + 1) * strip_vectors), load(y, columns + i * strip_vectors);
    turn(x, y, a.c[i], a.s[i]);
    // x, y: columns i + 1 and i after a's rotation i.
    if (k + 1 < sweeps && b.first <= a.first && b.last >= a.last && b.last <= b.first) {
      for (; i > a.last; --i) {
        load(z, columns + (i - 1) * strip_vectors);
        turn(y, z, a.c[i - 1], a.s[i - 1]);
        if (i <= b.first && i >= b.last) turn(x, y, b.c[i], b.s[i]);
        store(x, columns + (i + 1) * strip_vectors);
        load(x, y), load(y, z);
      }
      if (i <= b.first && i >= b.last) turn(x, y, b.c[i], b.s[i]);
      k += 2;
    } else {
      for (; i > a.last; --i) {
        load(z, columns + (i - 1) * strip_vectors);
        store(x, columns + (i + 1) * strip_vectors);
        turn(y, z, a.c[i - 1], a.s[i - 1]);
        load(x, y), load(y, z);
      }
      ++k;
    }
    store(x, columns + (i + 1) * strip_vectors), store(y, columns + i * strip_vectors);
  }
}

} // namespace

PRISM_FOR_INSTRUCTION_SETS(matrix_of, matrix_body, void, (const dense<E>& a, const E* v, E* x), (a, v, x))
PRISM_FOR_INSTRUCTION_SETS(adjoint_of, adjoint_body, void, (const dense<E>& a, const E* v, E* x), (a, v, x))
PRISM_FOR_INSTRUCTION_SETS(hermitian_of, hermitian_body, void, (const dense<E>& a, const E* v, E* x),
                           (a, v, x))
PRISM_FOR_INSTRUCTION_SETS(turn_of, turn_body, void, (E * strip, const rotations<E>* first, count sweeps),
                           (strip, first, sweeps))
PRISM_FOR_INSTRUCTION_SETS(product, product_body, void,
                           (const dense<E>& c, count k, real_of_number<E> sign, const factor<E>& a,
                            const factor<E>& b, real_of_number<E>* packed, E* packed_b),
                           (c, k, sign, a, b, packed, packed_b))
PRISM_FOR_INSTRUCTION_SETS(dot_of, dot_body, E, (count n, const E* x, const E* y), (n, x, y))
PRISM_FOR_INSTRUCTION_SETS(axpy_of, axpy_body, void, (count n, E a, const E* x, E* y), (n, a, x, y))
PRISM_FOR_INSTRUCTION_SETS(rotate_of, rotate_body, void, (count n, E* x, E* y, real_of_number<E> c, E s),
                           (n, x, y, c, s))

template <typename E>
void add_product(const dense<E>& c, count k, real_of_number<E> sign, const factor<E>& a, const factor<E>& b) {
  if (c.rows <= 0 || c.columns <= 0 || k <= 0) return;
  constexpr count most_lanes = 64 / sizeof(real_of_number<E>), parts = is_pair<E> ? 2 : 1;
  const count depth = std::min(k, most_depth), rows = std::min(c.rows, most_rows) + most_lanes;
  thread_local std::vector<real_of_number<E>> packed;
  thread_local std::vector<E> packed_b;
  packed.resize(std::max(packed.size(), std::size_t(rows * depth * parts)));
  packed_b.resize(std::max(packed_b.size(), std::size_t((c.columns + most_columns<E>)*depth)));
  product<E>(c, k, sign, a, b, packed.data(), packed_b.data());
}
template <typename E>
E dot(count n, const E* x, const E* y) {
  return dot_of<E>(n, x, y);
}
template <typename E>
void axpy(count n, E a, const E* x, E* y) {
  axpy_of<E>(n, a, x, y);
}
template <typename E>
void rotate(count n, E* x, E* y, real_of_number<E> c, E s) {
  rotate_of<E>(n, x, y, c, s);
}

template <typename E>
void add_matrix_product(const dense<E>& a, const E* v, E* x) {
  matrix_of<E>(a, v, x);
}
template <typename E>
void add_adjoint_product(const dense<E>& a, const E* v, E* x) {
  adjoint_of<E>(a, v, x);
}
template <typename E>
void add_hermitian_product(const dense<E>& a, const E* v, E* x) {
  hermitian_of<E>(a, v, x);
}

template <typename R>
void turn_columns(const dense<R>& z, const rotations<R>* first, count sweeps, bool upward) {
#if defined(__x86_64__)
  const count bytes = vector_bytes();
#else
  const count bytes = 16;
#endif
  const count width = strip_vectors * bytes / count(sizeof(R));
  thread_local std::vector<R> memory;
  memory.resize(std::max(memory.size(), std::size_t(width * z.columns)));
  R* const strip = memory.data();
  for (count top = 0; top < z.rows; top += width) {
    const count rows = std::min(width, z.rows - top);
    if (rows < width) std::fill_n(strip, width * z.columns, R(0));
    const auto column = [&](count j) { return z.column(upward ? z.columns - 1 - j : j) + top; };
    for (count j = 0; j < z.columns; ++j) std::copy_n(column(j), rows, strip + j * width);
    turn_of<R>(strip, first, sweeps);
    for (count j = 0; j < z.columns; ++j) std::copy_n(strip + j * width, rows, column(j));
  }
}

template <typename E>
real_of_number<E> norm2(count n, const E* x) {
  using R = real_of_number<E>;
  const R sum = re_of(dot(n, x, x));
  constexpr R tiny = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
  if (sum >= tiny && sum <= std::numeric_limits<R>::max()) return sycl::sqrt(sum);
  R largest = 0;
  for (count i = 0; i < n; ++i) {
    const R size = abs1(x[i]);
    if (!(size <= largest)) largest = size; // a NaN stays
  }
  if (largest == 0 || !sycl::isfinite(largest)) return largest;
  R scaled = 0;
  for (count i = 0; i < n; ++i) scaled += square(x[i] / largest);
  return largest * sycl::sqrt(scaled);
}

#define PRISM_INSTANTIATE(E)                                                                                 \
  template void add_product<E>(const dense<E>&, count, real_of_number<E>, const factor<E>&,                  \
                               const factor<E>&);                                                            \
  template E dot<E>(count, const E*, const E*);                                                              \
  template void axpy<E>(count, E, const E*, E*);                                                             \
  template void rotate<E>(count, E*, E*, real_of_number<E>, E);                                              \
  template void add_matrix_product<E>(const dense<E>&, const E*, E*);                                        \
  template void add_adjoint_product<E>(const dense<E>&, const E*, E*);                                       \
  template void add_hermitian_product<E>(const dense<E>&, const E*, E*);                                     \
  template real_of_number<E> norm2<E>(count, const E*);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE
template void turn_columns<float>(const dense<float>&, const rotations<float>*, count, bool);
template void turn_columns<double>(const dense<double>&, const rotations<double>*, count, bool);

} // namespace prism::linalg::host
