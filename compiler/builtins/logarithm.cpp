// Definitions of logarithm.hpp's functions. Errors stay below 2 units; SYCL allows 3 (log...), 2 (log1p) and
// 4 to 5 (the inverse hyperbolic functions).
#include "compiler/builtins/logarithm.hpp"

PRISM_DEFINE_1(log, log)
PRISM_DEFINE_1(log2, log2)
PRISM_DEFINE_1(log10, log10)
PRISM_DEFINE_1(log1p, log1p)
PRISM_DEFINE_1(asinh, asinh)
PRISM_DEFINE_1(acosh, acosh)
PRISM_DEFINE_1(atanh, atanh)
