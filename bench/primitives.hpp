// Baselines of the rows of primitives and of sparse matrices, compiled by the C++ compiler of the build with
// OpenMP.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

/// How many threads the next calls of the calling thread have.
void openmp_threads(unsigned threads);
float openmp_sum(const float* x, std::size_t n);
/// Two passes: each thread sums its part, then writes it from what is before.
void openmp_inclusive_scan(const float* x, float* sums, std::size_t n);
/// y[i] = x[i]: what reading and writing memory takes.
void openmp_copy(const float* x, float* y, std::size_t n);
/// y = A x for a CSR matrix.
void openmp_sparse_product(std::size_t rows, const std::int32_t* offsets, const std::int32_t* columns,
                           const float* values, const float* x, float* y);

} // namespace bench
