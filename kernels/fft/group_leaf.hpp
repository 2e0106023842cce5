// Transforms by the work-items of a group, in local memory: each item does butterflies, a barrier is between
// levels. A group has `together` transforms that are neighbours, so that neighbouring items read neighbouring
// points whichever dimension is transformed. For every device. Drivers take long for large kernels, so there
// are two: one with the butterflies of most sizes, and one with all.
#pragma once

#include "kernels/fft/codelets.hpp"
#include "kernels/fft/kernels.hpp"

#include <bit>

namespace prism::fft {

template <typename Real, bool All>
struct group_leaf {
  static constexpr std::size_t width = table_block_bytes / sizeof(Real);
  struct value {
    Real re, im;
  };

  leaf<Real> m;
  std::uint32_t together;
  sycl::local_accessor<Real> memory; // real parts [row][transform], then imaginary ones

  void operator()(sycl::nd_item<1> item) const {
    const std::uint32_t id = std::uint32_t(item.get_local_id(0)),
                        items = std::uint32_t(item.get_local_range(0));
    const std::size_t blocks = (m.lanes + together - 1) / together;
    const std::size_t first = item.get_group(0) % blocks * together;
    std::ptrdiff_t from = m.in.offset + std::ptrdiff_t(first) * m.in.lane,
                   to = m.out.offset + std::ptrdiff_t(first) * m.out.lane;
    std::size_t rest = item.get_group(0) / blocks;
    for (int d = 0; d < most_outer; ++d) {
      const auto index = std::ptrdiff_t(rest % m.outer[d]);
      rest /= m.outer[d];
      from += index * m.in.outer[d], to += index * m.out.outer[d];
    }
    const std::uint32_t used = m.lanes - first < together ? std::uint32_t(m.lanes - first) : together;
    load(id, items, from, used);
    sycl::group_barrier(item.get_group());
    if (m.paired == pairing::join) {
      pair(id, items, true);
      sycl::group_barrier(item.get_group());
    }
    std::uint32_t size = 1, twiddles = m.twiddles;
    for (int level = 0; level < m.levels; ++level) {
      const std::uint32_t radix = m.radix[level];
      combine(id, items, radix, size, twiddles);
      if (level > 0) twiddles += size * (radix - 1) * 2;
      size *= radix;
      sycl::group_barrier(item.get_group());
    }
    if (m.paired == pairing::split) {
      pair(id, items, false);
      sycl::group_barrier(item.get_group());
    }
    store(id, items, to, used, first);
  }

private:
  std::uint32_t stored_rows() const { return m.rows + (m.paired != pairing::none ? 1u : 0u); }
  std::uint32_t at(std::uint32_t row, std::uint32_t lane) const { return row * together + lane; }
  value get(std::uint32_t row, std::uint32_t lane) const {
    return {memory[at(row, lane)], memory[stored_rows() * together + at(row, lane)]};
  }
  void put(std::uint32_t row, std::uint32_t lane, value x) const {
    memory[at(row, lane)] = x.re, memory[stored_rows() * together + at(row, lane)] = x.im;
  }
  value root_at(std::uint32_t table) const {
    const Real* const from = m.reals + (m.reals_offset + std::ptrdiff_t(table));
    return {from[0], from[1]};
  }
  std::uint32_t place(std::uint32_t k) const {
    return std::uint32_t(m.ints[m.ints_offset + std::ptrdiff_t(m.places + k)]);
  }
  static value product(value a, value b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  static std::ptrdiff_t distance(std::ptrdiff_t x) { return x < 0 ? -x : x; }

  void load(std::uint32_t id, std::uint32_t items, std::ptrdiff_t from, std::uint32_t used) const {
    const std::uint32_t all = (m.in_count > m.rows ? m.in_count : m.rows) * together, of_one = all / together;
    const bool lanes_first = distance(m.in.lane) <= distance(m.in.step);
    for (std::uint32_t i = id; i < all; i += items) {
      const std::uint32_t k = lanes_first ? i / together : i % of_one,
                          l = lanes_first ? i % together : i / of_one;
      value x{Real(0), Real(0)};
      if (k < m.in_count && l < used) {
        const Real* const at =
            m.in.data + (from + std::ptrdiff_t(k) * m.in.step + std::ptrdiff_t(l) * m.in.lane);
        x = {at[0], m.in.imaginary != 0 ? at[m.in.imaginary] : Real(0)};
        if (m.before != no_table) x = product(x, root_at(m.before + 2 * k));
      }
      put(place(k), l, x);
    }
  }

  void combine(std::uint32_t id, std::uint32_t items, std::uint32_t radix, std::uint32_t size,
               std::uint32_t twiddles) const {
    switch (radix) {
      case 2: return combine_by<2>(id, items, size, twiddles);
      case 3: return combine_by<3>(id, items, size, twiddles);
      case 4: return combine_by<4>(id, items, size, twiddles);
      case 5: return combine_by<5>(id, items, size, twiddles);
      case 8: return combine_by<8>(id, items, size, twiddles);
      default: break;
    }
    if constexpr (All) {
      if (radix == 7) combine_by<7>(id, items, size, twiddles);
      else if (radix == 11) combine_by<11>(id, items, size, twiddles);
      else combine_by<13>(id, items, size, twiddles);
    }
  }
  template <int Radix>
  void combine_by(std::uint32_t id, std::uint32_t items, std::uint32_t size, std::uint32_t twiddles) const {
    const std::uint32_t all = m.rows / Radix * together;
    for (std::uint32_t i = id; i < all; i += items) {
      const std::uint32_t l = i % together, b = i / together, k = b % size, row = (b - k) * Radix + k;
      Real re[Radix], im[Radix];
#pragma unroll
      for (int j = 0; j < Radix; ++j) {
        value x = get(row + std::uint32_t(j) * size, l);
        if (j > 0 && size > 1)
          x = product(x, root_at(twiddles + 2 * (k * (Radix - 1) + std::uint32_t(j) - 1)));
        re[j] = x.re, im[j] = x.im;
      }
      butterfly<Radix, Real>::apply(re, im);
#pragma unroll
      for (int j = 0; j < Radix; ++j) put(row + std::uint32_t(j) * size, l, {re[j], im[j]});
    }
  }

  /// As vector_leaf's split and join.
  void pair(std::uint32_t id, std::uint32_t items, bool joins) const {
    const std::uint32_t n = m.points, all = (n / 2 + 1) * together;
    for (std::uint32_t i = id; i < all; i += items) {
      const std::uint32_t l = i % together, k = i / together;
      const std::uint32_t a_row = joins ? place(k) : k, b_row = joins ? place(n - k) : n - k;
      const value a = get(a_row, l), w = root_at(m.pairs + 2 * k);
      if (k == 0 && joins) {
        const Real last = get(b_row, l).re;
        put(a_row, l, {a.re - last, a.re + last});
      } else if (k == 0) {
        put(0, l, {a.re + a.im, Real(0)});
        put(n, l, {a.re - a.im, Real(0)});
      } else if (joins) {
        const value b = get(b_row, l);
        const Real sum_re = a.re + b.re, sum_im = a.im - b.im, apart_re = a.re - b.re, apart_im = a.im + b.im;
        const value t{apart_re * w.re + apart_im * w.im, apart_im * w.re - apart_re * w.im};
        put(a_row, l, {sum_im + t.re, sum_re - t.im});
        if (a_row != b_row) put(b_row, l, {t.re - sum_im, sum_re + t.im});
      } else {
        const value b = get(b_row, l);
        const Real half = Real(0.5);
        const value even{(a.re + b.re) * half, (a.im - b.im) * half};
        const value t = product({(a.im + b.im) * half, (b.re - a.re) * half}, w);
        put(a_row, l, {even.re + t.re, even.im + t.im});
        if (a_row != b_row) put(b_row, l, {even.re - t.re, t.im - even.im});
      }
    }
  }

  void store(std::uint32_t id, std::uint32_t items, std::ptrdiff_t to, std::uint32_t used,
             std::size_t first) const {
    const std::uint32_t all = m.out_count * together;
    const bool lanes_first = distance(m.out.lane) <= distance(m.out.step);
    for (std::uint32_t i = id; i < all; i += items) {
      const std::uint32_t k = lanes_first ? i / together : i % m.out_count,
                          l = lanes_first ? i % together : i / m.out_count;
      if (l >= used) continue;
      value x = get(k, l);
      if (m.turns != no_table) {
        const std::uint32_t column = std::uint32_t(first) + l, block = column / std::uint32_t(width),
                            in_block = column % std::uint32_t(width);
        const std::uint32_t lane = m.lane_turns + k * std::uint32_t(2 * width) + in_block;
        const value by{root_at(lane).re, root_at(lane + std::uint32_t(width)).re};
        x = product(x, product(root_at(m.turns + 2 * (block * m.points + k)), by));
      }
      if (m.after != no_table) x = product(x, root_at(m.after + 2 * k));
      Real* const at = m.out.data + (to + std::ptrdiff_t(k) * m.out.step + std::ptrdiff_t(l) * m.out.lane);
      at[0] = x.re * m.scale;
      if (m.out.imaginary != 0) at[m.out.imaginary] = x.im * m.scale;
    }
  }
};

template <typename Real>
sycl::event run_groups(sycl::queue& queue, const leaf<Real>& what, const bound<Real>& with,
                       const events& depends) {
  constexpr std::size_t items = 64, most_together = 16;
  const std::size_t local =
      std::min<std::size_t>(32768, queue.get_device().get_info<sycl::info::device::local_mem_size>());
  const std::size_t rows = what.rows + (what.paired != pairing::none ? 1u : 0u),
                    together = std::max<std::size_t>(
                        1, std::min({most_together, what.lanes, local / (2 * sizeof(Real) * rows)}));
  std::size_t groups = (what.lanes + together - 1) / together;
  for (const std::size_t count : what.outer) groups *= count;
  const bool few = std::all_of(what.radix, what.radix + what.levels,
                               [](std::uint16_t radix) { return radix <= 5 || radix == 8; });
  return queue.submit([&](sycl::handler& h) {
    h.depends_on(depends);
    const leaf<Real> all = captured(what, with, h);
    // Few different amounts: Vulkan drivers compile a kernel anew for each.
    const sycl::local_accessor<Real> memory(std::bit_ceil(std::max<std::size_t>(1024, 2 * rows * together)),
                                            h);
    const sycl::nd_range<1> where(groups * items, items);
    if (few) h.parallel_for(where, group_leaf<Real, false>{all, std::uint32_t(together), memory});
    else h.parallel_for(where, group_leaf<Real, true>{all, std::uint32_t(together), memory});
  });
}

} // namespace prism::fft
