// The steps between transforms that move contiguous points, on a processor with vectors: copies
// with a factor, and the steps that make transforms of real numbers from complex ones (map.hpp). Host device
// only.
#pragma once

#include "kernels/fft/lanes.hpp"
#include "kernels/fft/map.hpp"

namespace prism::fft {

template <typename Real, typename Isa>
class vector_map {
  using V = vectors<Real, Isa>;
  using lanes = typename V::lanes;
  static constexpr std::size_t width = V::count;

public:
  /// Points `first` to `last` - 1 of line number `line`.
  static void run(const map<Real, Real, Real>& what, std::size_t line, std::size_t first, std::size_t last) {
    vector_map(what, line).points(first, last);
  }

private:
  struct number {
    Real re, im;
  };
  struct vector {
    lanes re, im;
  };

  vector_map(const map<Real, Real, Real>& what, std::size_t line)
      : m(what), m_roots(what.reals + what.reals_offset + (what.table == no_table ? 0 : what.table)) {
    std::ptrdiff_t from = m.in.offset + std::ptrdiff_t(line % m.lanes) * m.in.lane,
                   to = m.out.offset + std::ptrdiff_t(line % m.lanes) * m.out.lane;
    std::size_t rest = line / m.lanes;
    for (int d = 0; d < most_outer; ++d) {
      const auto index = std::ptrdiff_t(rest % m.outer[d]);
      rest /= m.outer[d];
      from += index * m.in.outer[d], to += index * m.out.outer[d];
    }
    m_from = m.in.data + from, m_to = m.out.data + to;
  }

  void points(std::size_t first, std::size_t last) {
    std::size_t k = first;
    const std::size_t n = m.n, in_count = m.in_count;
    switch (m.how) {
      case mapping::copy: {
        const std::size_t whole = last < in_count ? last : in_count;
        for (; k + width <= whole; k += width) {
          vector x = load(m_from, m.in.step, m.in.imaginary, k);
          if (m.table != no_table) x = product(x, load(m_roots, 2, 1, k));
          store(k, x);
        }
        for (; k < whole; ++k) put(k, m.table != no_table ? product(get(k), root(k)) : get(k));
        for (; k < last; ++k) put(k, {Real(0), Real(0)});
        return;
      }
      case mapping::split:
        if (k == 0 && last > 0) put(k, split_of<number>(get(0), get(0), root(0))), ++k;
        for (; k + width <= (last < n ? last : n); k += width)
          store(k, split_of<vector>(load(m_from, m.in.step, m.in.imaginary, k), mirrored(k),
                                    load(m_roots, 2, 1, k)));
        for (; k < last; ++k) put(k, split_of<number>(get(k == n ? 0 : k), get(k == n ? 0 : n - k), root(k)));
        return;
      default:
        if (k == 0 && last > 0)
          put(k, join_of<number>({get(0).re, Real(0)}, {get(n).re, Real(0)}, root(0))), ++k;
        for (; k + width <= last; k += width)
          store(k, join_of<vector>(load(m_from, m.in.step, m.in.imaginary, k), mirrored(k),
                                   load(m_roots, 2, 1, k)));
        for (; k < last; ++k) put(k, join_of<number>(get(k), get(n - k), root(k)));
    }
  }

  template <typename Value>
  static Value product(const Value& a, const Value& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  template <typename Value>
  static Value split_of(const Value& a, const Value& b, const Value& w) {
    const Real half = Real(0.5);
    const Value odd = product<Value>({(a.im + b.im) * half, (b.re - a.re) * half}, w);
    return {(a.re + b.re) * half + odd.re, (a.im - b.im) * half + odd.im};
  }
  template <typename Value>
  static Value join_of(const Value& a, const Value& b, const Value& w) {
    const auto re = a.re - b.re, im = a.im + b.im;
    return {a.im - b.im + (re * w.re + im * w.im), a.re + b.re - (im * w.re - re * w.im)};
  }

  number get(std::size_t k) const {
    const Real* const at = m_from + std::ptrdiff_t(k) * m.in.step;
    return {at[0], m.in.imaginary != 0 ? at[m.in.imaginary] : Real(0)};
  }
  number root(std::size_t k) const { return {m_roots[2 * k], m_roots[2 * k + 1]}; }
  void put(std::size_t k, const number& x) {
    Real* const at = m_to + std::ptrdiff_t(k) * m.out.step;
    at[0] = x.re * m.scale;
    if (m.out.imaginary != 0) at[m.out.imaginary] = x.im * m.scale;
  }
  static vector load(const Real* from, std::ptrdiff_t step, std::ptrdiff_t imaginary, std::size_t k) {
    from += std::ptrdiff_t(k) * step;
    if (imaginary == 0) return {V::load(from), lanes{}};
    if (imaginary < 0) from -= 1;
    const lanes a = V::load(from), b = V::load(from + width), even = V::firsts(a, b), odd = V::seconds(a, b);
    if (imaginary < 0) return {odd, even};
    return {even, odd};
  }
  /// Points n - k down to n - k - width + 1.
  vector mirrored(std::size_t k) const {
    const vector x = load(m_from, m.in.step, m.in.imaginary, m.n - k - width + 1);
    return {V::reversed(x.re), V::reversed(x.im)};
  }
  void store(std::size_t k, const vector& x) {
    Real* to = m_to + std::ptrdiff_t(k) * m.out.step;
    if (m.out.imaginary == 0) return V::store(to, x.re * m.scale);
    const bool exchanged = m.out.imaginary < 0;
    if (exchanged) to -= 1;
    const lanes a = (exchanged ? x.im : x.re) * m.scale, b = (exchanged ? x.re : x.im) * m.scale;
    V::store(to, V::lower(a, b));
    V::store(to + width, V::upper(a, b));
  }

  const map<Real, Real, Real>& m;
  const Real* const m_roots;
  const Real* m_from;
  Real* m_to;
};

} // namespace prism::fft
