// Bodies of function_loops.hpp.
#include "kernels/array/function_loops.hpp"

#include "kernels/array/host_rows.hpp"
#include "kernels/array/lanes.hpp"
#include "kernels/array/single_functions.hpp"

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
template <typename F>
struct power_of : F {
  PRISM_ARRAY_INLINE static bool covers(double a, double b) {
    const bool is_simple = (b == 2.0) | (b == 3.0) | (b == 4.0) | (b == 0.5) | (b == -1.0);
    return F::covers(a, b) & !is_simple;
  }
};

template <typename F>
constexpr bool has_two_arguments = requires { F::of(1.0, 1.0); };

template <typename F, typename T>
PRISM_ARRAY_INLINE bool covers(T a, T b) {
  if constexpr (has_two_arguments<F>) return F::covers(double(a), double(b));
  else return F::covers(double(a));
}
template <typename F, typename T>
PRISM_ARRAY_INLINE T value_of(T a, T b) {
  if constexpr (has_two_arguments<F>) return T(F::of(double(a), double(b)));
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
  namespace s = vector_functions::single;
#define PRISM_BY_TYPE(name)                                                                                  \
  case step_op::name: return loop<std::conditional_t<sizeof(T) == 4, s::name, v::name>, T>;
#define PRISM_BY_DOUBLE(name)                                                                                \
  case step_op::name: return loop<v::name, T>;
  switch (op) {
    case step_op::power:
      return loop<power_of<std::conditional_t<sizeof(T) == 4, s::power, v::power>>, T>;
      PRISM_BY_TYPE(expm1)
      PRISM_BY_TYPE(log)
      PRISM_BY_TYPE(log1p)
      PRISM_BY_TYPE(log2)
      PRISM_BY_TYPE(log10)
      PRISM_BY_TYPE(sin)
      PRISM_BY_TYPE(cos)
      PRISM_BY_TYPE(tan)
      PRISM_BY_TYPE(sinh)
      PRISM_BY_TYPE(cosh)
      PRISM_BY_TYPE(tanh)
      PRISM_BY_DOUBLE(exp)
      PRISM_BY_DOUBLE(asin)
      PRISM_BY_DOUBLE(acos)
      PRISM_BY_DOUBLE(atan)
      PRISM_BY_DOUBLE(atan2)
      PRISM_BY_DOUBLE(asinh)
      PRISM_BY_DOUBLE(acosh)
      PRISM_BY_DOUBLE(atanh)
    default: return nullptr;
  }
#undef PRISM_BY_TYPE
#undef PRISM_BY_DOUBLE
}

/// Sizes of complex numbers.
#define PRISM_SIZE_LOOP(name, instructions)                                                                  \
  template <typename R>                                                                                      \
  instructions int name(const pair<R>* a, pair<R>* to, int count) {                                          \
    int covered = 0;                                                                                         \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (int i = 0; i < count; ++i) covered += v_size::covers(a[i].re, a[i].im) ? 1 : 0;                     \
    if (covered < count) return count - covered;                                                             \
    PRISM_ARRAY_VECTORS                                                                                      \
    for (int i = 0; i < count; ++i) to[i] = {R(v_size::of(a[i].re, a[i].im)), R(0)};                         \
    return 0;                                                                                                \
  }
struct v_size {
  PRISM_ARRAY_INLINE static bool covers(double re, double im) {
    const double a = vector_functions::size_of_number(re), b = vector_functions::size_of_number(im);
    const bool not_large = (a <= 0x1p500) & (b <= 0x1p500), not_small = (a >= 0x1p-500) | (b >= 0x1p-500);
    return not_large & not_small;
  }
  PRISM_ARRAY_INLINE static double of(double re, double im) { return std::sqrt(re * re + im * im); }
};
PRISM_SIZE_LOOP(sizes_baseline, )
#ifdef __x86_64__
PRISM_SIZE_LOOP(sizes_v3, __attribute__((target("avx2"))))
PRISM_SIZE_LOOP(sizes_v4, __attribute__((target(PRISM_ARRAY_AVX512))))
#endif
#undef PRISM_SIZE_LOOP

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

template <typename R>
bool run_sizes(const pair<R>* a, pair<R>* to, int count) {
#ifdef __x86_64__
  if (__prism_host_isa >= 4) return sizes_v4(a, to, count) == 0;
  if (__prism_host_isa >= 3) return sizes_v3(a, to, count) == 0;
#endif
  return sizes_baseline(a, to, count) == 0;
}

template bool run_sizes<float>(const pair<float>*, pair<float>*, int);
template bool run_sizes<double>(const pair<double>*, pair<double>*, int);
template bool run_vector_function<float>(step_op, const float*, const float*, float*, int);
template bool run_vector_function<double>(step_op, const double*, const double*, double*, int);

} // namespace prism::array_detail
