// Transforms on a processor with vectors, in one thread: as many transforms as a vector has
// elements at once, one a lane; or one long transform as that many columns, joined by a last butterfly
// across the vector (Franchetti & Pueschel 2003; Bailey's four steps, 1990, with a vector as one side). All
// arithmetic is on whole vectors, for every size. Host device only.
#pragma once

#include "kernels/fft/codelets.hpp"
#include "kernels/fft/lanes.hpp"
#include "kernels/fft/leaf.hpp"

namespace prism::fft {

/// A row of the group's memory: a vector of real parts, one of imaginary parts.
template <typename Real, typename Isa>
class vector_leaf {
  using V = vectors<Real, Isa>;
  using lanes = typename V::lanes;
  using aligned = typename V::aligned;
  static constexpr std::ptrdiff_t width = V::count, row = 2 * width;

public:
  /// `memory`: rows for leaf::rows + 1, aligned to the vector's bytes.
  vector_leaf(const leaf<Real>& what, Real* memory)
      : m(what), m_rows(memory), m_reals(what.reals + what.reals_offset),
        m_places(what.ints + what.ints_offset + what.places) {}

  /// Transforms number `block` of those that are done together.
  void run(std::size_t block) {
    const bool across = m.across != no_table;
    const std::size_t in_lane = across ? m.lanes : (m.lanes + width - 1) / width;
    const std::size_t first = block % in_lane * (across ? 1 : width);
    std::ptrdiff_t from = m.in.offset + std::ptrdiff_t(first) * m.in.lane,
                   to = m.out.offset + std::ptrdiff_t(first) * m.out.lane;
    std::size_t rest = block / in_lane;
#pragma GCC unroll 1
    for (int d = 0; d < most_outer; ++d) {
      const auto index = std::ptrdiff_t(rest % m.outer[d]);
      rest /= m.outer[d];
      from += index * m.in.outer[d], to += index * m.out.outer[d];
    }
    const std::size_t left = m.lanes - first;
    const int used = across || left >= std::size_t(width) ? int(width) : int(left);
    load(m.in.data + from, across ? m.in.step * width : m.in.step, across ? m.in.step : m.in.lane, used);
    if (m.before != no_table) multiply(m_reals + m.before, m.in_count, true);
    if (m.paired == pairing::join) join();
    transform();
    if (across) return finish_across(m.out.data + to);
    if (m.paired == pairing::split) split();
    if (m.turns != no_table) turn_all(first / width);
    if (m.after != no_table) multiply(m_reals + m.after, m.out_count, false);
    store(m.out.data + to, used);
  }

private:
  Real* row_at(std::size_t k) const { return m_rows + std::ptrdiff_t(k) * row; }
  static void put(Real* at, const lanes& re, const lanes& im) {
    *reinterpret_cast<aligned*>(at) = re;
    *reinterpret_cast<aligned*>(at + width) = im;
  }
  static lanes re_of(const Real* at) { return *reinterpret_cast<const aligned*>(at); }
  static lanes im_of(const Real* at) { return *reinterpret_cast<const aligned*>(at + width); }
  static bool in_pairs(std::ptrdiff_t imaginary) { return imaginary == 1 || imaginary == -1; }

  // ---- loading

  void load(const Real* from, std::ptrdiff_t step, std::ptrdiff_t lane, int used) {
    const std::size_t count = m.in_count;
    const bool pairs = in_pairs(m.in.imaginary);
    if (used == width && lane == 2 && pairs) load_pairs(from, step, count);
    else if (used == width && lane == 1) load_parts(from, step, count);
    else if (step == 2 && pairs && count >= std::size_t(width / 2)) load_rows(from, lane, count, used);
    else load_elements(from, step, lane, count, used);
    const lanes zero = lanes{};
#pragma GCC unroll 1
    for (std::size_t k = count; k < m.rows; ++k) put(row_at(std::size_t(m_places[k])), zero, zero);
  }
  void load_pairs(const Real* from, std::ptrdiff_t step, std::size_t count) {
    const bool swapped = m.in.imaginary < 0;
    if (swapped) from -= 1;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k, from += step) {
      const lanes a = V::load(from), b = V::load(from + width);
      Real* const to = row_at(std::size_t(m_places[k]));
      *reinterpret_cast<aligned*>(swapped ? to + width : to) = V::firsts(a, b);
      *reinterpret_cast<aligned*>(swapped ? to : to + width) = V::seconds(a, b);
    }
  }
  void load_parts(const Real* from, std::ptrdiff_t step, std::size_t count) {
    const std::ptrdiff_t imaginary = m.in.imaginary;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k, from += step)
      put(row_at(std::size_t(m_places[k])), V::load(from), imaginary ? V::load(from + imaginary) : lanes{});
  }
  /// Points of a transform are neighbours: a square of numbers at a time.
  void load_rows(const Real* from, std::ptrdiff_t lane, std::size_t count, int used) {
    const bool swapped = m.in.imaginary < 0;
    if (swapped) from -= 1;
    constexpr std::size_t wide = width / 2;
#pragma GCC unroll 1
    for (std::size_t first = 0; first < count; first += wide) {
      const std::size_t k = first + wide <= count ? first : count - wide;
      lanes square[width];
#pragma GCC unroll 16
      for (int r = 0; r < width; ++r)
        square[r] = V::load(from + (r < used ? r : used - 1) * lane + std::ptrdiff_t(2 * k));
      V::transpose(square);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < wide; ++i) {
        Real* const to = row_at(std::size_t(m_places[k + i]));
        *reinterpret_cast<aligned*>(swapped ? to + width : to) = square[2 * i];
        *reinterpret_cast<aligned*>(swapped ? to : to + width) = square[2 * i + 1];
      }
    }
  }
  void load_elements(const Real* from, std::ptrdiff_t step, std::ptrdiff_t lane, std::size_t count,
                     int used) {
    const std::ptrdiff_t imaginary = m.in.imaginary;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k, from += step) {
      Real* const to = row_at(std::size_t(m_places[k]));
      const Real* at = from;
#pragma GCC unroll 1
      for (int l = 0; l < used; ++l, at += lane)
        to[l] = at[0], to[l + width] = imaginary ? at[imaginary] : Real(0);
#pragma GCC unroll 1
      for (int l = used; l < width; ++l) to[l] = to[l + width] = Real(0);
    }
  }

  // ---- the transform

  /// All levels of a block as soon as its parts are ready: they are in the cache then.
  void transform() {
    const int levels = m.levels;
    if (levels == 0) return;
    const std::size_t leaves = m.rows / m.radix[0];
#pragma GCC unroll 1
    for (std::size_t i = 0; i < leaves; ++i) {
      std::size_t size = 1, last = i;
      const Real* twiddles = m_reals + m.twiddles;
#pragma GCC unroll 1
      for (int level = 0; level < levels; ++level) {
        const std::size_t radix = m.radix[level];
        // `last` is the number of the last part at this level's input; a block is complete after the last of
        // its radix parts.
        if (level > 0) {
          if (last % radix != radix - 1) break;
          last /= radix;
        }
        combine(radix, row_at(last * size * radix), size, twiddles);
        if (level > 0) twiddles += size * (radix - 1) * 2;
        size *= radix;
      }
    }
  }
  void combine(std::size_t radix, Real* block, std::size_t size, const Real* twiddles) {
    switch (radix) {
      case 2: return combine_by<2>(block, size, twiddles);
      case 3: return combine_by<3>(block, size, twiddles);
      case 4: return combine_by<4>(block, size, twiddles);
      case 5: return combine_by<5>(block, size, twiddles);
      case 7: return combine_by<7>(block, size, twiddles);
      case 8: return combine_by<8>(block, size, twiddles);
      case 9: return combine_by<9>(block, size, twiddles);
      case 11: return combine_by<11>(block, size, twiddles);
      case 13: return combine_by<13>(block, size, twiddles);
      default: return combine_by<16>(block, size, twiddles);
    }
  }
  template <int Radix>
  static void combine_by(Real* block, std::size_t size, const Real* twiddles) {
    const std::ptrdiff_t apart = std::ptrdiff_t(size) * row;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < size; ++k, block += row) {
      lanes re[Radix], im[Radix];
#pragma GCC unroll 16
      for (int j = 0; j < Radix; ++j) re[j] = re_of(block + j * apart), im[j] = im_of(block + j * apart);
      if (size > 1) {
#pragma GCC unroll 16
        for (int j = 1; j < Radix; ++j) {
          const Real cosine = twiddles[2 * (j - 1)], sine = twiddles[2 * (j - 1) + 1];
          const lanes r = re[j], i = im[j];
          re[j] = r * cosine - i * sine;
          im[j] = r * sine + i * cosine;
        }
        twiddles += 2 * (Radix - 1);
      }
      butterfly<Radix, Real>::apply(re, im);
#pragma GCC unroll 16
      for (int j = 0; j < Radix; ++j) put(block + j * apart, re[j], im[j]);
    }
  }

  // ---- between

  void multiply(const Real* by, std::size_t count, bool placed) {
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k) {
      Real* const at = row_at(placed ? std::size_t(m_places[k]) : k);
      const lanes re = re_of(at), im = im_of(at);
      put(at, re * by[2 * k] - im * by[2 * k + 1], re * by[2 * k + 1] + im * by[2 * k]);
    }
  }
  /// Row k of lane l by the root k (first lane + l) of the whole: one factor of the block's first lane and
  /// one of the lane.
  void turn_all(std::size_t block) {
    const Real* by = m_reals + m.turns + block * m.points * 2;
    const Real* lane_by = m_reals + m.lane_turns;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < m.points; ++k, by += 2, lane_by += row) {
      const lanes cosine = V::load(lane_by) * by[0] - V::load(lane_by + width) * by[1],
                  sine = V::load(lane_by) * by[1] + V::load(lane_by + width) * by[0];
      Real* const at = row_at(k);
      const lanes re = re_of(at), im = im_of(at);
      put(at, re * cosine - im * sine, re * sine + im * cosine);
    }
  }
  /// Z of n points, of which even and odd points of a real sequence are the parts, to the n + 1 points of its
  /// transform: Z[k] and Z[n - k] give X[k] and X[n - k].
  void split() {
    const std::size_t n = m.points;
    const Real* by = m_reals + m.pairs;
    const lanes zero = lanes{}, first_re = re_of(row_at(0)), first_im = im_of(row_at(0));
    put(row_at(0), first_re + first_im, zero);
    put(row_at(n), first_re - first_im, zero);
#pragma GCC unroll 1
    for (std::size_t k = 1; 2 * k <= n; ++k) {
      const Real cosine = by[2 * k], sine = by[2 * k + 1], half = Real(0.5);
      Real *const a = row_at(k), *const b = row_at(n - k);
      const lanes a_re = re_of(a), a_im = im_of(a), b_re = re_of(b), b_im = im_of(b);
      const lanes even_re = (a_re + b_re) * half, even_im = (a_im - b_im) * half;
      const lanes odd_re = (a_im + b_im) * half, odd_im = (b_re - a_re) * half;
      const lanes turned_re = odd_re * cosine - odd_im * sine, turned_im = odd_re * sine + odd_im * cosine;
      put(a, even_re + turned_re, even_im + turned_im);
      put(b, even_re - turned_re, turned_im - even_im);
    }
  }
  /// The opposite, twice as large and with exchanged parts, for the backward transform.
  void join() {
    const std::size_t n = m.points;
    const Real* by = m_reals + m.pairs;
    const lanes first = re_of(row_at(std::size_t(m_places[0]))), last = re_of(row_at(n));
    put(row_at(std::size_t(m_places[0])), first - last, first + last);
#pragma GCC unroll 1
    for (std::size_t k = 1; 2 * k <= n; ++k) {
      const Real cosine = by[2 * k], sine = by[2 * k + 1];
      Real *const a = row_at(std::size_t(m_places[k])), *const b = row_at(std::size_t(m_places[n - k]));
      const lanes a_re = re_of(a), a_im = im_of(a), b_re = re_of(b), b_im = im_of(b);
      const lanes sum_re = a_re + b_re, sum_im = a_im - b_im, apart_re = a_re - b_re, apart_im = a_im + b_im;
      const lanes turned_re = apart_re * cosine + apart_im * sine,
                  turned_im = apart_im * cosine - apart_re * sine;
      put(a, sum_im + turned_re, sum_re - turned_im);
      put(b, turned_re - sum_im, sum_re + turned_im);
    }
  }

  // ---- storing

  void store(Real* to, int used) {
    const std::ptrdiff_t step = m.out.step, lane = m.out.lane;
    const std::size_t count = m.out_count;
    const bool pairs = in_pairs(m.out.imaginary);
    if (used == width && lane == 2 && pairs) {
#pragma GCC unroll 1
      for (std::size_t k = 0; k < count; ++k, to += step) store_pairs(to, re_of(row_at(k)), im_of(row_at(k)));
    } else if (used == width && lane == 1) store_parts(to, step, count);
    else if (step == 2 && pairs && count >= std::size_t(width / 2)) store_rows(to, lane, count, used);
    else store_elements(to, step, lane, count, used);
  }
  void store_pairs(Real* to, const lanes& re, const lanes& im) const {
    const bool swapped = m.out.imaginary < 0;
    const lanes a = (swapped ? im : re) * m.scale, b = (swapped ? re : im) * m.scale;
    if (swapped) to -= 1;
    V::store(to, V::lower(a, b));
    V::store(to + width, V::upper(a, b));
  }
  void store_parts(Real* to, std::ptrdiff_t step, std::size_t count) {
    const std::ptrdiff_t imaginary = m.out.imaginary;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k, to += step) {
      V::store(to, re_of(row_at(k)) * m.scale);
      if (imaginary) V::store(to + imaginary, im_of(row_at(k)) * m.scale);
    }
  }
  void store_rows(Real* to, std::ptrdiff_t lane, std::size_t count, int used) {
    const bool swapped = m.out.imaginary < 0;
    if (swapped) to -= 1;
    constexpr std::size_t wide = width / 2;
#pragma GCC unroll 1
    for (std::size_t first = 0; first < count; first += wide) {
      const std::size_t k = first + wide <= count ? first : count - wide;
      lanes square[width];
#pragma GCC unroll 16
      for (std::size_t i = 0; i < wide; ++i) {
        const Real* const at = row_at(k + i);
        square[2 * i] = re_of(swapped ? at + width : at) * m.scale;
        square[2 * i + 1] = re_of(swapped ? at : at + width) * m.scale;
      }
      V::transpose(square);
#pragma GCC unroll 16
      for (int r = 0; r < width; ++r)
        if (r < used) V::store(to + r * lane + std::ptrdiff_t(2 * k), square[r]);
    }
  }
  void store_elements(Real* to, std::ptrdiff_t step, std::ptrdiff_t lane, std::size_t count, int used) {
    const std::ptrdiff_t imaginary = m.out.imaginary;
#pragma GCC unroll 1
    for (std::size_t k = 0; k < count; ++k, to += step) {
      const Real* const from = row_at(k);
      Real* at = to;
#pragma GCC unroll 1
      for (int l = 0; l < used; ++l, at += lane) {
        at[0] = from[l] * m.scale;
        if (imaginary) at[imaginary] = from[l + width] * m.scale;
      }
    }
  }
  /// Rows are the transforms of columns: a square of them, turned and transposed, is what the last butterfly
  /// needs. It gives `width` neighbours of the result in each of its vectors.
  void finish_across(Real* to) {
    const std::size_t rows = m.rows;
    const Real* const by = m_reals + m.across;
    const std::ptrdiff_t step = m.out.step;
    const bool pairs = step == 2 && in_pairs(m.out.imaginary);
#pragma GCC unroll 1
    for (std::size_t first = 0; first < rows; first += width) {
      const std::size_t k = first + width <= rows ? first : rows - width;
      lanes re[width], im[width];
#pragma GCC unroll 16
      for (int r = 0; r < width; ++r) {
        const Real *const at = row_at(k + r), *const root = by + std::ptrdiff_t(k + r) * row;
        const lanes cosine = V::load(root), sine = V::load(root + width), a = re_of(at), b = im_of(at);
        re[r] = a * cosine - b * sine;
        im[r] = a * sine + b * cosine;
      }
      V::transpose(re);
      V::transpose(im);
      butterfly<width, Real>::apply(re, im);
      Real* const place = to + std::ptrdiff_t(k) * step;
      const std::ptrdiff_t apart = std::ptrdiff_t(rows) * step;
      if (pairs) {
#pragma GCC unroll 16
        for (int r = 0; r < width; ++r) store_pairs(place + r * apart, re[r], im[r]);
      } else store_across(place, apart, re, im);
    }
  }
  void store_across(Real* to, std::ptrdiff_t apart, const lanes (&re)[width],
                    const lanes (&im)[width]) const {
    Real spilled[2 * width * width];
    for (int r = 0; r < width; ++r)
      V::store(spilled + 2 * r * width, re[r]), V::store(spilled + 2 * r * width + width, im[r]);
#pragma GCC unroll 1
    for (int r = 0; r < width; ++r, to += apart) {
      Real* at = to;
#pragma GCC unroll 1
      for (int l = 0; l < width; ++l, at += m.out.step) {
        at[0] = spilled[2 * r * width + l] * m.scale;
        if (m.out.imaginary) at[m.out.imaginary] = spilled[2 * r * width + width + l] * m.scale;
      }
    }
  }

  const leaf<Real>& m;
  Real* const m_rows;
  const Real* const m_reals;
  const std::int32_t* const m_places;
};

} // namespace prism::fft
