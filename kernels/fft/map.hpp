// The steps of a plan before, between and after its transforms. Each computes a point of a line from one or
// two points. The steps are plain data, and one function computes a point of any step.
#pragma once

#include "kernels/fft/leaf.hpp"

namespace prism::fft {

enum class mapping : std::uint8_t {
  copy,      ///< times a factor where there is a table; 0 behind the last point of the input
  split,     ///< n points of two real sequences in one -> the n + 1 points of the real one
  join,      ///< the opposite, for the backward transform, with exchanged parts
  hermitian, ///< n / 2 + 1 points -> all n, conjugated
  cosine_1_in,
  cosine_2_in,
  cosine_2_out,
  cosine_3_in,
  cosine_3_out,
  cosine_4_in, ///< an even number of points
  cosine_4_out,
  cosine_4_odd_out
};

/// `n`: the size of the transform that it serves, `points` of the result and `in_count` of the input.
template <typename From, typename To, typename Real>
struct map {
  side<const From> in;
  side<To> out;
  const Real* reals;
  std::ptrdiff_t reals_offset;
  std::size_t lanes;
  std::size_t outer[most_outer];
  std::size_t points, in_count, n;
  std::uint32_t table;
  mapping how;
  Real scale;

  struct value {
    Real re, im;
  };

  std::size_t size() const {
    std::size_t all = points * lanes;
    for (const std::size_t count : outer) all *= count;
    return all;
  }

  void run(std::size_t i) const {
    const std::size_t k = i % points;
    std::size_t rest = i / points;
    auto index = static_cast<std::ptrdiff_t>(rest % lanes);
    rest /= lanes;
    std::ptrdiff_t from = in.offset + index * in.lane, to = out.offset + index * out.lane;
    for (int d = 0; d < most_outer; ++d) {
      index = static_cast<std::ptrdiff_t>(rest % outer[d]);
      rest /= outer[d];
      from += index * in.outer[d], to += index * out.outer[d];
    }
    const value result = of(in.data + from, k);
    To* const at = out.data + (to + static_cast<std::ptrdiff_t>(k) * out.step);
    at[0] = To(result.re * scale);
    if (out.imaginary != 0) at[out.imaginary] = To(result.im * scale);
  }

private:
  value read(const From* from, std::size_t k) const {
    const From* const at = from + static_cast<std::ptrdiff_t>(k) * in.step;
    return {Real(at[0]), in.imaginary != 0 ? Real(at[in.imaginary]) : Real(0)};
  }
  value root_at(std::size_t k) const {
    const Real* const at = reals + reals_offset + table + 2 * k;
    return {at[0], at[1]};
  }
  static value product(value a, value b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

  value of(const From* from, std::size_t k) const {
    switch (how) {
      case mapping::copy: {
        const value x = k < in_count ? read(from, k) : value{Real(0), Real(0)};
        return table == no_table || k >= in_count ? x : product(x, root_at(k));
      }
      case mapping::split: {
        const value a = read(from, k == n ? 0 : k), b = read(from, k == 0 || k == n ? 0 : n - k);
        const Real half = Real(0.5);
        const value odd = product({(a.im + b.im) * half, (b.re - a.re) * half}, root_at(k));
        return {(a.re + b.re) * half + odd.re, (a.im - b.im) * half + odd.im};
      }
      case mapping::join: {
        value a = read(from, k), b = read(from, n - k);
        if (k == 0) a.im = b.im = Real(0);
        const value w = root_at(k), apart{a.re - b.re, a.im + b.im};
        const value odd{apart.re * w.re + apart.im * w.im, apart.im * w.re - apart.re * w.im};
        return {a.im - b.im + odd.re, a.re + b.re - odd.im};
      }
      case mapping::hermitian: {
        const bool mirrored = 2 * k > n;
        const value x = read(from, mirrored ? n - k : k);
        return {x.re, k == 0 ? Real(0) : mirrored ? x.im : -x.im};
      }
      case mapping::cosine_1_in: return read(from, k < n ? k : 2 * (n - 1) - k);
      case mapping::cosine_2_in: return read(from, 2 * k < n ? 2 * k : 2 * (n - 1 - k) + 1);
      case mapping::cosine_2_out: {
        const bool mirrored = 2 * k > n;
        const value x = read(from, mirrored ? n - k : k), w = root_at(k);
        return {2 * (x.re * w.re - (mirrored ? -x.im : x.im) * w.im), Real(0)};
      }
      case mapping::cosine_3_in: {
        const Real x = read(from, k).re, y = k == 0 ? Real(0) : read(from, n - k).re;
        const value w = root_at(k);
        return {x * w.re - y * w.im, -x * w.im - y * w.re};
      }
      case mapping::cosine_3_out: return read(from, k % 2 == 0 ? k / 2 : n - 1 - k / 2);
      case mapping::cosine_4_in:
        return product({read(from, 2 * k).re, read(from, n - 1 - 2 * k).re}, root_at(k));
      case mapping::cosine_4_out: {
        const std::size_t j = k % 2 == 0 ? k / 2 : (n - 1 - k) / 2;
        const value x = product(read(from, j), root_at(j));
        return {k % 2 == 0 ? 2 * x.re : -2 * x.im, Real(0)};
      }
      default: return {2 * product(read(from, k), root_at(k)).re, Real(0)};
    }
  }
};

} // namespace prism::fft
