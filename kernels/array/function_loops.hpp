// Mathematical functions over chunks of real numbers on the host device, compiled for each instruction set.
#pragma once

#include "kernels/array/program.hpp"

namespace prism::array_detail {

/// to[i] = op(a[i], b[i]), where `to` may be `a` or `b`; at most 512 elements. An element's value does not
/// depend on its neighbours. False, and nothing is done, if compiler/builtins/branch_free.hpp has no such
/// function.
bool run_vector_function(step_op op, const double* a, const double* b, double* to, int count);
bool run_vector_function(step_op op, const float* a, const float* b, float* to, int count);

/// The sizes of complex numbers, as complex numbers. False, and nothing is done, if a square of some may be
/// too large or too small.
template <typename R>
bool run_sizes(const pair<R>* a, pair<R>* to, int count);

} // namespace prism::array_detail
