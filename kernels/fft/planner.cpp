// How a transform becomes kernels. Sizes that fit the memory of a group are one kernel; larger ones are two
// transforms, of columns and of rows, with roots between (Gentleman & Sande 1966); sizes with a prime factor
// above 13 are convolutions (Bluestein 1970); real ones are complex ones of half the size (Cooley, Lewis &
// Welch 1970); cosine transforms are real ones with reordered points (Makhoul 1980; DCT IV: Britanak, Yip &
// Rao 2007, chapter 4).
#include "kernels/fft/layout.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace prism::fft {
namespace {

/// A complex number without the standard library's checks for NaN.
template <typename Number>
struct pair_of {
  Number re, im;
};

/// A transform on the host while a plan is made, for the filters of convolutions. Number is wider than what
/// the plan computes with.
template <typename Number>
void transform_here(std::vector<pair_of<Number>>& data) {
  const std::size_t n = data.size();
  std::vector<pair_of<Number>> other(n), roots(n);
  for (std::size_t k = 0; k < n; ++k) roots[k] = {Number(root(k, n).cosine), Number(root(k, n).sine)};
  const auto product = [](pair_of<Number> a, pair_of<Number> b) {
    return pair_of<Number>{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  };
  std::size_t rest = n, stride = 1;
  for (const std::size_t radix : radices_of(n)) {
    const std::size_t after = rest / radix;
    for (std::size_t p = 0; p < after; ++p)
      for (std::size_t k = 0; k < radix; ++k) {
        const pair_of<Number> turn = roots[p * k % rest * stride];
        for (std::size_t q = 0; q < stride; ++q) {
          pair_of<Number> sum{0, 0};
          for (std::size_t j = 0; j < radix; ++j) {
            const pair_of<Number> x =
                product(data[q + stride * (p + j * after)], roots[j * k % radix * (n / radix)]);
            sum.re += x.re, sum.im += x.im;
          }
          other[q + stride * (radix * p + k)] = product(sum, turn);
        }
      }
    data.swap(other);
    rest = after, stride *= radix;
  }
}

/// (k * k) mod n, without overflow.
std::size_t square(std::size_t k, std::size_t n) {
  return static_cast<std::size_t>(static_cast<unsigned __int128>(k) * k % n);
}

template <typename Real>
class planner {
public:
  planner(const machine& on, bool half)
      : m_on(on), m_half(half),
        m_width((on.vector_bytes != 0 ? on.vector_bytes : table_block_bytes) / sizeof(Real)) {
    if (has_vectors()) m_most = 1024, m_most_across = m_most * m_width;
    else m_most = std::min<std::size_t>(2048, on.local_bytes / (2 * sizeof(Real)) - 1), m_most_across = 0;
  }

  steps<Real> take() { return std::move(m_out); }

  void plan(const problem& what) {
    const bool complex_in =
                   what.kind == transform_kind::complex || what.kind == transform_kind::real_backward,
               complex_out =
                   what.kind == transform_kind::complex || what.kind == transform_kind::real_forward;
    counts all(what.extent, what.extent + what.rank);
    all.push_back(what.batch);
    layout in = sides(what, what.in_stride, what.in_batch, complex_in ? 2 : 1, input_memory),
           out = sides(what, what.out_stride, what.out_batch, complex_out ? 2 : 1, output_memory);
    in.imaginary = complex_in, out.imaginary = complex_out;
    counts in_points = all, out_points = all; // what is stored on each side
    if (what.kind == transform_kind::real_backward) in_points[last(what)] = all[last(what)] / 2 + 1;
    if (what.kind == transform_kind::real_forward) out_points[last(what)] = all[last(what)] / 2 + 1;
    const layout to = out;
    if (m_half) {
      layout inner = temporary(in_points, in.imaginary != 0);
      copy(in, inner, in_points, true, false);
      in = inner, out = temporary(out_points, out.imaginary != 0);
    }
    m_scale = what.scale;
    switch (what.kind) {
      case transform_kind::complex: {
        if (what.backward) in = in.exchanged(), out = out.exchanged();
        for (int d = what.rank; d-- > 0;) {
          complex(all[std::size_t(d)], line(in, d), line(out, d), without(all, d), take_scale());
          in = out;
        }
        break;
      }
      case transform_kind::real_forward:
        real_forward(all[last(what)], line(in, int(last(what))), line(out, int(last(what))),
                     without(all, int(last(what))), take_scale());
        for (int d = what.rank - 1; d-- > 0;)
          complex(all[std::size_t(d)], line(out, d), line(out, d), without(out_points, d), 1);
        break;
      case transform_kind::real_backward: {
        layout from = in;
        if (what.rank > 1) {
          from = temporary(in_points, true);
          layout before = in;
          for (int d = 0; d + 1 < what.rank; ++d) {
            complex(all[std::size_t(d)], line(before, d).exchanged(), line(from, d).exchanged(),
                    without(in_points, d), 1);
            before = from;
          }
        }
        real_backward(all[last(what)], line(from, int(last(what))), line(out, int(last(what))),
                      without(all, int(last(what))), take_scale());
        break;
      }
      default:
        for (int d = what.rank; d-- > 0;) {
          cosine(what.kind, all[std::size_t(d)], line(in, d), line(out, d), without(all, d), take_scale());
          in = out;
        }
    }
    if (m_half) copy(out, to, out_points, false, true);
  }

private:
  bool has_vectors() const { return m_on.vector_bytes != 0; }
  static std::size_t last(const problem& what) { return std::size_t(what.rank - 1); }

  double take_scale() {
    const double now = m_scale;
    m_scale = 1;
    return now;
  }

  /// `along` has all dimensions, the batch last; `line` takes one of them out.
  static layout sides(const problem& what, const std::ptrdiff_t* stride, std::ptrdiff_t batch,
                      std::ptrdiff_t parts, int memory) {
    layout out;
    out.memory = memory;
    for (int d = 0; d < what.rank; ++d) out.along.push_back(stride[d] * parts);
    out.along.push_back(batch * parts);
    return out;
  }
  static layout line(const layout& all, int d) {
    layout out = all;
    out.step = all.along[std::size_t(d)];
    out.along.erase(out.along.begin() + d);
    return out;
  }
  static counts without(const counts& all, int d) {
    counts out = all;
    out.erase(out.begin() + d);
    return out;
  }

  /// Contiguous memory of these extents, the last one but the innermost.
  layout temporary(const counts& extents, bool complex) {
    layout out;
    out.memory = int(m_out.temporaries.size());
    out.imaginary = complex;
    std::ptrdiff_t reals = complex ? 2 : 1;
    out.along.resize(extents.size());
    // The batch, which is last, is outermost.
    for (std::size_t d = extents.size() - 1; d-- > 0;) {
      out.along[d] = reals;
      reals *= static_cast<std::ptrdiff_t>(extents[d]);
    }
    out.along.back() = reals;
    m_out.temporaries.push_back(static_cast<std::size_t>(reals) * extents.back());
    return out;
  }
  /// `n` neighbouring points for each of the batch.
  layout lines(std::size_t n, const counts& dims, bool complex) {
    layout out;
    out.memory = int(m_out.temporaries.size());
    out.imaginary = complex;
    out.step = complex ? 2 : 1;
    std::size_t reals = n * std::size_t(out.step);
    out.along.resize(dims.size());
    for (std::size_t d = dims.size(); d-- > 0;) {
      out.along[d] = static_cast<std::ptrdiff_t>(reals);
      reals *= dims[d];
    }
    m_out.temporaries.push_back(reals);
    return out;
  }

  // ---- kernels

  template <typename Step>
  void place(Step& step, counts dims, layout in, layout out, std::size_t lane) {
    if (dims.size() > std::size_t(most_outer) + 1)
      throw std::length_error("a transform with more than " + std::to_string(most_outer + 1) +
                              " dimensions in addition to the one that is transformed");
    step.in = in.memory, step.out = out.memory;
    step.what.in = side_of<const Real>(in, lane, dims.size());
    step.what.out = side_of<Real>(out, lane, dims.size());
    step.what.lanes = dims.empty() ? 1 : dims[lane];
    std::fill(std::begin(step.what.outer), std::end(step.what.outer), std::size_t(1));
    for (std::size_t d = 0, to = 0; d < dims.size(); ++d)
      if (d != lane) step.what.outer[to++] = dims[d];
  }

  void add_map(mapping how, std::size_t n, std::size_t points, std::size_t in_count, layout in, layout out,
               counts dims, std::uint32_t table, double scale, bool half_in = false, bool half_out = false) {
    map_step<Real> step{};
    merge(dims, in, out);
    place(step, dims, in, out, 0);
    step.what.n = n, step.what.points = points, step.what.in_count = in_count;
    step.what.table = table, step.what.how = how, step.what.scale = Real(scale);
    step.half_in = half_in, step.half_out = half_out;
    m_out.all.push_back(step);
  }
  void copy(const layout& in, const layout& out, const counts& extents, bool half_in, bool half_out) {
    const std::size_t n = extents[0];
    add_map(mapping::copy, n, n, n, line(in, 0), line(out, 0), without(extents, 0), no_table, 1, half_in,
            half_out);
  }

  struct extras {
    std::size_t in_count = 0, out_count = 0; // 0: all
    std::uint32_t before = no_table, after = no_table, turns = no_table, lane_turns = no_table,
                  pairs = no_table;
    pairing paired = pairing::none;
    bool lane_is_last = false;
  };

  /// What a vector costs that is loaded, or stored, this way, about.
  static double cost_of(const layout& side, std::ptrdiff_t lane) {
    const bool pairs = side.imaginary == 1 || side.imaginary == -1;
    if ((pairs && lane == 2) || lane == 1) return 1;
    return pairs && side.step == 2 ? 2 : 10;
  }
  /// Numbers of the vectors that hold n numbers, for each of them.
  double waste_of(std::size_t n) const {
    const std::size_t whole = (n + m_width - 1) / m_width * m_width;
    return double(whole) / double(n);
  }
  std::size_t best_lane(std::size_t n, const layout& in, const layout& out, const counts& dims) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const double vectors = waste_of(dims[d]);
      const double cost =
          (cost_of(in, in.along[d]) + cost_of(out, out.along[d]) + std::log2(double(n)) + 1) * vectors;
      if (cost < least) least = cost, best = d;
    }
    return best;
  }

  void add_leaf(std::size_t n, layout in, layout out, counts dims, double scale, const extras& more) {
    leaf_step<Real> step{};
    if (!more.lane_is_last) merge(dims, in, out);
    place(step, dims, in, out, more.lane_is_last ? dims.size() - 1 : best_lane(n, in, out, dims));
    const radices levels = radices_of(n, m_on.vector_bytes == 64);
    leaf<Real>& w = step.what;
    w.points = w.rows = std::uint32_t(n);
    w.in_count = std::uint32_t(more.in_count != 0 ? more.in_count : n);
    w.out_count = std::uint32_t(more.out_count != 0 ? more.out_count : n);
    w.places = m_out.numbers.add_places(levels), w.twiddles = m_out.numbers.add_twiddles(levels);
    w.before = more.before, w.after = more.after, w.pairs = more.pairs, w.paired = more.paired;
    w.turns = more.turns, w.lane_turns = more.lane_turns, w.across = no_table;
    set_levels(w, levels, scale);
    m_out.all.push_back(step);
  }
  void add_across(std::size_t n, layout in, layout out, counts dims, double scale) {
    leaf_step<Real> step{};
    merge(dims, in, out);
    place(step, dims, in, out, 0);
    const radices levels = radices_of(n / m_width, m_on.vector_bytes == 64);
    leaf<Real>& w = step.what;
    w.points = std::uint32_t(n), w.rows = w.in_count = w.out_count = std::uint32_t(n / m_width);
    w.places = m_out.numbers.add_places(levels), w.twiddles = m_out.numbers.add_twiddles(levels);
    w.before = w.after = w.pairs = w.turns = w.lane_turns = no_table;
    w.across = m_out.numbers.add_vectors(n, n / m_width, m_width);
    set_levels(w, levels, scale);
    m_out.all.push_back(step);
  }
  static void set_levels(leaf<Real>& w, const radices& levels, double scale) {
    if (levels.size() > std::size_t(most_levels)) throw std::length_error("a transform of too many levels");
    w.levels = std::uint16_t(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) w.radix[i] = std::uint16_t(levels[i]);
    w.scale = Real(scale);
  }

  // ---- transforms along a line

  bool is_leaf(std::size_t n, bool real = false) const {
    return n + (real ? 1 : 0) <= m_most && is_smooth(n);
  }
  bool is_across(std::size_t n, const layout& in, const layout& out, const counts& dims) const {
    if (n > m_most_across || n % m_width != 0 || n / m_width < m_width || !is_smooth(n)) return false;
    for (const layout* const each : {&in, &out})
      if (each->step != 2 || (each->imaginary != 1 && each->imaginary != -1)) return false;
    return n > m_most || product_of(dims) < m_width || n >= least_across;
  }

  void complex(std::size_t n, layout in, layout out, counts dims, double scale) {
    merge(dims, in, out);
    if (n == 1) return add_map(mapping::copy, 1, 1, 1, in, out, dims, no_table, scale);
    if (is_across(n, in, out, dims)) return add_across(n, in, out, dims, scale);
    if (is_leaf(n)) return add_leaf(n, in, out, dims, scale, {});
    if (is_smooth(n)) return in_two(n, in, out, dims, scale);
    by_convolution(n, in, out, dims, scale);
  }

  /// The side of the columns: both sides in one kernel each, and whole vectors, where there is a choice.
  std::size_t columns_side(std::size_t n) const {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::max();
    for (std::size_t a = 2; a <= m_most && a <= n / 2; ++a) {
      const std::size_t b = n / a;
      if (n % a != 0) continue;
      const double cost = std::abs(std::log2(double(a) / double(b))) +
                          4 * std::log2(waste_of(a) * waste_of(b)) + (b > m_most ? 100 : 0);
      if (cost < least) least = cost, best = a;
    }
    return best;
  }
  void in_two(std::size_t n, const layout& in, const layout& out, const counts& dims, double scale) {
    const std::size_t a = columns_side(n), b = n / a;
    const layout middle = lines(n, dims, true);
    extras columns;
    columns.turns = m_out.numbers.add_blocks(n, a, b, m_width);
    columns.lane_turns = m_out.numbers.add_vectors(n, a, m_width);
    columns.lane_is_last = true;
    counts with_columns = dims, with_rows = dims;
    with_columns.push_back(b), with_rows.push_back(a);
    add_leaf(a, in.part(0, b).with(in.step), middle.part(0, b).with(middle.step), with_columns, scale,
             columns);
    complex(b, middle.with(middle.step * std::ptrdiff_t(b)), out.part(0, a).with(out.step), with_rows, 1);
  }

  /// out[k] = c[k] sum of (in[j] c[j]) conj(c[k - j]), with c[k] = exp(-pi i k^2 / n).
  void by_convolution(std::size_t n, const layout& in, const layout& out, const counts& dims, double scale) {
    const std::size_t size = size_of_convolution(2 * n - 1, product_of(dims));
    using wider = std::conditional_t<std::is_same_v<Real, float>, double, long double>;
    std::vector<pair_of<wider>> filter(size);
    for (std::size_t k = 0; k < n; ++k) {
      const root c(square(k, 2 * n), 2 * n);
      filter[k] = {wider(c.cosine), wider(-c.sine)};
      if (k != 0) filter[size - k] = filter[k];
    }
    transform_here(filter);
    tables<Real>& numbers = m_out.numbers;
    const std::uint32_t chirp = numbers.begin();
    for (std::size_t k = 0; k < n; ++k) numbers.add(root(square(k, 2 * n), 2 * n));
    const std::uint32_t factors = numbers.begin();
    for (const pair_of<wider>& each : filter)
      numbers.reals.push_back(Real(each.re / wider(size))),
          numbers.reals.push_back(Real(each.im / wider(size)));
    const layout first = lines(size, dims, true);
    // Exchanged parts need both to be written.
    if (out.imaginary != 0 && is_leaf(size) && !is_across(size, first, first, dims)) {
      const std::uint32_t conjugated = numbers.begin();
      for (std::size_t k = 0; k < n; ++k) {
        const root c(square(k, 2 * n), 2 * n);
        numbers.reals.push_back(Real(c.cosine)), numbers.reals.push_back(Real(-c.sine));
      }
      extras forward, backward;
      forward.before = chirp, forward.after = factors, forward.in_count = n;
      backward.after = conjugated, backward.out_count = n;
      add_leaf(size, in, first, dims, 1, forward);
      add_leaf(size, first.exchanged(), out.exchanged(), dims, scale, backward);
      return;
    }
    const layout second = lines(size, dims, true);
    add_map(mapping::copy, n, size, n, in, first, dims, chirp, 1);
    complex(size, first, second, dims, 1);
    add_map(mapping::copy, size, size, size, second, first, dims, factors, 1);
    complex(size, first.exchanged(), second.exchanged(), dims, 1);
    add_map(mapping::copy, n, n, n, second, out, dims, chirp, scale);
  }
  /// The smallest good size from `least` on.
  std::size_t size_of_convolution(std::size_t least, std::size_t transforms) const {
    const bool alone = has_vectors() && (transforms < m_width || least > m_most);
    const std::size_t unit = alone ? m_width * m_width : 1;
    std::size_t best = std::numeric_limits<std::size_t>::max();
    for (const std::size_t odd : {1, 3, 5, 7, 9, 15})
      for (std::size_t n = odd * unit; n < best; n *= 2)
        if (n >= least) best = std::min(best, n);
    return best;
  }

  void real_forward(std::size_t n, const layout& in, const layout& out, const counts& dims, double scale) {
    if (n % 2 != 0) {
      if (is_leaf(n)) {
        extras half;
        half.out_count = n / 2 + 1;
        return add_leaf(n, in, out, dims, scale, half);
      }
      const layout all = lines(n, dims, true);
      complex(n, in, all, dims, scale);
      return add_map(mapping::copy, n / 2 + 1, n / 2 + 1, n / 2 + 1, all, out, dims, no_table, 1);
    }
    const std::size_t h = n / 2;
    const std::uint32_t roots = m_out.numbers.add_roots(n, h + 1);
    if (is_leaf(h, true) && !is_across(h, in.pairs(), out, dims)) {
      extras half;
      half.paired = pairing::split, half.pairs = roots, half.out_count = h + 1;
      return add_leaf(h, in.pairs(), out, dims, scale, half);
    }
    const layout middle = lines(h, dims, true);
    complex(h, in.pairs(), middle, dims, scale);
    add_map(mapping::split, h, h + 1, h, middle, out, dims, roots, 1);
  }

  void real_backward(std::size_t n, const layout& in, const layout& out, const counts& dims, double scale) {
    if (n % 2 != 0) {
      const layout all = lines(n, dims, true);
      add_map(mapping::hermitian, n, n, n / 2 + 1, in, all, dims, no_table, 1);
      return complex(n, all, out, dims, scale);
    }
    const std::size_t h = n / 2;
    const std::uint32_t roots = m_out.numbers.add_roots(n, h + 1);
    const layout to = out.pairs().exchanged();
    if (is_leaf(h, true) && !is_across(h, in, to, dims)) {
      extras half;
      half.paired = pairing::join, half.pairs = roots, half.in_count = h + 1;
      return add_leaf(h, in, to, dims, scale, half);
    }
    const layout middle = lines(h, dims, true);
    add_map(mapping::join, h, h, h + 1, in, middle, dims, roots, 1);
    complex(h, middle, to, dims, scale);
  }

  void cosine(transform_kind kind, std::size_t n, const layout& in, const layout& out, const counts& dims,
              double scale) {
    tables<Real>& numbers = m_out.numbers;
    if (kind == transform_kind::cosine_1) {
      const std::size_t size = 2 * (n - 1);
      const layout whole = lines(size, dims, false), half = lines(n, dims, true);
      add_map(mapping::cosine_1_in, n, size, n, in, whole, dims, no_table, 1);
      real_forward(size, whole, half, dims, scale);
      add_map(mapping::copy, n, n, n, half, out, dims, no_table, 1);
    } else if (kind == transform_kind::cosine_2) {
      const layout ordered = lines(n, dims, false), half = lines(n / 2 + 1, dims, true);
      add_map(mapping::cosine_2_in, n, n, n, in, ordered, dims, no_table, 1);
      real_forward(n, ordered, half, dims, scale);
      add_map(mapping::cosine_2_out, n, n, n / 2 + 1, half, out, dims, numbers.add_roots(4 * n, n), 1);
    } else if (kind == transform_kind::cosine_3) {
      const layout half = lines(n / 2 + 1, dims, true), ordered = lines(n, dims, false);
      add_map(mapping::cosine_3_in, n, n / 2 + 1, n, in, half, dims, numbers.add_roots(4 * n, n / 2 + 1), 1);
      real_backward(n, half, ordered, dims, scale);
      add_map(mapping::cosine_3_out, n, n, n, ordered, out, dims, no_table, 1);
    } else if (n % 2 == 0) {
      const std::size_t h = n / 2;
      const layout before = lines(h, dims, true), after = lines(h, dims, true);
      const std::uint32_t first = numbers.begin();
      for (std::size_t k = 0; k < h; ++k) numbers.add(root(4 * k + 1, 8 * n));
      add_map(mapping::cosine_4_in, n, h, n, in, before, dims, first, 1);
      complex(h, before, after, dims, scale);
      add_map(mapping::cosine_4_out, n, n, h, after, out, dims, numbers.add_roots(2 * n, h), 1);
    } else {
      const layout before = lines(2 * n, dims, true), after = lines(2 * n, dims, true);
      add_map(mapping::copy, n, 2 * n, n, in, before, dims, numbers.add_roots(4 * n, n), 1);
      complex(2 * n, before, after, dims, scale);
      const std::uint32_t second = numbers.begin();
      for (std::size_t k = 0; k < n; ++k) numbers.add(root(2 * k + 1, 8 * n));
      add_map(mapping::cosine_4_odd_out, n, n, n, after, out, dims, second, 1);
    }
  }

  static constexpr std::size_t least_across =
      256; // from here on a transform alone is as fast as many at once

  const machine& m_on;
  const bool m_half;
  const std::size_t m_width; // numbers of a vector, or of a block of the tables
  std::size_t m_most, m_most_across;
  double m_scale = 1;
  steps<Real> m_out;
};

} // namespace

template <typename Real>
steps<Real> make_steps(const problem& what, const machine& on, bool half) {
  planner<Real> plans(on, half);
  plans.plan(what);
  return plans.take();
}

template steps<float> make_steps<float>(const problem&, const machine&, bool);
template steps<double> make_steps<double>(const problem&, const machine&, bool);

} // namespace prism::fft
