// The kernels of constants and steps of one arithmetic (pieces.hpp). Each file pieces_*.cpp
// instantiates some.
#pragma once

#include "kernels/array/pieces.hpp"
#include "kernels/array/steps.hpp"

#include <utility>

namespace prism::array_detail {

template <typename T, step_op op>
class step_kernel;
template <typename T>
class number_kernel;

/// How many of its operands a step reads.
constexpr int operands_of(step_op op) {
  if (op == step_op::choose) return 3;
  const bool is_function_of_two = op >= step_op::floor_divide && op <= step_op::nextafter;
  return op < step_op::choose || is_function_of_two || op >= step_op::fmax ? 2 : 1;
}

/// Whether dispatch() knows the operation for T, and it has a kernel.
template <typename T>
constexpr bool has_step(step_op op) {
  using f = functions<T>;
  const bool orders = op == step_op::maximum || op == step_op::minimum ||
                      (op >= step_op::less && op <= step_op::greater_equal) || op == step_op::floor_divide ||
                      op == step_op::remainder;
  const bool of_integers = (op >= step_op::bitwise_and && op <= step_op::shift_right) ||
                           op == step_op::bitwise_invert || (op >= step_op::wrap8 && op <= step_op::wrap_u32);
  const bool of_fractions = op == step_op::divide || op == step_op::reciprocal ||
                            (op >= step_op::floor && op <= step_op::isfinite) ||
                            (op >= step_op::sqrt && op < step_op::fmax);
  const bool of_reals =
      op == step_op::signbit || (op >= step_op::atan2 && op <= step_op::half_power) || op >= step_op::fmax;
  if (orders) return !f::is_complex;
  if (of_integers) return f::is_integer;
  if (of_fractions) return !f::is_integer;
  if (of_reals) return !f::is_integer && !f::is_complex;
  return op != step_op::conj || f::is_complex;
}

template <typename T, step_op op>
piece_value record_step(piece_recorder& recorder, const piece_value& a, const piece_value& b,
                        const piece_value& c) {
  const auto computed = [](T x, T y, T z) {
    T made{};
    dispatch<T, true>(op, [&](auto function) { made = function(x, y, z); });
    return made;
  };
  using name = step_kernel<T, op>;
  if constexpr (operands_of(op) == 1)
    return recorder.compute<name, T, T>([=](std::size_t, T x) { return computed(x, x, x); }, a);
  else if constexpr (operands_of(op) == 2)
    return recorder.compute<name, T, T, T>([=](std::size_t, T x, T y) { return computed(x, y, y); }, a, b);
  else
    return recorder.compute<name, T, T, T, T>([=](std::size_t, T x, T y, T z) { return computed(x, y, z); },
                                              a, b, c);
}

template <typename T, std::size_t... op>
piece_value record_one_of(piece_recorder& recorder, step_op which, const piece_value& a, const piece_value& b,
                          const piece_value& c, std::index_sequence<op...>) {
  piece_value made;
  const auto try_one = [&]<step_op one>() {
    if constexpr (has_step<T>(one))
      if (which == one) made = record_step<T, one>(recorder, a, b, c);
  };
  (try_one.template operator()<step_op(op)>(), ...);
  return made;
}

template <typename T>
piece_value step_piece(piece_recorder& recorder, step_op op, const piece_value& a, const piece_value& b,
                       const piece_value& c) {
  return record_one_of<T>(recorder, op, a, b, c, std::make_index_sequence<std::size_t(step_op::fmin) + 1>());
}

template <typename T>
piece_value number_piece(piece_recorder& recorder, int k) {
  const T value = constant_of<T>(recorder.of(), k);
  return recorder.compute<number_kernel<T>, T>([=](std::size_t) { return value; });
}

#define PRISM_PIECES(T)                                                                                      \
  template piece_value number_piece<T>(piece_recorder&, int);                                                \
  template piece_value step_piece<T>(piece_recorder&, step_op, const piece_value&, const piece_value&,       \
                                     const piece_value&);

} // namespace prism::array_detail
