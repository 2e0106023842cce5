// The passes of the host device over a chunk: a step, or two steps of real arithmetic of which the second
// uses the first one's value and nothing else does. A sum may take the operands of the last step. That value
// stays in a vector register, so that a chain of additions and products reads and writes the first-level
// cache half as often. The bits are those of two steps.
#pragma once

#include "kernels/array/steps.hpp"

#include <cstdint>

namespace prism::array_detail {

/// Steps of the program that run together: list[step] alone, or with the step that follows it.
struct pass {
  std::uint8_t step;
  bool is_pair;
  bool is_second; // of a pair: the first step's value is the second operand of the second one
};

/// The operations that pairs consist of.
constexpr bool is_paired(step_op op) { return op <= step_op::divide; }

/// Whether something reads the name's value after step `last`.
inline bool is_read_later(const program& p, int last, int name) {
  for (int s = last + 1; s < p.steps; ++s) {
    const step& now = p.list[s];
    if (now.a == name || now.b == name || now.c == name) return true;
    if (now.to == name) return false;
  }
  return p.root == name;
}

inline bool makes_pair(const program& p, int s) {
  if (s + 1 >= p.steps) return false;
  const step &first = p.list[s], &second = p.list[s + 1];
  if (!is_paired(first.op) || !is_paired(second.op)) return false;
  if ((second.a == first.to) == (second.b == first.to)) return false;
  return second.to == first.to || !is_read_later(p, s + 1, first.to);
}

/// Sets the passes of a program in real arithmetic, and returns their number.
inline int find_passes(const program& p, pass (&passes)[max_steps]) {
  int count = 0;
  for (int s = 0; s < p.steps; ++s) {
    const bool pair = makes_pair(p, s);
    passes[count++] = {std::uint8_t(s), pair, pair && p.list[s + 1].b == p.list[s].to};
    if (pair) ++s;
  }
  return count;
}

/// Whether the last pass is one step whose values are only summed, so that the sum can take its operands.
inline bool sums_last_step(const program& p, const pass* passes, int count) {
  if (p.fold != fold_op::sum || count == 0 || passes[count - 1].is_pair) return false;
  const step& last = p.list[p.steps - 1];
  return is_paired(last.op) && last.to == p.root;
}

/// Calls `run` with the function of an operation that is_paired().
template <typename T, typename Run>
PRISM_ARRAY_INLINE void dispatch_paired(step_op op, const Run& run) {
  using f = functions<T>;
  switch (op) {
    case step_op::add: run([](T a, T b) PRISM_ARRAY_INLINED { return f::add(a, b); }); break;
    case step_op::subtract: run([](T a, T b) PRISM_ARRAY_INLINED { return f::subtract(a, b); }); break;
    case step_op::multiply: run([](T a, T b) PRISM_ARRAY_INLINED { return f::multiply(a, b); }); break;
    default: run([](T a, T b) PRISM_ARRAY_INLINED { return f::divide(a, b); });
  }
}

} // namespace prism::array_detail
