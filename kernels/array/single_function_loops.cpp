// Bodies of function_loops.hpp for float, compiled with fused multiply-adds.
#include "kernels/array/function_loop_bodies.hpp"
#include "kernels/array/single_functions.hpp"

namespace prism::array_detail {

bool run_vector_function(step_op op, const float* a, const float* b, float* to, int count) {
  using namespace function_loop_bodies;
  PRISM_RUN_FUNCTIONS(vector_functions::single, op, a, b, to, count)
}

} // namespace prism::array_detail
