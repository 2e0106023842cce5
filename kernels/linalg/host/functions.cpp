#include "kernels/linalg/host/factor.hpp"
#include "kernels/linalg/host/spectral.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace prism::linalg::host {
namespace {

/// A square matrix with memory of its own.
template <typename E>
struct square_matrix {
  std::vector<E> memory;
  dense<E> view;
  explicit square_matrix(count n)
      : memory(std::size_t(n * n), E(0)), view{memory.data(), n, n, std::max<count>(1, n)} {}
  square_matrix(const square_matrix&) = delete;
  void add(real_of_number<E> factor, const dense<E>& a) {
    for (count j = 0; j < view.columns; ++j)
      for (count i = 0; i < view.rows; ++i) view(i, j) += factor * a(i, j);
  }
  void add_diagonal(real_of_number<E> value) {
    for (count i = 0; i < view.rows; ++i) view(i, i) += E(value);
  }
  void set_product(const dense<E>& a, const dense<E>& b) {
    std::fill(memory.begin(), memory.end(), E(0));
    add_product<E>(view, a.columns, 1, a, b);
  }
};

template <typename E>
real_of_number<E> one_norm(const dense<E>& a) {
  real_of_number<E> norm = 0;
  for (count j = 0; j < a.columns; ++j) {
    real_of_number<E> sum = 0;
    for (count i = 0; i < a.rows; ++i) sum += abs(a(i, j));
    norm = std::max(norm, sum);
  }
  return norm;
}

struct approximant {
  double most_norm; // of a matrix for which it is as exact as the type
  std::span<const double> coefficients;
};
constexpr std::array p3{120., 60., 12., 1.};
constexpr std::array p5{30240., 15120., 3360., 420., 30., 1.};
constexpr std::array p7{17297280., 8648640., 1995840., 277200., 25200., 1512., 56., 1.};
constexpr std::array p9{17643225600., 8821612800., 2075673600., 302702400., 30270240.,
                        2162160.,     110880.,     3960.,       90.,        1.};
constexpr std::array p13{64764752532480000.,
                         32382376266240000.,
                         7771770303897600.,
                         1187353796428800.,
                         129060195264000.,
                         10559470521600.,
                         670442572800.,
                         33522128640.,
                         1323241920.,
                         40840800.,
                         960960.,
                         16380.,
                         182.,
                         1.};
/// Higham 2005, table 2.3; for float Higham 2008, table 10.2.
constexpr std::array of_double{approximant{1.495585217958292e-2, p3}, approximant{2.539398330063230e-1, p5},
                               approximant{9.504178996162932e-1, p7}, approximant{2.097847961257068e0, p9},
                               approximant{5.371920351148152e0, p13}};
constexpr std::array of_float{approximant{4.258730016922831e-1, p3}, approximant{1.880152677804762e0, p5},
                              approximant{3.925724783138660e0, p7}};

/// The odd and the even part of the numerator.
template <typename E>
void parts_of_pade(const dense<E>& a, std::span<const double> c, square_matrix<E>& odd,
                   square_matrix<E>& even) {
  using R = real_of_number<E>;
  const count n = a.rows;
  square_matrix<E> a2(n), sum(n);
  a2.set_product(a, a);
  if (c.size() < 14) { // powers one after the other
    square_matrix<E> power(n), next(n);
    power.add_diagonal(1);
    for (std::size_t k = 0; k < c.size(); k += 2) {
      even.add(R(c[k]), power.view);
      if (k + 1 < c.size()) sum.add(R(c[k + 1]), power.view);
      next.set_product(power.view, a2.view);
      std::swap(power.memory, next.memory);
      power.view.data = power.memory.data(), next.view.data = next.memory.data();
    }
  } else {
    square_matrix<E> a4(n), a6(n), high(n);
    a4.set_product(a2.view, a2.view);
    a6.set_product(a4.view, a2.view);
    const auto combine = [&](square_matrix<E>& to, std::size_t six, std::size_t four, std::size_t two) {
      to.add(R(c[six]), a6.view), to.add(R(c[four]), a4.view), to.add(R(c[two]), a2.view);
    };
    combine(high, 13, 11, 9);
    sum.set_product(a6.view, high.view);
    combine(sum, 7, 5, 3), sum.add_diagonal(R(c[1]));
    std::fill(high.memory.begin(), high.memory.end(), E(0));
    combine(high, 12, 10, 8);
    even.set_product(a6.view, high.view);
    combine(even, 6, 4, 2), even.add_diagonal(R(c[0]));
  }
  odd.set_product(a, sum.view);
}

template <typename E>
void fill_all(const dense<E>& a, E value) {
  for (count j = 0; j < a.columns; ++j) std::fill_n(a.column(j), a.rows, value);
}
template <typename E>
constexpr real_of_number<E> nan_of = std::numeric_limits<real_of_number<E>>::quiet_NaN();

} // namespace

template <typename E>
std::int64_t exponential(const dense<E>& a) {
  using R = real_of_number<E>;
  const count n = a.rows;
  const R norm = one_norm(a);
  if (refusal_of(a) != 0 || !sycl::isfinite(norm)) {
    fill_all(a, E(nan_of<E>));
    return -1;
  }
  constexpr bool is_double = std::is_same_v<R, double>;
  const std::span<const approximant> all =
      is_double ? std::span<const approximant>(of_double) : std::span<const approximant>(of_float);
  std::size_t chosen = 0;
  while (chosen + 1 < all.size() && double(norm) > all[chosen].most_norm) ++chosen;
  int squarings = 0;
  for (double size = double(norm); size > all[chosen].most_norm; size /= 2) ++squarings;
  if (squarings > 0) {
    const R down = sycl::ldexp(R(1), -squarings);
    for (count j = 0; j < n; ++j)
      for (count i = 0; i < n; ++i) a(i, j) = down * a(i, j);
  }
  square_matrix<E> odd(n), even(n), below(n);
  parts_of_pade(a, all[chosen].coefficients, odd, even);
  below.add(1, even.view), below.add(-1, odd.view); // (even - odd) X = even + odd
  even.add(1, odd.view);
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  const std::int64_t info = lu(below.view, pivots.data());
  for (count i = 0; i < n; ++i)
    for (count j = 0; pivots[std::size_t(i)] != i && j < n; ++j)
      std::swap(even.view(i, j), even.view(count(pivots[std::size_t(i)]), j));
  solve_lower(below.view, true, even.view);
  solve_upper(below.view, even.view);
  for (int k = 0; k < squarings; ++k) {
    odd.set_product(even.view, even.view);
    std::swap(odd.memory, even.memory);
    odd.view.data = odd.memory.data(), even.view.data = even.memory.data();
  }
  for (count j = 0; j < n; ++j) std::copy_n(even.view.column(j), n, a.column(j));
  return info;
}

template <typename R>
std::int64_t square_root(const dense<pair<R>>& a, bool is_real) {
  using E = pair<R>;
  const count n = a.rows;
  if (refusal_of(a) != 0) {
    fill_all(a, E(nan_of<E>));
    return -1;
  }
  const R norm = one_norm(a), close = R(n) * std::numeric_limits<R>::epsilon() * norm;
  square_matrix<E> z(n), root(n), product(n);
  std::int64_t info = schur(a, z.view, true);
  for (count j = 0; info == 0 && j < n; ++j) {
    const E value = a(j, j);
    const R size = abs(value);
    if (is_real && value.re < -close && sycl::fabs(value.im) <= close) info = j + 1;
    const R re = sycl::sqrt(std::max(R(0), (size + value.re) / 2)),
            im = sycl::sqrt(std::max(R(0), (size - value.re) / 2));
    // The part without cancellation gives the other one.
    E of_value = value.re >= 0
                     ? E(re, re > 0 ? value.im / (2 * re) : R(0))
                     : E(im > 0 ? sycl::fabs(value.im) / (2 * im) : R(0), sycl::copysign(im, value.im));
    root.view(j, j) = of_value;
    for (count i = 0; i < j; ++i) root.view(i, j) = a(i, j);
    for (count k = j; k-- > 0;) {
      E& to = root.view(k, j);
      const E divisor = root.view(k, k) + of_value;
      if (divisor == E(0)) {
        if (abs(to) > close && info == 0) info = k + 1;
        to = E(0);
      } else {
        to = to / divisor;
      }
      axpy(k, -to, root.view.column(k), root.view.column(j));
    }
  }
  if (info != 0) {
    fill_all(a, E(nan_of<E>));
    return info;
  }
  product.set_product(z.view, root.view);
  fill_all(a, E(0));
  add_product<E>(a, n, 1, product.view, adjoint(z.view));
  return 0;
}

#define PRISM_INSTANTIATE(E) template std::int64_t exponential<E>(const dense<E>&);
PRISM_INSTANTIATE(float)
PRISM_INSTANTIATE(double)
PRISM_INSTANTIATE(pair<float>)
PRISM_INSTANTIATE(pair<double>)
#undef PRISM_INSTANTIATE
template std::int64_t square_root<float>(const dense<pair<float>>&, bool);
template std::int64_t square_root<double>(const dense<pair<double>>&, bool);

} // namespace prism::linalg::host
