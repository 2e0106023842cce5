// The meaning of a program's parts for one arithmetic: operations of steps and folds, element types, offsets.
#pragma once

#include "kernels/array/program.hpp"

#include <prism/array/number.hpp>
#include <prism/array/part_counters.hpp>

namespace prism::array_detail {

#define PRISM_STEP(name, expression)                                                                         \
  case step_op::name:                                                                                        \
    run([](T a, T b, T c) PRISM_ARRAY_INLINED -> T {                                                         \
      (void)a, (void)b, (void)c;                                                                             \
      return expression;                                                                                     \
    });                                                                                                      \
    break;

/// Calls `run` with the function of `op`, of the ones that is_function() names and T has.
template <typename T, typename Run>
PRISM_ARRAY_INLINE void dispatch_function(step_op op, const Run& run) {
  using f = functions<T>;
  if (op == step_op::power) return run([](T a, T b, T) { return f::power(a, b); });
  if constexpr (!f::is_complex) {
    switch (op) {
      PRISM_STEP(floor_divide, f::floor_divide(a, b))
      PRISM_STEP(remainder, f::remainder(a, b))
      default: break;
    }
  }
  if constexpr (!f::is_integer) {
    switch (op) {
      PRISM_STEP(sqrt, f::sqrt(a))
      PRISM_STEP(exp, f::exp(a))
      PRISM_STEP(log, f::log(a))
      PRISM_STEP(sin, f::sin(a))
      PRISM_STEP(cos, f::cos(a))
      PRISM_STEP(tan, f::tan(a))
      PRISM_STEP(sinh, f::sinh(a))
      PRISM_STEP(cosh, f::cosh(a))
      PRISM_STEP(tanh, f::tanh(a))
      PRISM_STEP(expm1, f::expm1(a))
      PRISM_STEP(exp2, f::exp2(a))
      PRISM_STEP(log1p, f::log1p(a))
      PRISM_STEP(log2, f::log2(a))
      PRISM_STEP(log10, f::log10(a))
      PRISM_STEP(asin, f::asin(a))
      PRISM_STEP(acos, f::acos(a))
      PRISM_STEP(atan, f::atan(a))
      PRISM_STEP(asinh, f::asinh(a))
      PRISM_STEP(acosh, f::acosh(a))
      PRISM_STEP(atanh, f::atanh(a))
      default: break;
    }
  }
  if constexpr (!f::is_integer && !f::is_complex) {
    switch (op) {
      PRISM_STEP(atan2, sycl::atan2(a, b))
      PRISM_STEP(hypot, sycl::hypot(a, b))
      PRISM_STEP(copysign, sycl::copysign(a, b))
      PRISM_STEP(logaddexp, f::logaddexp(a, b))
      PRISM_STEP(nextafter, sycl::nextafter(a, b))
      PRISM_STEP(half_power, f::half_power(a))
      PRISM_STEP(fmax, f::fmax(a, b))
      PRISM_STEP(fmin, f::fmin(a, b))
      PRISM_STEP(cbrt, f::cbrt(a))
      default: break;
    }
  }
}

/// Calls `run` with what `op` computes; operations that T has not do nothing, nor do functions without
/// `with_functions`.
template <typename T, bool with_functions, typename Run>
PRISM_ARRAY_INLINE void dispatch(step_op op, const Run& run) {
  using f = functions<T>;
  if constexpr (with_functions) {
    if (is_function(op)) return dispatch_function<T>(op, run);
  }
  switch (op) {
    PRISM_STEP(add, f::add(a, b))
    PRISM_STEP(subtract, f::subtract(a, b))
    PRISM_STEP(multiply, f::multiply(a, b))
    PRISM_STEP(equal, T(f::equal(a, b)))
    PRISM_STEP(not_equal, T(!f::equal(a, b)))
    PRISM_STEP(logical_and, T(f::truth(a) & f::truth(b)))
    PRISM_STEP(logical_or, T(f::truth(a) | f::truth(b)))
    PRISM_STEP(logical_xor, T(f::truth(a) != f::truth(b)))
    PRISM_STEP(logical_not, T(!f::truth(a)))
    PRISM_STEP(choose, f::truth(a) ? b : c)
    PRISM_STEP(negative, f::negative(a))
    PRISM_STEP(positive, a)
    PRISM_STEP(square, f::multiply(a, a))
    PRISM_STEP(abs, f::abs(a))
    PRISM_STEP(sign, f::sign(a))
    default: break;
  }
  if constexpr (!f::is_complex) {
    switch (op) {
      PRISM_STEP(maximum, f::maximum(a, b))
      PRISM_STEP(minimum, f::minimum(a, b))
      PRISM_STEP(less, T(a < b))
      PRISM_STEP(less_equal, T(a <= b))
      PRISM_STEP(greater, T(a > b))
      PRISM_STEP(greater_equal, T(a >= b))
      default: break;
    }
  }
  if constexpr (f::is_integer) {
    switch (op) {
      PRISM_STEP(bitwise_and, a & b)
      PRISM_STEP(bitwise_or, a | b)
      PRISM_STEP(bitwise_xor, a ^ b)
      PRISM_STEP(bitwise_invert, ~a)
      PRISM_STEP(shift_left, f::shift_left(a, b))
      PRISM_STEP(shift_right, f::shift_right(a, b))
      PRISM_STEP(wrap8, T(std::int8_t(a)))
      PRISM_STEP(wrap16, T(std::int16_t(a)))
      PRISM_STEP(wrap32, T(std::int32_t(a)))
      PRISM_STEP(wrap_u8, T(std::uint8_t(a)))
      PRISM_STEP(wrap_u16, T(std::uint16_t(a)))
      PRISM_STEP(wrap_u32, T(std::uint32_t(a)))
      default: break;
    }
  } else {
    switch (op) {
      PRISM_STEP(divide, f::divide(a, b))
      PRISM_STEP(reciprocal, f::divide(T(1), a))
      PRISM_STEP(floor, f::floor(a))
      PRISM_STEP(ceil, f::ceil(a))
      PRISM_STEP(trunc, f::trunc(a))
      PRISM_STEP(round, f::round(a))
      PRISM_STEP(isnan, T(f::isnan(a)))
      PRISM_STEP(isinf, T(f::isinf(a)))
      PRISM_STEP(isfinite, T(f::isfinite(a)))
      default: break;
    }
  }
  if constexpr (f::is_complex) {
    switch (op) {
      PRISM_STEP(conj, f::conj(a))
      default: break;
    }
  } else if constexpr (!f::is_integer) {
    switch (op) {
      PRISM_STEP(signbit, T(sycl::signbit(a) != 0))
      default: break;
    }
  }
}

#undef PRISM_STEP

/// The types that a program of arithmetic T reads and writes: real arithmetic has no complex arrays.
template <typename T, typename Use>
PRISM_ARRAY_INLINE void with_type(std::int32_t type, const Use& use) {
  switch (static_cast<dtype>(type)) {
    case dtype::boolean: use(truth_value{}); break;
    case dtype::int8: use(std::int8_t{}); break;
    case dtype::int16: use(std::int16_t{}); break;
    case dtype::int32: use(std::int32_t{}); break;
    case dtype::int64: use(std::int64_t{}); break;
    case dtype::uint8: use(std::uint8_t{}); break;
    case dtype::uint16: use(std::uint16_t{}); break;
    case dtype::uint32: use(std::uint32_t{}); break;
    case dtype::uint64: use(std::uint64_t{}); break;
    case dtype::float32: use(float{}); break;
    default: break;
  }
  if constexpr (has_double<T>) {
    if (static_cast<dtype>(type) == dtype::float64) use(double{});
    if constexpr (functions<T>::is_complex) {
      if (static_cast<dtype>(type) == dtype::complex128) use(pair<double>{});
    }
  }
  if constexpr (functions<T>::is_complex) {
    if (static_cast<dtype>(type) == dtype::complex64) use(pair<float>{});
  }
}

inline std::int64_t offset_of(const program& p, const program_array& array, std::int64_t i) {
  if (array.is_flat) return i;
  std::int64_t offset = 0;
  for (int d = p.rank - 1; d >= 0; --d) {
    const std::int64_t rest = i / p.extent[d];
    offset += (i - rest * p.extent[d]) * array.strides[d];
    i = rest;
  }
  return offset;
}

/// What a work-item folds: the elements begin, begin + step, ... below `end` of a result, at `first`,
/// first + apart, ... in the program's linear order; and the number of its value among all results and parts.
struct item_elements {
  std::int64_t begin, step, end, first, apart, value;
  std::int64_t count() const { return (end - begin + step - 1) / step; }
};

/// Of one of results * parts work-items.
inline item_elements elements_of(const fold_layout& f, std::int64_t item) {
  std::int64_t group = item, column = 0;
  if (f.inner > 1) group = item / f.inner, column = item - group * f.inner;
  const std::int64_t outer = group / f.parts, part = group - outer * f.parts;
  std::int64_t begin = part, step = f.parts, end = f.elements;
  // Neighbouring parts of a result take turns in a block of its elements, so that work-items that run
  // together read neighbours, and later ones the same pages.
  if (f.parts > parts_of_block) {
    const std::int64_t blocks = f.parts / parts_of_block, block = part / parts_of_block;
    begin = block * f.elements / blocks + part - block * parts_of_block;
    step = parts_of_block;
    end = (block + 1) * f.elements / blocks;
  }
  return {begin,
          step,
          end,
          (outer * f.elements + begin) * f.inner + column,
          step * f.inner,
          (outer * f.parts + part) * f.inner + column};
}

template <typename T>
inline T constant_of(const program& p, int k) {
  if constexpr (functions<T>::is_integer) {
    return T(p.integer_constant[k]);
  } else {
    const auto& number = [&]() -> const auto& {
      if constexpr (has_double<T>) return p.constant[k];
      else return p.single_constant[k];
    }();
    if constexpr (functions<T>::is_complex) return T(number[0], number[1]);
    else return T(number[0]);
  }
}

/// How a fold combines two values. quick() is the same, but for extremes of floating-point numbers, of which
/// it returns `a` where b is NaN: leaves_nan_out; and for any and all, of which it returns any number that is
/// not 0 for true. has_order: rounding makes the order matter.
template <typename T, fold_op op>
struct combination {
  using f = functions<T>;
  static constexpr fold_op operation = op;
  static constexpr bool is_minimum = op == fold_op::minimum, is_maximum = op == fold_op::maximum;
  static constexpr bool leaves_nan_out = std::is_floating_point_v<T> && (is_minimum || is_maximum);
  static constexpr bool is_idempotent = op != fold_op::sum && op != fold_op::product;
  static constexpr bool has_order = !f::is_integer && (op == fold_op::sum || op == fold_op::product);
  PRISM_ARRAY_INLINED static T exact(T a, T b) {
    if constexpr (is_minimum) return f::minimum(a, b);
    else if constexpr (is_maximum) return f::maximum(a, b);
    else if constexpr (op == fold_op::product) return f::multiply(a, b);
    else if constexpr (op == fold_op::any) return T(f::truth(a) || f::truth(b));
    else if constexpr (op == fold_op::all) return T(f::truth(a) && f::truth(b));
    else return f::add(a, b);
  }
  PRISM_ARRAY_INLINED static T quick(T a, T b) {
    if constexpr (op == fold_op::any && f::is_integer) return a | b;
    else if constexpr (op == fold_op::any) return f::truth(b) ? b : a;
    else if constexpr (op == fold_op::all) return f::truth(b) ? a : b;
    else if constexpr (!leaves_nan_out) return exact(a, b);
    else if constexpr (is_minimum) return b < a ? b : a;
    else return a < b ? b : a;
  }
};

/// Calls `run` with the combination of `op`; of the one whose position is asked, with that of its values.
template <typename T, typename Run>
PRISM_ARRAY_INLINE void dispatch_combination(fold_op op, const Run& run) {
  switch (op) {
    case fold_op::sum: run(combination<T, fold_op::sum>()); break;
    case fold_op::product: run(combination<T, fold_op::product>()); break;
    case fold_op::any: run(combination<T, fold_op::any>()); break;
    case fold_op::all: run(combination<T, fold_op::all>()); break;
    default:
      if constexpr (!functions<T>::is_complex) {
        if (op == fold_op::minimum || op == fold_op::first_minimum) run(combination<T, fold_op::minimum>());
        else if (op != fold_op::none) run(combination<T, fold_op::maximum>());
      }
  }
}

/// Calls `run` with the function that combines two values of a fold.
template <typename T, typename Run>
PRISM_ARRAY_INLINE void dispatch_fold(fold_op op, const Run& run) {
  dispatch_combination<T>(op, [&]<fold_op which>(combination<T, which>) PRISM_ARRAY_INLINED {
    run([](T a, T b) PRISM_ARRAY_INLINED { return combination<T, which>::exact(a, b); });
  });
}

/// Whether b, at position `at_b`, is the extreme that argmin or argmax asks for, rather than a. The first NaN
/// is.
template <typename T>
inline bool is_better(fold_op op, T a, T b, std::int64_t at_a, std::int64_t at_b) {
  if constexpr (functions<T>::is_complex) return false;
  else {
    // no branch, for vectors
    const bool first = at_b < at_a, is_a = a == a, no_b = b != b;
    const bool beyond = op == fold_op::first_minimum ? b < a : a < b;
    return (no_b & (is_a | first)) | (is_a & (beyond | ((a == b) & first)));
  }
}

} // namespace prism::array_detail
