// Bodies of function_loops.hpp for float, compiled with fused multiply-adds.
#include "compiler/builtins/branch_free_float.hpp"
#include "kernels/array/function_loop_bodies.hpp"

namespace prism::array_detail {

bool run_vector_function(step_op op, const float* a, const float* b, float* to, int count) {
  using namespace function_loop_bodies;
  PRISM_RUN_FUNCTIONS(branch_free::single, op, a, b, to, count)
}

} // namespace prism::array_detail
