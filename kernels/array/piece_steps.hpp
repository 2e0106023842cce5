// The kernels of constants, steps and folds of one arithmetic (pieces.hpp). Each file pieces_*.cpp
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
template <typename T, fold_op op>
class fold_kernel;
template <typename T, fold_op op>
class position_kernel;

/// How many of its operands a step reads.
constexpr int operands_of(step_op op) {
  if (op == step_op::choose) return 3;
  return op < step_op::choose || (op >= step_op::floor_divide && op <= step_op::nextafter) ? 2 : 1;
}

/// Whether dispatch() knows the operation for T, and it has a kernel.
template <typename T>
constexpr bool has_step(step_op op) {
  using f = functions<T>;
  if (f::is_complex && is_function(op)) return false;
  const bool orders = op == step_op::maximum || op == step_op::minimum ||
                      (op >= step_op::less && op <= step_op::greater_equal) || op == step_op::floor_divide ||
                      op == step_op::remainder;
  const bool of_integers = (op >= step_op::bitwise_and && op <= step_op::shift_right) ||
                           op == step_op::bitwise_invert || (op >= step_op::wrap8 && op <= step_op::wrap_u32);
  const bool of_fractions = op == step_op::divide || op == step_op::reciprocal ||
                            (op >= step_op::floor && op <= step_op::isfinite) || op >= step_op::sqrt;
  const bool of_reals = op == step_op::signbit || (op >= step_op::atan2 && op <= step_op::nextafter);
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
  return record_one_of<T>(recorder, op, a, b, c, std::make_index_sequence<std::size_t(step_op::atanh) + 1>());
}

template <typename T>
piece_value number_piece(piece_recorder& recorder, int k) {
  const T value = constant_of<T>(recorder.of(), k);
  return recorder.compute<number_kernel<T>, T>([=](std::size_t) { return value; });
}

template <typename T, fold_op op>
sycl::event fold_elements(sycl::queue& queue, const T* elements, const program& p) {
  const fold_layout f = p.folded;
  const program_array to = p.result;
  return queue.parallel_for<fold_kernel<T, op>>(sycl::range<1>(std::size_t(f.results * f.parts)),
                                                [=](sycl::id<1> id) {
    const item_elements of = elements_of(f, std::int64_t(id[0]));
    const T* from = elements + of.first;
    std::int64_t left = of.count() - 1;
    T total = *from;
    dispatch_fold<T>(op, [&](auto combine) {
      for (; left >= 4; left -= 4) { // loops cost much on llvmpipe
        const T a = from[of.apart], b = from[2 * of.apart], c = from[3 * of.apart];
        from += 4 * of.apart;
        total = combine(combine(combine(combine(total, a), b), c), *from);
      }
      for (; left > 0; --left) from += of.apart, total = combine(total, *from);
    });
    with_type<T>(to.type, [&](auto element) {
      using E = decltype(element);
      reinterpret_cast<E*>(to.data)[of.value] = converted<E>(total);
    });
  });
}

/// Of the position of an extreme.
template <typename T, fold_op op>
sycl::event fold_positions(sycl::queue& queue, const T* elements, const program& p) {
  const fold_layout f = p.folded;
  const program_array to = p.result;
  return queue.parallel_for<position_kernel<T, op>>(sycl::range<1>(std::size_t(f.results * f.parts)),
                                                    [=](sycl::id<1> id) {
    const item_elements of = elements_of(f, std::int64_t(id[0]));
    const T* from = elements + of.first;
    std::int64_t left = of.count() - 1;
    T total = *from;
    std::int64_t at = of.begin;
    if (f.given_positions) { // in any order
      const std::int64_t* given = f.given_positions + of.first;
      for (at = *given; left > 0; --left) {
        from += of.apart, given += of.apart;
        if (is_better(op, total, *from, at, *given)) total = *from, at = *given;
      }
    } else {
      const auto take = [&](T value, std::int64_t position) {
        const bool better = is_better(op, total, value, 0, 1);
        total = better ? value : total, at = better ? position : at;
      };
      std::int64_t position = of.begin;
      for (; left >= 4; left -= 4) { // loops cost much on llvmpipe
        const T a = from[of.apart], b = from[2 * of.apart], c = from[3 * of.apart];
        from += 4 * of.apart;
        take(a, position + of.step), take(b, position + 2 * of.step), take(c, position + 3 * of.step);
        position += 4 * of.step;
        take(*from, position);
      }
      for (; left > 0; --left) from += of.apart, position += of.step, take(*from, position);
    }
    std::int64_t* const positions =
        f.partial_positions ? f.partial_positions : reinterpret_cast<std::int64_t*>(to.data);
    positions[of.value] = at;
    if (f.partial_positions) reinterpret_cast<T*>(to.data)[of.value] = total;
  });
}

template <typename T>
sycl::event launch_fold(sycl::queue& queue, const T* elements, const program& p) {
  switch (p.fold) {
    case fold_op::product: return fold_elements<T, fold_op::product>(queue, elements, p);
    case fold_op::any: return fold_elements<T, fold_op::any>(queue, elements, p);
    case fold_op::all: return fold_elements<T, fold_op::all>(queue, elements, p);
    default: break;
  }
  if constexpr (!functions<T>::is_complex) {
    if (p.fold == fold_op::minimum) return fold_elements<T, fold_op::minimum>(queue, elements, p);
    if (p.fold == fold_op::maximum) return fold_elements<T, fold_op::maximum>(queue, elements, p);
    if (p.fold == fold_op::first_minimum)
      return fold_positions<T, fold_op::first_minimum>(queue, elements, p);
    if (p.fold == fold_op::first_maximum)
      return fold_positions<T, fold_op::first_maximum>(queue, elements, p);
  }
  return fold_elements<T, fold_op::sum>(queue, elements, p);
}

#define PRISM_PIECES(T)                                                                                      \
  template piece_value number_piece<T>(piece_recorder&, int);                                                \
  template piece_value step_piece<T>(piece_recorder&, step_op, const piece_value&, const piece_value&,       \
                                     const piece_value&);                                                    \
  template sycl::event launch_fold<T>(sycl::queue&, const T*, const program&);

} // namespace prism::array_detail
