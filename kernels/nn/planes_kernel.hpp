// Sums of windows of one plane in vectors of the compiler, for files compiled for one instruction set, which
// is a part of every name here. Some rows of a channel are copied with zeros around them. Then vectors of
// adjacent points of some adjacent rows are summed in registers. A row of the image is loaded once for all
// results that it meets: a load that crosses lines of the cache costs as much as two products. Zhang, Lo &
// Lu, "High performance depthwise and pointwise convolutions on mobile devices", AAAI 2020 (reuse of rows in
// registers).
#pragma once

#include "kernels/nn/host_planes.hpp"

#include <utility>

namespace prism::nn {

template <typename R, typename Isa>
struct plane_vectors {
  static constexpr std::size_t width = Isa::vector_bytes / sizeof(R);
  template <std::size_t Lanes>
  struct vector {
    typedef R lanes __attribute__((vector_size(Lanes * sizeof(R))));
    typedef R loose __attribute__((vector_size(Lanes * sizeof(R)), aligned(sizeof(R)), may_alias));
    static lanes load(const R* from) { return *reinterpret_cast<const loose*>(from); }
    static void store(R* to, const lanes& value) { *reinterpret_cast<loose*>(to) = value; }
  };
  using whole = vector<width>;
  using lanes = typename whole::lanes;

  /// Copies 1 to 2 * Lanes elements, by two vectors that overlap where there are no more.
  template <std::size_t Lanes>
  static void copy_few(const R* from, R* to, std::size_t count) {
    if constexpr (Lanes == 1) {
      to[0] = from[0], to[count - 1] = from[count - 1];
    } else if (count >= Lanes) {
      using part = vector<Lanes>;
      const typename part::lanes first = part::load(from), last = part::load(from + (count - Lanes));
      part::store(to, first), part::store(to + (count - Lanes), last);
    } else {
      copy_few<Lanes / 2>(from, to, count);
    }
  }
  static void copy(const R* from, R* to, std::size_t count) {
    if (count < width) return copy_few<width / 2>(from, to, count);
    for (std::size_t done = 0; done < count; done += width) {
      const std::size_t j = done + width < count ? done : count - width;
      whole::store(to + j, whole::load(from + j));
    }
  }
};

template <typename R, typename Isa, int Size>
class summed_planes {
public:
  /// `memory` begins at a multiple of a vector's bytes.
  summed_planes(const plane_convolution<R>& what, R* memory) : m(what), m_copy(memory), m_line(what.line) {}

  void run(std::size_t image, std::size_t channel, std::size_t strip) {
    const std::size_t top = strip * m.height, left = m.out_height - top,
                      count = left < m.height ? left : m.height;
    const auto first = [&](const auto& a) {
      return a.data + (std::ptrdiff_t(image) * a.of_image + std::ptrdiff_t(channel) * a.of_channel);
    };
    write_copy(first(m.x), top, (count < rows ? rows : count) + Size - 1);
    const R* const weights = m.w.data + std::ptrdiff_t(channel) * m.w.of_image;
    for (int k = 0; k < Size; ++k)
      for (int s = 0; s < Size; ++s) m_weight[k][s] = weights[k * m.w.of_row + s * m.w.of_column];
    R* const results = first(m.y) + std::ptrdiff_t(top) * m.y.of_row;
    const std::size_t wide = m.out_width, line = m_line;
    const std::ptrdiff_t of_row = m.y.of_row;
    const R* const copy = m_copy + (plane_lead<R> - m.before);
    // What a vector writes beyond its row is overwritten by the next row.
    const bool has_vectors = wide >= width, may_reach = of_row == std::ptrdiff_t(wide) && 2 * wide >= width;
    for (std::size_t done = 0; done < wide; done += width) {
      const std::size_t point = done + width <= wide ? done : wide < width ? 0 : wide - width;
      for (std::size_t begin = 0; begin < count; begin += rows) {
        const std::size_t i = begin + rows <= count ? begin : count < rows ? 0 : count - rows;
        const R* const from = copy + i * line + point;
        R* const to = results + std::ptrdiff_t(i) * of_row + std::ptrdiff_t(point);
        if (has_vectors ? count >= rows : may_reach && begin + rows < count) sum(from, line, to, of_row);
        else sum_few(from, line, to, count);
      }
    }
  }

private:
  using vectors = plane_vectors<R, Isa>;
  using lanes = typename vectors::lanes;
  static constexpr std::size_t width = vectors::width;
  /// Of the result, of which one vector each is summed at a time: with the loaded row's parts and the weights
  /// of 3 x 3 they fit the registers.
  static constexpr int rows_at_once = Isa::vector_bytes == 64 ? 7 : 4;
  static constexpr std::size_t rows = rows_at_once;

  template <int... I, typename Work>
  static inline __attribute__((always_inline)) void each(std::integer_sequence<int, I...>, Work&& work) {
    (work(std::integral_constant<int, I>()), ...);
  }

  /// Rows begin at multiples of a vector. Zeros behind each are before the next one too. Vectors that reach
  /// into that are overwritten.
  void write_copy(const R* plane, std::size_t top, std::size_t lines) const {
    const std::size_t above = m.above, height = m.in_height, points = m.in_width, line = m_line;
    const std::ptrdiff_t of_row = m.x.of_row, of_column = m.x.of_column;
    const lanes zeros{};
    R* to = m_copy;
    for (std::size_t j = 0; j < plane_lead<R>; j += width) vectors::whole::store(to + j, zeros);
    to += plane_lead<R>;
    for (std::size_t l = 0; l < lines; ++l, to += line) {
      const std::size_t i = top + l - above; // before the image: it wraps around
      if (i >= height) {
        for (std::size_t j = 0; j < line; j += width) vectors::whole::store(to + j, zeros);
        continue;
      }
      const R* const from = plane + std::ptrdiff_t(i) * of_row;
      if (of_column == 1) vectors::copy(from, to, points);
      else
        for (std::size_t j = 0; j < points; ++j) to[j] = from[std::ptrdiff_t(j) * of_column];
      for (std::size_t j = points; j < line; j += width) vectors::whole::store(to + j, zeros);
    }
  }

  /// GCC would load it again for each of its uses.
  static inline __attribute__((always_inline)) void keep_in_register([[maybe_unused]] lanes& value) {
#if defined(__AVX512F__)
    asm("" : "+v"(value));
#elif defined(__x86_64__)
    asm("" : "+x"(value));
#endif
  }
  /// One vector of each of the rows.
  void sum(const R* from, std::size_t line, R* to, std::ptrdiff_t apart) const {
    constexpr std::make_integer_sequence<int, rows_at_once> all_rows;
    lanes sums[rows_at_once] = {};
    each(std::make_integer_sequence<int, rows_at_once + Size - 1>(), [&](auto l) {
      each(std::make_integer_sequence<int, Size>(), [&](auto s) {
        lanes image = vectors::whole::load(from + l() * line + s());
        keep_in_register(image);
        each(all_rows, [&](auto r) {
          if constexpr (l() >= r() && l() - r() < Size) sums[r()] += m_weight[l() - r()][s()] * image;
        });
      });
    });
    each(all_rows, [&](auto r) { vectors::whole::store(to + r() * apart, sums[r()]); });
  }
  /// The same where they are fewer rows, or rows are narrower than a vector.
  void sum_few(const R* from, std::size_t line, R* to, std::size_t count) const {
    R found[rows * width];
    sum(from, line, found, width);
    const std::size_t points = m.out_width < width ? m.out_width : width;
    const std::ptrdiff_t of_row = m.y.of_row;
    for (std::size_t r = 0; r < rows && r < count; ++r)
      vectors::copy(found + r * width, to + std::ptrdiff_t(r) * of_row, points);
  }

  const plane_convolution<R>& m;
  R* m_copy;
  std::size_t m_line;
  R m_weight[Size][Size];
};

template <typename R, typename Isa>
void run_planes(const plane_convolution<R>& what, R* memory, std::size_t first, std::size_t last) {
  const auto all = [&](auto planes) {
    std::size_t strip = first % what.strips, channel = first / what.strips % what.channels,
                image = first / what.strips / what.channels;
    for (std::size_t id = first; id < last; ++id) {
      planes.run(image, channel, strip);
      if (++strip < what.strips) continue;
      strip = 0;
      if (++channel == what.channels) channel = 0, ++image;
    }
  };
  if (what.size == 3) all(summed_planes<R, Isa, 3>(what, memory));
  else if (what.size == 5) all(summed_planes<R, Isa, 5>(what, memory));
  else all(summed_planes<R, Isa, 7>(what, memory));
}

} // namespace prism::nn
