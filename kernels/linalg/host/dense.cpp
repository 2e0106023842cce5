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

constexpr count most_depth = 256, most_rows = 192, most_columns = 4; // A's packed block stays in the cache

template <typename E, int Bytes>
PRISM_INLINE void tile(count depth, const real_of_number<E>* a, const E* b, real_of_number<E> sign, E* to,
                       count leading, count rows, count columns) {
  using R = real_of_number<E>;
  using vector = vector_of<R, Bytes>;
  constexpr count lanes = Bytes / sizeof(R);
  vector re[most_columns] = {}, im[most_columns] = {};
  for (count p = 0; p < depth; ++p) {
    const vector x = *reinterpret_cast<const vector*>(a);
    if constexpr (is_pair<E>) {
      const vector y = *reinterpret_cast<const vector*>(a + lanes);
      for (int j = 0; j < most_columns; ++j) {
        re[j] += x * b[j].re - y * b[j].im;
        im[j] += x * b[j].im + y * b[j].re;
      }
      a += 2 * lanes;
    } else {
      for (int j = 0; j < most_columns; ++j) re[j] += x * b[j];
      a += lanes;
    }
    b += most_columns;
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
    for (count j = 0; j < c.columns; j += most_columns)
      for (count p = 0; p < depth; ++p)
        for (count q = 0; q < most_columns; ++q) {
          const E value = j + q < c.columns ? b.data[(pp + p) * b.down + (j + q) * b.across] : E(0);
          packed_b[j * depth + p * most_columns + q] = b.conjugate ? conj(value) : value;
        }
    for (count ii = 0; ii < c.rows; ii += most_rows) {
      const count rows = std::min(most_rows, c.rows - ii);
      pack_rows(a, ii, rows, pp, depth, lanes, packed);
      for (count j = 0; j < c.columns; j += most_columns)
        for (count i = 0; i < rows; i += lanes)
          tile<E, Bytes>(depth, packed + i * depth * parts, packed_b + j * depth, sign,
                         c.data + ii + i + j * c.leading, c.leading, std::min(lanes, rows - i),
                         std::min(most_columns, c.columns - j));
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

} // namespace

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
  packed_b.resize(std::max(packed_b.size(), std::size_t((c.columns + most_columns) * depth)));
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
  template real_of_number<E> norm2<E>(count, const E*);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
