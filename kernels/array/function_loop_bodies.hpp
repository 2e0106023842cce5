// Loops of mathematical functions over chunks, for the bodies of function_loops.hpp: one copy for each
// instruction set.
#pragma once

#include "kernels/array/function_loops.hpp"
#include "kernels/array/host_rows.hpp"
#include "kernels/array/lanes.hpp"

namespace prism::array_detail::function_loop_bodies {

constexpr int most = 512; // elements

/// The operands of arguments that a function does not cover, kept while the results are written.
template <typename T>
struct uncovered {
  T a[most], b[most];
  std::uint8_t is_covered[most];
  int count;
};

/// By products or a root for the exponents for which functions::power() takes these.
template <typename F>
struct power_of : F {
  template <typename T>
  PRISM_ARRAY_INLINE static bool covers(T a, T b) {
    const bool is_simple = (b == T(2)) | (b == T(3)) | (b == T(4)) | (b == T(0.5)) | (b == T(-1));
    return F::covers(a, b) & !is_simple;
  }
};

template <typename F>
constexpr bool has_two_arguments = requires { F::of(1.0, 1.0); };

template <typename F, typename T>
PRISM_ARRAY_INLINE bool covers(T a, T b) {
  if constexpr (has_two_arguments<F>) return F::covers(a, b);
  else return F::covers(a);
}
template <typename F, typename T>
PRISM_ARRAY_INLINE T value_of(T a, T b) {
  if constexpr (has_two_arguments<F>) return T(F::of(a, b));
  else return T(F::of(a));
}

#define PRISM_FUNCTION_LOOP(name, instructions)                                                              \
  template <typename F, typename T>                                                                          \
  instructions void name(const T* a, const T* b, T* to, int count, uncovered<T>& others) {                   \
    int covered = 0;                                                                                         \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (int i = 0; i < count; ++i) covered += covers<F>(a[i], b[i]) ? 1 : 0;                                \
    others.count = count - covered;                                                                          \
    if (others.count > 0) {                                                                                  \
      PRISM_ARRAY_SCALARS                                                                                    \
      for (int i = 0; i < count; ++i)                                                                        \
        others.a[i] = a[i], others.b[i] = b[i], others.is_covered[i] = covers<F>(a[i], b[i]);                \
    }                                                                                                        \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (int i = 0; i < count; ++i) to[i] = value_of<F>(a[i], b[i]);                                         \
  }
PRISM_FUNCTION_LOOP(loop_baseline, )
#ifdef __x86_64__
PRISM_FUNCTION_LOOP(loop_v3, __attribute__((target("avx2,fma"))))
PRISM_FUNCTION_LOOP(loop_v4, __attribute__((target(PRISM_ARRAY_AVX512))))
#endif
#undef PRISM_FUNCTION_LOOP

template <typename F, typename T>
void loop(const T* a, const T* b, T* to, int count, uncovered<T>& others) {
#ifdef __x86_64__
  if (__prism_host_isa >= 4) return loop_v4<F>(a, b, to, count, others);
  if (__prism_host_isa >= 3) return loop_v3<F>(a, b, to, count, others);
#endif
  loop_baseline<F>(a, b, to, count, others);
}

/// The elements that a loop did not cover, by the mathematical library.
template <typename T>
__attribute__((noinline)) void compute_others(step_op op, const uncovered<T>& others, T* to, int count) {
  dispatch_function<T>(op, [&](auto function) {
    for (int i = 0; i < count; ++i)
      if (!others.is_covered[i]) to[i] = function(others.a[i], others.b[i], others.b[i]);
  });
}
template <typename F, typename T>
bool run(step_op op, const T* a, const T* b, T* to, int count) {
  uncovered<T> others;
  loop<F>(a, b, to, count, others);
  if (others.count > 0) compute_others(op, others, to, count);
  return true;
}

#define PRISM_RUN_FUNCTIONS(functions, op, a, b, to, count)                                                  \
  switch (op) {                                                                                              \
    case step_op::power: return run<power_of<functions::power>>(op, a, b, to, count);                        \
    case step_op::atan2: return run<functions::atan2>(op, a, b, to, count);                                  \
    case step_op::exp: return run<functions::exp>(op, a, b, to, count);                                      \
    case step_op::exp2: return run<functions::exp2>(op, a, b, to, count);                                    \
    case step_op::expm1: return run<functions::expm1>(op, a, b, to, count);                                  \
    case step_op::log: return run<functions::log>(op, a, b, to, count);                                      \
    case step_op::log1p: return run<functions::log1p>(op, a, b, to, count);                                  \
    case step_op::log2: return run<functions::log2>(op, a, b, to, count);                                    \
    case step_op::log10: return run<functions::log10>(op, a, b, to, count);                                  \
    case step_op::cbrt: return run<functions::cbrt>(op, a, b, to, count);                                    \
    case step_op::sin: return run<functions::sin>(op, a, b, to, count);                                      \
    case step_op::cos: return run<functions::cos>(op, a, b, to, count);                                      \
    case step_op::tan: return run<functions::tan>(op, a, b, to, count);                                      \
    case step_op::asin: return run<functions::asin>(op, a, b, to, count);                                    \
    case step_op::acos: return run<functions::acos>(op, a, b, to, count);                                    \
    case step_op::atan: return run<functions::atan>(op, a, b, to, count);                                    \
    case step_op::sinh: return run<functions::sinh>(op, a, b, to, count);                                    \
    case step_op::cosh: return run<functions::cosh>(op, a, b, to, count);                                    \
    case step_op::tanh: return run<functions::tanh>(op, a, b, to, count);                                    \
    case step_op::asinh: return run<functions::asinh>(op, a, b, to, count);                                  \
    case step_op::acosh: return run<functions::acosh>(op, a, b, to, count);                                  \
    case step_op::atanh: return run<functions::atanh>(op, a, b, to, count);                                  \
    default: return false;                                                                                   \
  }

} // namespace prism::array_detail::function_loop_bodies
