// Steps over flat arrays and rows of arrays, compiled for each instruction set (flat_steps.hpp).
#include "kernels/array/flat_steps.hpp"

#include "kernels/array/host_rows.hpp"
#include "kernels/array/lanes.hpp"
#include "kernels/array/translate.hpp"
#include "kernels/array/transposed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace prism::array_detail {

namespace {

// What a step computes. Sums and products of integers are the low bits of those of any wider type.
struct add {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E b) {
    return E(std::uint32_t(a) + std::uint32_t(b));
  }
};
struct subtract {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E b) {
    return E(std::uint32_t(a) - std::uint32_t(b));
  }
};
struct multiply {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E b) {
    return E(std::uint32_t(a) * std::uint32_t(b));
  }
};
struct negative {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E) {
    return E(0u - std::uint32_t(a));
  }
};
/// Quotients of integers of 8 or 16 bits, which are exact in float until they are rounded down; by zero 0.
struct floor_divide {
  template <typename E>
  PRISM_ARRAY_INLINED static std::int32_t quotient(E a, E b) {
    return std::int32_t(std::floor(float(a) / float(b == 0 ? E(1) : b)));
  }
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E b) {
    return b == 0 ? E(0) : E(quotient(a, b));
  }
};
struct remainder {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E b) {
    return b == 0 ? E(0) : E(std::int32_t(a) - floor_divide::quotient(a, b) * std::int32_t(b));
  }
};
struct size {
  template <typename E>
  PRISM_ARRAY_INLINED static E of(E a, E) {
    return a < 0 ? E(0u - std::uint32_t(a)) : a;
  }
};
#define PRISM_FLAT_STEP(name, expression)                                                                    \
  struct name {                                                                                              \
    template <typename E>                                                                                    \
    PRISM_ARRAY_INLINED static auto of(E a, E b) {                                                           \
      (void)b;                                                                                               \
      return expression;                                                                                     \
    }                                                                                                        \
  };
PRISM_FLAT_STEP(maximum, a < b ? b : a)
PRISM_FLAT_STEP(minimum, b < a ? b : a)
PRISM_FLAT_STEP(bits_and, E(a& b))
PRISM_FLAT_STEP(bits_or, E(a | b))
PRISM_FLAT_STEP(bits_xor, E(a ^ b))
PRISM_FLAT_STEP(opposite, E(~a))
PRISM_FLAT_STEP(sign_of, E(E(a > 0) - E(a < 0)))
PRISM_FLAT_STEP(equal, std::uint8_t(a == b))
PRISM_FLAT_STEP(not_equal, std::uint8_t(!(a == b)))
PRISM_FLAT_STEP(less, std::uint8_t(a < b))
PRISM_FLAT_STEP(less_equal, std::uint8_t(a <= b))
PRISM_FLAT_STEP(both, std::uint8_t((a != 0) & (b != 0)))
PRISM_FLAT_STEP(either, std::uint8_t((a != 0) | (b != 0)))
PRISM_FLAT_STEP(one, std::uint8_t((a != 0) != (b != 0)))
PRISM_FLAT_STEP(neither, std::uint8_t(a == 0))
PRISM_FLAT_STEP(is_nan, std::uint8_t(a != a))
PRISM_FLAT_STEP(is_infinite, std::uint8_t(std::fabs(a) == std::numeric_limits<E>::infinity()))
PRISM_FLAT_STEP(is_finite, std::uint8_t(std::fabs(a) < std::numeric_limits<E>::infinity()))
#undef PRISM_FLAT_STEP

#define PRISM_FLAT_LOOP(name, instructions)                                                                  \
  template <typename F, typename E, typename R>                                                              \
  instructions void name(const E* a, const E* b, R* to, std::int64_t count) {                                \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (std::int64_t i = 0; i < count; ++i) to[i] = F::of(a[i], b[i]);                                      \
  }
PRISM_FLAT_LOOP(loop_baseline, )
#ifdef __x86_64__
PRISM_FLAT_LOOP(loop_v3, __attribute__((target("avx2"))))
#endif
#undef PRISM_FLAT_LOOP

#define PRISM_EVERY_SECOND(name, instructions)                                                               \
  template <typename E>                                                                                      \
  instructions void name(const E* from, E* to, int count) {                                                  \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (int i = 0; i < count; ++i) to[i] = from[2 * i];                                                     \
  }
PRISM_EVERY_SECOND(second_baseline, )
#ifdef __x86_64__
PRISM_EVERY_SECOND(second_v3, __attribute__((target("avx2"))))
#endif
#undef PRISM_EVERY_SECOND

template <typename E>
void take_every_second(const E* from, E* to, int count) {
#ifdef __x86_64__
  if (__prism_host_isa >= 3) return second_v3(from, to, count);
#endif
  second_baseline(from, to, count);
}

/// A step over `count` elements.
using flat_function = void (*)(const void* a, const void* b, void* to, std::int64_t count);

template <typename F, typename E>
void loop(const void* a, const void* b, void* to, std::int64_t count) {
  using R = decltype(F::of(E(), E()));
  const auto *x = static_cast<const E*>(a), *y = static_cast<const E*>(b);
  auto* const made = static_cast<R*>(to);
#ifdef __x86_64__
  if (__prism_host_isa >= 3) return loop_v3<F>(x, y, made, count);
#endif
  loop_baseline<F>(x, y, made, count);
}

template <typename E>
flat_function find_arithmetic(step_op op) {
  if constexpr (std::is_integral_v<E> && sizeof(E) < 8) {
    using U = std::make_unsigned_t<E>;
    switch (op) {
      case step_op::add: return loop<add, U>;
      case step_op::subtract: return loop<subtract, U>;
      case step_op::multiply: return loop<multiply, U>;
      case step_op::bitwise_and: return loop<bits_and, U>;
      case step_op::bitwise_or: return loop<bits_or, U>;
      case step_op::bitwise_xor: return loop<bits_xor, U>;
      case step_op::negative: return loop<negative, U>;
      case step_op::bitwise_invert: return loop<opposite, U>;
      case step_op::abs: return loop<size, E>;
      case step_op::sign: return loop<sign_of, E>;
      case step_op::floor_divide:
        if constexpr (sizeof(E) <= 2) return loop<floor_divide, E>;
        break;
      case step_op::remainder:
        if constexpr (sizeof(E) <= 2) return loop<remainder, E>;
        break;
      case step_op::maximum: return loop<maximum, E>;
      case step_op::minimum: return loop<minimum, E>;
      default: break;
    }
  }
  return nullptr;
}

template <typename E>
flat_function find_question(step_op op) {
  switch (op) {
    case step_op::equal: return loop<equal, E>;
    case step_op::not_equal: return loop<not_equal, E>;
    case step_op::less:
    case step_op::greater: return loop<less, E>;
    case step_op::less_equal:
    case step_op::greater_equal: return loop<less_equal, E>;
    default: break;
  }
  if constexpr (std::is_floating_point_v<E>) {
    if (op == step_op::isnan) return loop<is_nan, E>;
    if (op == step_op::isinf) return loop<is_infinite, E>;
    if (op == step_op::isfinite) return loop<is_finite, E>;
  }
  return nullptr;
}

flat_function find_logic(step_op op) {
  switch (op) {
    case step_op::logical_and: return loop<both, std::uint8_t>;
    case step_op::logical_or: return loop<either, std::uint8_t>;
    case step_op::logical_xor: return loop<one, std::uint8_t>;
    case step_op::logical_not: return loop<neither, std::uint8_t>;
    default: return nullptr;
  }
}

template <typename E>
void fill_number(const program& p, int k, void* to, int count) {
  if constexpr (std::is_integral_v<E>) std::fill_n(static_cast<E*>(to), count, E(p.integer_constant[k]));
  else std::fill_n(static_cast<E*>(to), count, E(p.constant[k][0]));
}

template <typename E>
bool holds_numbers(const program& p) {
  for (int k = 0; k < p.constants; ++k)
    if constexpr (std::is_same_v<E, std::uint64_t>) continue; // the same bits
    else if constexpr (std::is_integral_v<E>)
      if (!std::in_range<E>(p.integer_constant[k])) return false;
  return true;
}

/// What the functions of steps are for elements of one type.
struct type_functions {
  flat_function (*arithmetic)(step_op) = nullptr;
  flat_function (*question)(step_op) = nullptr;
  void (*fill)(const program&, int k, void* to, int count) = nullptr;
  bool (*holds)(const program&) = nullptr;
};

template <typename E>
constexpr type_functions functions_for() {
  return {find_arithmetic<E>, find_question<E>, fill_number<E>, holds_numbers<E>};
}

type_functions functions_of_type(dtype type) {
  switch (type) {
    case dtype::int8: return functions_for<std::int8_t>();
    case dtype::int16: return functions_for<std::int16_t>();
    case dtype::int32: return functions_for<std::int32_t>();
    case dtype::int64: return functions_for<std::int64_t>();
    case dtype::uint8: return functions_for<std::uint8_t>();
    case dtype::uint16: return functions_for<std::uint16_t>();
    case dtype::uint32: return functions_for<std::uint32_t>();
    case dtype::uint64: return functions_for<std::uint64_t>();
    case dtype::float32: return functions_for<float>();
    case dtype::float64: return functions_for<double>();
    default: return {};
  }
}

/// A program as functions over blocks of elements. A name's elements are of the arrays' type, or truth.
class flat_plan {
public:
  flat_plan(const program& p, dtype own) : m_program(p) { fits = make(own); }
  bool fits = false;

  void run(std::int64_t begin, std::int64_t end) const {
    alignas(64) char values[max_registers][block * widest_computed], numbers[max_constants][block * 8];
    copied_leaves copied(m_program);
    const bool is_alone = m_count == 1 && m_program.constants == 0 && !m_copies; // one call for a row
    const std::int64_t row = m_has_rows ? m_program.extent[m_program.rank - 1] : end - begin,
                       most = is_alone ? row : std::min<std::int64_t>(block, row);
    for (int k = 0; k < m_program.constants; ++k) m_type.fill(m_program, k, numbers[k], int(most));
    for (std::int64_t i = begin, count = 0; i < end; i += count) {
      count = std::min(most, end - i);
      if (m_has_rows) count = std::min(count, row - i % row);
      const char* leaves[max_leaves];
      for (int k = 0; k < m_program.leaves; ++k) leaves[k] = copied.elements(k, i, int(count), int(most));
      const auto place = [&](int name) -> const char* {
        if (name >= first_constant) return numbers[name - first_constant];
        return name < first_leaf ? values[name] : leaves[name - first_leaf];
      };
      for (int s = 0; s < m_count; ++s) {
        const flat_step& now = m_list[s];
        char* const to = s + 1 < m_count ? values[now.to]
                                         : m_program.result.data + i * size_of(dtype(m_program.result.type));
        now.run(place(now.a), place(now.b), to, count);
      }
    }
  }

private:
  struct flat_step {
    flat_function run;
    std::uint8_t to, a, b;
  };
  static constexpr int block = 1024, widest_computed = 4, shortest_row = 64;
  static constexpr std::int64_t near = 8; // elements between those that are copied one by one

  static std::int64_t stride_of(const program& p, const program_array& leaf) {
    return leaf.is_flat ? 1 : leaf.strides[p.rank - 1];
  }

  /// Narrow elements of a matrix whose columns are its neighbours in memory, with rows that fit the caches
  /// sixteen times.
  static bool is_transposed(const program& p, const program_array& leaf) {
    constexpr std::int64_t longest_row = 16384;
    return p.rank == 2 && !leaf.is_flat && leaf.strides[0] == 1 && leaf.strides[1] > near &&
           size_of(dtype(leaf.type)) <= 2 && p.extent[0] >= transposed_rows && p.extent[1] <= longest_row;
  }

  /// The leaves' elements as neighbours in memory: one that a whole row repeats is written out, and elements
  /// that lie apart are copied, of a transposed matrix some rows at once.
  class copied_leaves {
  public:
    explicit copied_leaves(const program& p) : m_program(p) {
      std::fill_n(m_offset, max_leaves, std::numeric_limits<std::int64_t>::min()); // offsets may be negative
      std::fill_n(m_first, max_leaves, -transposed_rows);
      for (int k = 0; k < p.leaves; ++k)
        if (is_transposed(p, p.leaf[k]))
          m_rows[k].reset(
              new char[std::size_t(transposed_rows * p.extent[1]) * size_of(dtype(p.leaf[k].type))]);
        else if (stride_of(p, p.leaf[k]) != 1) m_place[k] = m_used++;
      if (m_used > 0) m_elements.reset(new char[std::size_t(m_used) * block * 8]);
    }
    /// `count` elements from the i-th on; of one that is repeated, `most`, for the next rows.
    const char* elements(int k, std::int64_t i, int count, int most) {
      const program_array& leaf = m_program.leaf[k];
      const std::int64_t size = std::int64_t(size_of(dtype(leaf.type))),
                         offset = offset_of(m_program, leaf, i), stride = stride_of(m_program, leaf);
      const char* const from = leaf.data + offset * size;
      if (stride == 1) return from;
      if (m_rows[k]) return size == 1 ? row_of<std::uint8_t>(k, i) : row_of<std::uint16_t>(k, i);
      char* const to = m_elements.get() + std::size_t(m_place[k]) * block * 8;
      if (m_offset[k] == offset) return to;
      if (stride == 0) m_offset[k] = offset;
      const int wanted = stride == 0 ? most : count;
      switch (size) {
        case 1: gather<std::uint8_t>(from, stride, to, wanted); break;
        case 2: gather<std::uint16_t>(from, stride, to, wanted); break;
        case 4: gather<std::uint32_t>(from, stride, to, wanted); break;
        default: gather<std::uint64_t>(from, stride, to, wanted);
      }
      return to;
    }

  private:
    template <typename E>
    static void gather(const char* from, std::int64_t stride, char* to, int count) {
      const E* const source = reinterpret_cast<const E*>(from);
      E* const made = reinterpret_cast<E*>(to);
      if (stride == 0) std::fill_n(made, count, *source);
      else if (stride == 2) take_every_second(source, made, count);
      else
        for (int i = 0; i < count; ++i) made[i] = source[i * stride];
    }
    /// From the i-th element of the program on, to the end of its row.
    template <typename E>
    const char* row_of(int k, std::int64_t i) {
      const program_array& leaf = m_program.leaf[k];
      const std::int64_t columns = m_program.extent[1], row = i / columns;
      E* const rows = reinterpret_cast<E*>(m_rows[k].get());
      if (row < m_first[k] || row >= m_first[k] + transposed_rows) {
        m_first[k] = row;
        load_transposed_narrow(reinterpret_cast<const E*>(leaf.data) + row, leaf.strides[1],
                               int(std::min<std::int64_t>(transposed_rows, m_program.extent[0] - row)),
                               int(columns), rows, columns);
      }
      return reinterpret_cast<const char*>(rows + (row - m_first[k]) * columns + i % columns);
    }
    const program& m_program;
    std::unique_ptr<char[]> m_elements, m_rows[max_leaves];
    std::int64_t m_first[max_leaves]; // of m_rows
    std::int64_t m_offset[max_leaves];
    int m_place[max_leaves] = {}, m_used = 0;
  };

  /// Whether the leaf's elements are neighbours in memory, narrow ones near each other, or one element a row.
  bool takes(const program_array& leaf) {
    const program& p = m_program;
    if (leaf.is_flat) return true;
    const std::int64_t stride = leaf.strides[p.rank - 1];
    const bool lies_apart =
        stride != 0 && stride != 1 && std::abs(stride) <= near && size_of(dtype(leaf.type)) < 8;
    if ((stride != 0 && stride != 1 && !lies_apart && !is_transposed(p, leaf)) ||
        p.extent[p.rank - 1] < shortest_row)
      return false;
    m_has_rows = true;
    m_copies = m_copies || stride != 1;
    return true;
  }

  bool make(dtype own) {
    const program& p = m_program;
    if (p.fold != fold_op::none || !p.result.is_flat || p.leaves == 0 || p.steps == 0) return false;
    dtype type = dtype::boolean;
    for (int k = 0; k < p.leaves; ++k) {
      const auto leaf = dtype(p.leaf[k].type);
      if (!takes(p.leaf[k]) || (leaf != type && leaf != dtype::boolean && type != dtype::boolean))
        return false;
      if (leaf != dtype::boolean) type = leaf;
    }
    if (type != dtype::boolean && type != own && (own != dtype::int64 || !is_integer(type))) return false;
    m_type = functions_of_type(type);
    if (type != dtype::boolean && m_type.fill == nullptr) return false; // complex numbers
    if (p.constants > 0 && (type == dtype::boolean || !m_type.holds(p))) return false;
    for (int s = 0; s < p.steps; ++s)
      if (!add_step(s, type)) return false;
    return p.list[p.steps - 1].to == p.root &&
           dtype(p.result.type) == (m_is_truth[p.root] ? dtype::boolean : type);
  }

  bool is_truth(int name) const {
    if (name < first_leaf) return m_is_truth[name];
    return name < first_constant && dtype(m_program.leaf[name - first_leaf].type) == dtype::boolean;
  }

  bool add_step(int s, dtype type) {
    const step& now = m_program.list[s];
    const step_op wrap = wrap_of(type);
    if (now.op >= step_op::wrap8 && now.op <= step_op::wrap_u32) // the functions wrap
      return now.op == wrap && now.a == now.to && s > 0 && m_program.list[s - 1].to == now.to &&
             !is_truth(now.a);
    const bool of_truth = is_truth(now.a);
    if (of_truth != is_truth(now.b)) return false;
    flat_function found = of_truth ? find_logic(now.op) : m_type.question ? m_type.question(now.op) : nullptr;
    const bool gives_truth = found;
    if (!found && !of_truth && m_type.arithmetic) {
      found = m_type.arithmetic(now.op);
      const bool leaves_type = now.op <= step_op::multiply || now.op == step_op::negative ||
                               now.op == step_op::bitwise_invert || now.op == step_op::abs ||
                               now.op == step_op::floor_divide;
      const bool wraps =
          s + 1 < m_program.steps && m_program.list[s + 1].op == wrap && m_program.list[s + 1].a == now.to;
      if (leaves_type && !wraps) return false; // the result has a wider type
    }
    if (!found) return false;
    const bool exchanges = now.op == step_op::greater || now.op == step_op::greater_equal;
    m_list[m_count++] = {found, now.to, exchanges ? now.b : now.a, exchanges ? now.a : now.b};
    m_is_truth[now.to] = gives_truth;
    return true;
  }

  const program& m_program;
  type_functions m_type;
  flat_step m_list[max_steps];
  bool m_is_truth[max_registers] = {};
  int m_count = 0;
  bool m_has_rows = false, m_copies = false; // of leaves that are not flat
};

} // namespace

bool has_flat_steps(const program& p, dtype own) { return flat_plan(p, own).fits; }

void run_flat_steps(const program& p, dtype own, std::int64_t begin, std::int64_t end) {
  flat_plan(p, own).run(begin, end);
}

} // namespace prism::array_detail
