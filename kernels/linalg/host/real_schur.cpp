// The Schur form of real matrices in real arithmetic, so that complex eigenvalues are pairs exactly.
#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>

namespace prism::linalg::host {
namespace {

/// Two eigenvalues as shifts: conjugates, or one real number twice.
template <typename R>
struct shifts {
  R re = 0, im = 0;
};

/// Those of the last two rows; of `exceptional` steps others, since the usual ones may repeat for ever.
template <typename R>
shifts<R> shifts_of(const dense<R>& h, count first, count last, int step) {
  R a, b, c, d;
  if (step > 0 && step % 10 == 0) {
    const bool from_end = step % 20 == 10;
    const count i = from_end ? last : first + 2;
    const R s = sycl::fabs(h(i, i - 1)) + sycl::fabs(h(i - 1, i - 2));
    a = d = R(0.75) * s + (from_end ? h(last, last) : h(first, first));
    b = R(-0.4375) * s, c = s;
  } else {
    a = h(last - 1, last - 1), b = h(last - 1, last), c = h(last, last - 1), d = h(last, last);
  }
  const R size = sycl::fabs(a) + sycl::fabs(b) + sycl::fabs(c) + sycl::fabs(d);
  if (size == 0) return {};
  a /= size, b /= size, c /= size, d /= size;
  const R half = (a + d) / 2, determinant = (a - half) * (d - half) - b * c,
          root = sycl::sqrt(sycl::fabs(determinant));
  if (determinant >= 0) return {half * size, root * size};
  const R above = half + root, below = half - root;
  return {(sycl::fabs(above - d) <= sycl::fabs(below - d) ? above : below) * size, R(0)};
}

/// Whether h(k, k - 1) may be taken for zero. Ahues & Tisseur 1997 (LAPACK working note 122).
template <typename R>
bool is_negligible(const dense<R>& h, count k, R least) {
  constexpr R epsilon = std::numeric_limits<R>::epsilon();
  const count n = h.rows;
  const R below = sycl::fabs(h(k, k - 1));
  if (below <= least) return true;
  R diagonal = sycl::fabs(h(k - 1, k - 1)) + sycl::fabs(h(k, k));
  if (diagonal == 0) {
    if (k >= 2) diagonal += sycl::fabs(h(k - 1, k - 2));
    if (k + 1 < n) diagonal += sycl::fabs(h(k + 1, k));
  }
  if (below > epsilon * diagonal) return false;
  const R above = sycl::fabs(h(k - 1, k)), between = sycl::fabs(h(k - 1, k - 1) - h(k, k)),
          corner = sycl::fabs(h(k, k));
  const R larger = std::max(below, above), smaller = std::min(below, above), more = std::max(corner, between),
          less = std::min(corner, between), sum = more + larger;
  return smaller * (larger / sum) <= std::max(least, epsilon * (less * (more / sum)));
}

/// The first column of (H - s) (H - conj(s)) for rows from `row` on.
template <typename R>
void first_column(const dense<R>& h, count row, const shifts<R>& s, R (&v)[3]) {
  const R size = sycl::fabs(h(row, row) - s.re) + sycl::fabs(s.im) + sycl::fabs(h(row + 1, row));
  if (size == 0) {
    v[0] = v[1] = v[2] = 0;
    return;
  }
  const R below = h(row + 1, row) / size, off = h(row, row) - s.re;
  v[0] = below * h(row, row + 1) + off * (off / size) + s.im * (s.im / size);
  v[1] = below * (h(row, row) + h(row + 1, row + 1) - 2 * s.re);
  v[2] = below * h(row + 2, row + 1);
  const R sum = sycl::fabs(v[0]) + sycl::fabs(v[1]) + sycl::fabs(v[2]);
  if (sum != 0) v[0] /= sum, v[1] /= sum, v[2] /= sum;
}

/// H = P H P and Z = Z P for the reflector P = I - tau (1, x) (1, x)^T of `rows` rows from `k` on.
template <typename R>
void reflect_both(const dense<R>& h, const dense<R>& z, bool whole, count k, count rows, R tau, R x, R y,
                  count first, count last) {
  const count n = h.rows, top = whole ? 0 : first, right = whole ? n : last + 1;
  if (rows < 3) y = 0;
  const count third = rows == 3 ? k + 2 : k; // read with the weight 0 where there is none
  for (count j = k; j < right; ++j) {
    const R sum = tau * (h(k, j) + x * h(k + 1, j) + y * h(third, j));
    h(k, j) -= sum, h(k + 1, j) -= sum * x;
    if (rows == 3) h(k + 2, j) -= sum * y;
  }
  const auto columns = [&](const dense<R>& a, count from, count to) {
    for (count i = from; i < to; ++i) {
      const R sum = tau * (a(i, k) + x * a(i, k + 1) + y * a(i, third));
      a(i, k) -= sum, a(i, k + 1) -= sum * x;
      if (rows == 3) a(i, k + 2) -= sum * y;
    }
  };
  columns(h, top, std::min(k + 3, last) + 1);
  if (whole) columns(z, 0, n);
}

/// A QR step with two shifts on rows first..last, at least three (Francis 1961).
template <typename R>
void double_step(const dense<R>& h, const dense<R>& z, bool whole, count first, count last, int step) {
  constexpr R epsilon = std::numeric_limits<R>::epsilon();
  const shifts<R> s = shifts_of(h, first, last, step);
  R v[3];
  count start = last - 2;
  for (;; --start) { // two small elements below the diagonal: the step may start there
    first_column(h, start, s, v);
    if (start == first) break;
    const R sizes = sycl::fabs(h(start - 1, start - 1)) + sycl::fabs(h(start, start)) +
                    sycl::fabs(h(start + 1, start + 1));
    if (sycl::fabs(h(start, start - 1)) * (sycl::fabs(v[1]) + sycl::fabs(v[2])) <=
        epsilon * sycl::fabs(v[0]) * sizes)
      break;
  }
  for (count k = start; k < last; ++k) {
    const count rows = std::min<count>(3, last - k + 1);
    if (k > start)
      for (count i = 0; i < rows; ++i) v[i] = h(k + i, k - 1);
    const R tau = reflector(rows, v[0], v + 1);
    if (k > start) {
      h(k, k - 1) = v[0];
      for (count i = 1; i < rows; ++i) h(k + i, k - 1) = 0;
    } else if (start > first) {
      h(k, k - 1) *= 1 - tau;
    }
    reflect_both(h, z, whole, k, rows, tau, v[1], v[2], first, last);
  }
}

/// Rows k and k + 1 are a block of their own: it becomes triangular where its eigenvalues are real.
template <typename R>
void finish_block(const dense<R>& h, const dense<R>& z, bool whole, count k, pair<R>* w) {
  const count n = h.rows;
  const R a = h(k, k), b = h(k, k + 1), c = h(k + 1, k), d = h(k + 1, k + 1);
  const R half = (a - d) / 2, more = std::max(sycl::fabs(b), sycl::fabs(c)),
          less = std::min(sycl::fabs(b), sycl::fabs(c)) * sycl::copysign(R(1), b) * sycl::copysign(R(1), c);
  const R size = std::max(sycl::fabs(half), more);
  const R inside = size == 0 ? R(0) : half / size * half + more / size * less; // over the size
  if (inside < 0) {
    const R re = d + half, im = sycl::sqrt(size) * sycl::sqrt(-inside);
    w[k] = {re, im}, w[k + 1] = {re, -im};
    return;
  }
  const R to = half + sycl::copysign(sycl::sqrt(size) * sycl::sqrt(inside), half);
  R cosine = 1, sine = 0;
  if (c != 0) {
    const R length = sycl::hypot(c, to);
    if (length != 0) cosine = to / length, sine = c / length;
  }
  for (count j = k; j < (whole ? n : k + 2); ++j) {
    R &x = h(k, j), &y = h(k + 1, j);
    const R old = x;
    x = cosine * old + sine * y, y = cosine * y - sine * old;
  }
  const count top = whole ? 0 : k;
  rotate(k + 2 - top, h.column(k) + top, h.column(k + 1) + top, cosine, sine);
  if (whole) rotate(n, z.column(k), z.column(k + 1), cosine, sine);
  h(k + 1, k) = 0;
  if (to != 0) h(k, k) = d + to, h(k + 1, k + 1) = d - more / to * less; // as exact as they can be
  w[k] = {h(k, k), R(0)}, w[k + 1] = {h(k + 1, k + 1), R(0)};
}

} // namespace

template <typename R>
std::int64_t real_schur(const dense<R>& h, const dense<R>& z, bool wants_vectors, pair<R>* w) {
  const count n = h.rows;
  const R least = std::numeric_limits<R>::min() * (R(n) / std::numeric_limits<R>::epsilon());
  constexpr int most_steps = 60;
  int step = 0;
  for (count last = n - 1; last >= 0;) {
    count first = last;
    while (first > 0 && !is_negligible(h, first, least)) --first;
    if (first > 0) h(first, first - 1) = 0;
    if (first + 1 < last) {
      if (step == most_steps) return last + 1;
      double_step(h, z, wants_vectors, first, last, step++);
      continue;
    }
    if (first == last) w[last] = {h(last, last), R(0)};
    else finish_block(h, z, wants_vectors, first, w);
    last = first - 1, step = 0;
  }
  return 0;
}

#define PRISM_INSTANTIATE(R)                                                                                 \
  template std::int64_t real_schur<R>(const dense<R>&, const dense<R>&, bool, pair<R>*);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
#undef PRISM_INSTANTIATE

} // namespace prism::linalg::host
