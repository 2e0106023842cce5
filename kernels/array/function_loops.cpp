// Bodies of function_loops.hpp.
#include "kernels/array/function_loops.hpp"

#include "kernels/array/host_rows.hpp"
#include "kernels/array/lanes.hpp"
#include "kernels/array/vector_functions.hpp"

#include <algorithm>

namespace prism::array_detail {

namespace {

constexpr int most = 512; // elements

/// The operands of arguments that a function does not cover, kept while the results are written.
template <typename T>
struct uncovered {
  T a[most], b[most];
  std::uint8_t is_covered[most];
  int count;
};

/// By products or a root for the exponents for which functions::power() takes these.
struct power : vector_functions::power {
  PRISM_ARRAY_INLINE static bool covers(double a, double b) {
    const bool is_simple = (b == 2.0) | (b == 3.0) | (b == 4.0) | (b == 0.5) | (b == -1.0);
    return vector_functions::power::covers(a, b) & !is_simple;
  }
};

template <typename F, typename T>
PRISM_ARRAY_INLINE bool covers(T a, T b) {
  if constexpr (std::is_same_v<F, power>) return F::covers(double(a), double(b));
  else return F::covers(double(a));
}
template <typename F, typename T>
PRISM_ARRAY_INLINE T value_of(T a, T b) {
  if constexpr (std::is_same_v<F, power>) return T(F::of(double(a), double(b)));
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
PRISM_FUNCTION_LOOP(loop_v3, __attribute__((target("avx2"))))
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

template <typename T>
using function_loop = void (*)(const T*, const T*, T*, int, uncovered<T>&);

template <typename T>
function_loop<T> find_loop(step_op op) {
  namespace v = vector_functions;
  switch (op) {
    case step_op::power: return loop<power, T>;
    case step_op::exp: return loop<v::exp, T>;
    case step_op::expm1: return loop<v::expm1, T>;
    case step_op::log: return loop<v::log, T>;
    case step_op::log1p: return loop<v::log1p, T>;
    case step_op::log2: return loop<v::log2, T>;
    case step_op::log10: return loop<v::log10, T>;
    case step_op::sin: return loop<v::sin, T>;
    case step_op::cos: return loop<v::cos, T>;
    case step_op::tan: return loop<v::tan, T>;
    case step_op::asin: return loop<v::asin, T>;
    case step_op::acos: return loop<v::acos, T>;
    case step_op::atan: return loop<v::atan, T>;
    case step_op::sinh: return loop<v::sinh, T>;
    case step_op::cosh: return loop<v::cosh, T>;
    case step_op::tanh: return loop<v::tanh, T>;
    case step_op::asinh: return loop<v::asinh, T>;
    case step_op::acosh: return loop<v::acosh, T>;
    case step_op::atanh: return loop<v::atanh, T>;
    default: return nullptr;
  }
}

} // namespace

template <typename T>
bool run_vector_function(step_op op, const T* a, const T* b, T* to, int count) {
  const function_loop<T> run = find_loop<T>(op);
  if (!run) return false;
  uncovered<T> others;
  run(a, b, to, count, others);
  if (others.count > 0)
    dispatch_function<T>(op, [&](auto function) {
      for (int i = 0; i < count; ++i)
        if (!others.is_covered[i]) to[i] = function(others.a[i], others.b[i], others.b[i]);
    });
  return true;
}

template bool run_vector_function<float>(step_op, const float*, const float*, float*, int);
template bool run_vector_function<double>(step_op, const double*, const double*, double*, int);

} // namespace prism::array_detail
