// Mathematical functions for loops over work-items that become vectors: __prism_lane_<libm name>. Results are
// those of branch_free.hpp, branch_free_float.hpp and branch_free_error.hpp. For arguments that these do not
// cover, the function of the mathematical library is called, in a branch that is rarely taken.
//
// Products and sums are not fused, so that a function has the same bits on all processors, in a vector and
// alone.
#if defined(__clang__)
#pragma clang fp contract(off)
#endif // other compilers: -ffp-contract=off

#include "compiler/builtins/branch_free_error.hpp"

#define PRISM_LANE(NAME, T, FUNCTION, RARE)                                                                  \
  extern "C" __attribute__((const)) T RARE(T);                                                               \
  extern "C" T __prism_lane_##NAME(T x) {                                                                    \
    const T found = T(prism::branch_free::FUNCTION::of(x));                                                  \
    return __builtin_expect(prism::branch_free::FUNCTION::covers(x), true) ? found : RARE(x);                \
  }
#define PRISM_LANE_1(NAME)                                                                                   \
  PRISM_LANE(NAME, double, NAME, NAME)                                                                       \
  PRISM_LANE(NAME##f, float, single::NAME, NAME##f)
// kernel_abi.hpp has functions for arguments of any size.
#define PRISM_LANE_ANGLE(NAME)                                                                               \
  PRISM_LANE(NAME, double, NAME, __prism_exact_##NAME)                                                       \
  PRISM_LANE(exact_##NAME, double, NAME, __prism_exact_##NAME)                                               \
  PRISM_LANE(NAME##f, float, single::NAME, NAME##f)

#define PRISM_LANE_OF_TWO(NAME, T, FUNCTION)                                                                 \
  extern "C" __attribute__((const)) T NAME(T, T);                                                            \
  extern "C" T __prism_lane_##NAME(T x, T y) {                                                               \
    const T found = T(prism::branch_free::FUNCTION::of(x, y));                                               \
    return __builtin_expect(prism::branch_free::FUNCTION::covers(x, y), true) ? found : NAME(x, y);          \
  }
#define PRISM_LANE_2(NAME, FUNCTION)                                                                         \
  PRISM_LANE_OF_TWO(NAME, double, FUNCTION)                                                                  \
  PRISM_LANE_OF_TWO(NAME##f, float, single::FUNCTION)

PRISM_LANE_1(exp)
PRISM_LANE_1(exp2)
PRISM_LANE_1(exp10)
PRISM_LANE_1(expm1)
PRISM_LANE_1(log)
PRISM_LANE_1(log2)
PRISM_LANE_1(log10)
PRISM_LANE_1(log1p)
PRISM_LANE_ANGLE(sin)
PRISM_LANE_ANGLE(cos)
PRISM_LANE_ANGLE(tan)
PRISM_LANE_1(asin)
PRISM_LANE_1(acos)
PRISM_LANE_1(atan)
PRISM_LANE_1(sinh)
PRISM_LANE_1(cosh)
PRISM_LANE_1(tanh)
PRISM_LANE_1(asinh)
PRISM_LANE_1(acosh)
PRISM_LANE_1(atanh)
PRISM_LANE_1(cbrt)
PRISM_LANE_1(erf)
PRISM_LANE_1(erfc)
PRISM_LANE_2(pow, power)
PRISM_LANE_2(atan2, atan2)
PRISM_LANE_2(hypot, hypot)

// Without calls, for drivers whose compilers make no vectors of loops with calls.
#define PRISM_LANE_WITHOUT_CALL(NAME)                                                                        \
  extern "C" float __prism_any_lane_##NAME##f(float x) {                                                     \
    return float(prism::branch_free::single::any_##NAME::of(x));                                             \
  }
PRISM_LANE_WITHOUT_CALL(sin)
PRISM_LANE_WITHOUT_CALL(cos)
PRISM_LANE_WITHOUT_CALL(tan)
