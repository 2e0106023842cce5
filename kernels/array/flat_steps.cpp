// Steps over flat arrays, compiled for each instruction set (flat_steps.hpp).
#include "kernels/array/flat_steps.hpp"

#include "kernels/array/host_rows.hpp"
#include "kernels/array/lanes.hpp"

#include <algorithm>
#include <cmath>
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

template <typename F, typename E, typename R>
void loop(const E* a, const E* b, R* to, std::int64_t count) {
#ifdef __x86_64__
  if (__prism_host_isa >= 3) return loop_v3<F>(a, b, to, count);
#endif
  loop_baseline<F>(a, b, to, count);
}

template <typename E>
E number_of(const program& p, int k) {
  if constexpr (std::is_integral_v<E>) return E(p.integer_constant[k]);
  else return E(p.constant[k][0]);
}

/// The step's operand: elements of an array, or a number, of which there is a block.
template <typename E>
struct flat_operand {
  static constexpr int block = 1024;
  const E* elements = nullptr; // null: a number
  E numbers[block];

  flat_operand(const program& p, int name) {
    if (name >= first_constant) std::fill_n(numbers, block, number_of<E>(p, name - first_constant));
    else elements = reinterpret_cast<const E*>(p.leaf[name - first_leaf].data);
  }
  const E* from(std::int64_t i) const { return elements ? elements + i : numbers; }
};

template <typename F, typename E>
void run_flat(const program& p, std::int64_t begin, std::int64_t end) {
  using R = decltype(F::of(E(), E()));
  const step& now = p.list[0];
  const bool exchanges = now.op == step_op::greater || now.op == step_op::greater_equal;
  const flat_operand<E> a(p, exchanges ? now.b : now.a), b(p, exchanges ? now.a : now.b);
  const std::int64_t block = a.elements && b.elements ? end - begin : a.block;
  R* const to = reinterpret_cast<R*>(p.result.data);
  for (std::int64_t i = begin; i < end; i += block)
    loop<F>(a.from(i), b.from(i), to + i, std::min(block, end - i));
}

template <typename E>
flat_runner find_arithmetic(step_op op) {
  using U = std::make_unsigned_t<E>;
  switch (op) {
    case step_op::add: return run_flat<add, U>;
    case step_op::subtract: return run_flat<subtract, U>;
    case step_op::multiply: return run_flat<multiply, U>;
    case step_op::bitwise_and: return run_flat<bits_and, U>;
    case step_op::bitwise_or: return run_flat<bits_or, U>;
    case step_op::bitwise_xor: return run_flat<bits_xor, U>;
    case step_op::maximum: return run_flat<maximum, E>;
    case step_op::minimum: return run_flat<minimum, E>;
    default: return nullptr;
  }
}

template <typename E>
flat_runner find_question(step_op op) {
  switch (op) {
    case step_op::equal: return run_flat<equal, E>;
    case step_op::not_equal: return run_flat<not_equal, E>;
    case step_op::less:
    case step_op::greater: return run_flat<less, E>;
    case step_op::less_equal:
    case step_op::greater_equal: return run_flat<less_equal, E>;
    default: break;
  }
  if constexpr (std::is_floating_point_v<E>) {
    if (op == step_op::isnan) return run_flat<is_nan, E>;
    if (op == step_op::isinf) return run_flat<is_infinite, E>;
    if (op == step_op::isfinite) return run_flat<is_finite, E>;
  }
  return nullptr;
}

flat_runner find_logic(step_op op) {
  switch (op) {
    case step_op::logical_and: return run_flat<both, std::uint8_t>;
    case step_op::logical_or: return run_flat<either, std::uint8_t>;
    case step_op::logical_xor: return run_flat<one, std::uint8_t>;
    case step_op::logical_not: return run_flat<neither, std::uint8_t>;
    default: return nullptr;
  }
}

/// Whether the step reads arrays and numbers, and a second one only wraps what it makes.
bool is_one_step(const program& p) {
  if (p.fold != fold_op::none || !p.result.is_flat || p.leaves == 0 || p.steps < 1 || p.steps > 2)
    return false;
  const step &first = p.list[0], &last = p.list[p.steps - 1];
  if (first.a < first_leaf || first.b < first_leaf || last.to != p.root) return false;
  if (p.steps == 2 && (last.a != first.to || last.op < step_op::wrap8 || last.op > step_op::wrap_u32))
    return false;
  for (int k = 0; k < p.leaves; ++k)
    if (!p.leaf[k].is_flat || p.leaf[k].type != p.leaf[0].type) return false;
  return true;
}

template <typename E>
bool holds_numbers(const program& p) {
  for (int k = 0; k < p.constants; ++k)
    if constexpr (std::is_same_v<E, std::uint64_t>) continue; // the same bits
    else if constexpr (std::is_integral_v<E>)
      if (!std::in_range<E>(p.integer_constant[k])) return false;
  return true;
}

} // namespace

flat_runner find_flat_step(const program& p, dtype own) {
  if (!is_one_step(p)) return nullptr;
  const step_op op = p.list[0].op;
  const auto type = dtype(p.leaf[0].type), result = dtype(p.result.type);
  if (type == dtype::boolean)
    return result == type && p.constants == 0 && p.steps == 1 ? find_logic(op) : nullptr;
  flat_runner found = nullptr;
  const auto find = [&]<typename E>(E) {
    if (!holds_numbers<E>(p)) return;
    if (result == dtype::boolean) found = p.steps == 1 ? find_question<E>(op) : nullptr;
    else if constexpr (std::is_integral_v<E> && sizeof(E) < 8)
      if (result == type) found = find_arithmetic<E>(op);
  };
  if (own == type || own == dtype::int64) {
    switch (type) {
      case dtype::int8: find(std::int8_t()); break;
      case dtype::int16: find(std::int16_t()); break;
      case dtype::int32: find(std::int32_t()); break;
      case dtype::int64: find(std::int64_t()); break;
      case dtype::uint8: find(std::uint8_t()); break;
      case dtype::uint16: find(std::uint16_t()); break;
      case dtype::uint32: find(std::uint32_t()); break;
      case dtype::uint64: find(std::uint64_t()); break;
      case dtype::float32: find(float()); break;
      case dtype::float64: find(double()); break;
      default: break;
    }
  }
  return found;
}

} // namespace prism::array_detail
