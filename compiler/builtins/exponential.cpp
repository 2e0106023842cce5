// Definitions of exponential.hpp's functions. Errors stay below 2 units; SYCL allows 3 (exp...), 4 (sinh,
// cosh) and 5 (tanh).
#include "compiler/builtins/exponential.hpp"

PRISM_DEFINE_1(exp, exp)
PRISM_DEFINE_1(exp2, exp2)
PRISM_DEFINE_1(exp10, exp10)
PRISM_DEFINE_1(expm1, expm1)
PRISM_DEFINE_1(sinh, sinh)
PRISM_DEFINE_1(cosh, cosh)
PRISM_DEFINE_1(tanh, tanh)
