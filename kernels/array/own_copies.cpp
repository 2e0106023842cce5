// Bodies of own_copies.hpp.
#include "kernels/array/own_copies.hpp"

#include "kernels/array/steps.hpp"
#include "kernels/array/transposed_rows.hpp"

#include <algorithm>
#include <type_traits>

namespace prism::array_detail {

namespace {

struct sixteen_bytes {
  std::uint64_t low, high;
};

template <typename E>
void copy_run(const E* from, std::int64_t from_stride, E* to, std::int64_t to_stride, std::int64_t count) {
  if (from_stride == 1 && to_stride == 1) std::memmove(to, from, std::size_t(count) * sizeof(E));
  else if (from_stride == 0 && to_stride == 1) std::fill_n(to, count, *from);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

template <typename E>
class copier {
public:
  explicit copier(const program& p) : m_program(p) {
    m_from = reinterpret_cast<const E*>(p.leaf[0].data), m_to = reinterpret_cast<E*>(p.result.data);
    const int last = p.rank - 1;
    m_inner = is_flat() ? p.size : p.extent[last];
    m_from_stride = p.leaf[0].is_flat ? 1 : p.leaf[0].strides[last];
    m_to_stride = p.result.is_flat ? 1 : p.result.strides[last];
  }

  void copy(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t column = at % m_inner, rows = (end - at) / m_inner;
      if (column == 0 && rows > 1 && is_transposed()) {
        copy_rows(at / m_inner, rows);
        at += rows * m_inner;
      } else if (column == 0 && rows > 1 && m_program.rank > 1) {
        at += copy_lines(at, rows) * m_inner;
      } else {
        const std::int64_t count = std::min(m_inner - column, end - at);
        copy_run(m_from + offset_of(m_program, m_program.leaf[0], at), m_from_stride,
                 m_to + offset_of(m_program, m_program.result, at), m_to_stride, count);
        at += count;
      }
    }
  }

private:
  static constexpr std::int64_t most_repeats = 32;

  /// Copies at most `count` lines of the dimension before the last, from the element `at` on. Returns how
  /// many.
  std::int64_t copy_lines(std::int64_t at, std::int64_t count) const {
    const int d = m_program.rank - 2;
    const program_array &leaf = m_program.leaf[0], &result = m_program.result;
    const std::int64_t lines = std::min(count, m_program.extent[d] - at / m_inner % m_program.extent[d]),
                       stride = leaf.is_flat ? m_inner : leaf.strides[d],
                       to_stride = result.is_flat ? m_inner : result.strides[d];
    const E* const from = m_from + offset_of(m_program, leaf, at);
    E* const to = m_to + offset_of(m_program, result, at);
    if (m_from_stride == 0 && m_to_stride == 1 && to_stride == m_inner && m_inner <= most_repeats)
      repeat(from, stride, lines, to);
    else
      for (std::int64_t i = 0; i < lines; ++i)
        copy_run(from + i * stride, m_from_stride, to + i * to_stride, m_to_stride, m_inner);
    return lines;
  }
  /// Writes each of `count` elements m_inner times.
  void repeat(const E* from, std::int64_t stride, std::int64_t count, E* to) const {
    const auto write = [&](auto times) {
      for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t k = 0; k < times; ++k) to[i * times + k] = from[i * stride];
    };
    if (m_inner == 2) write(std::integral_constant<std::int64_t, 2>());
    else if (m_inner == 3) write(std::integral_constant<std::int64_t, 3>());
    else if (m_inner == 4) write(std::integral_constant<std::int64_t, 4>());
    else write(m_inner);
  }

  bool is_flat() const { return m_program.leaf[0].is_flat && m_program.result.is_flat; }
  /// A matrix whose columns are neighbours in memory, into one whose rows are.
  bool is_transposed() const {
    return !is_flat() && m_program.rank == 2 && m_program.leaf[0].strides[0] == 1 && m_to_stride == 1 &&
           m_from_stride > 1;
  }
  void copy_rows(std::int64_t first, std::int64_t count) const {
    constexpr std::int64_t columns = 64; // whose lines stay in the first-level cache
    const std::int64_t to_rows = m_program.result.is_flat ? m_inner : m_program.result.strides[0];
    for (std::int64_t row = first; row < first + count; row += transposed_rows) {
      const auto rows = int(std::min<std::int64_t>(transposed_rows, first + count - row));
      for (std::int64_t i = 0; i < m_inner; i += columns) {
        const auto some = int(std::min(columns, m_inner - i));
        const E* const from = m_from + row + i * m_from_stride;
        E* const to = m_to + row * to_rows + i;
        if constexpr (sizeof(E) == 4 || sizeof(E) == 8)
          load_transposed(from, m_from_stride, rows, some, to, to_rows);
        else if constexpr (sizeof(E) <= 2)
          load_transposed_narrow(from, m_from_stride, rows, some, to, to_rows);
        else
          for (int r = 0; r < rows; ++r)
            for (int k = 0; k < some; ++k) to[r * to_rows + k] = from[r + k * m_from_stride];
      }
    }
  }

  const program& m_program;
  const E* m_from;
  E* m_to;
  std::int64_t m_inner, m_from_stride, m_to_stride;
};

} // namespace

void copy_elements(const program& p, std::int64_t begin, std::int64_t end) {
  switch (size_of(dtype(p.result.type))) {
    case 1: return copier<std::uint8_t>(p).copy(begin, end);
    case 2: return copier<std::uint16_t>(p).copy(begin, end);
    case 4: return copier<std::uint32_t>(p).copy(begin, end);
    case 8: return copier<std::uint64_t>(p).copy(begin, end);
    default: return copier<sixteen_bytes>(p).copy(begin, end);
  }
}

} // namespace prism::array_detail
