// Bodies of function_loops.hpp for double and complex numbers.
#include "compiler/builtins/branch_free.hpp"
#include "kernels/array/function_loop_bodies.hpp"

#include <cmath>

namespace prism::array_detail {

namespace {

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
    const double a = branch_free::size_of_number(re), b = branch_free::size_of_number(im);
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

bool run_vector_function(step_op op, const double* a, const double* b, double* to, int count) {
  using namespace function_loop_bodies;
  PRISM_RUN_FUNCTIONS(branch_free, op, a, b, to, count)
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

} // namespace prism::array_detail
