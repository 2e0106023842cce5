// Baselines of the primitives' rows, compiled by the C++ compiler of the build with OpenMP.
#pragma once

#include <cstddef>

namespace bench {

float openmp_sum(const float* x, std::size_t n);
/// Two passes: each thread sums its part, then writes it from what is before.
void openmp_inclusive_scan(const float* x, float* sums, std::size_t n);
/// y[i] = x[i]: what reading and writing memory takes.
void openmp_copy(const float* x, float* y, std::size_t n);

} // namespace bench
