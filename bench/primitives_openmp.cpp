#include "bench/primitives.hpp"

#include <vector>

#include <omp.h>

namespace bench {

void openmp_threads(unsigned threads) { omp_set_num_threads(int(threads)); }

float openmp_sum(const float* x, std::size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

void openmp_inclusive_scan(const float* x, float* sums, std::size_t n) {
  std::vector<float> totals(std::size_t(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    const auto threads = std::size_t(omp_get_num_threads()), thread = std::size_t(omp_get_thread_num());
    const std::size_t begin = n * thread / threads, end = n * (thread + 1) / threads;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = begin; i < end; ++i) sum += x[i];
    totals[thread + 1] = sum;
#pragma omp barrier
    sum = 0;
    for (std::size_t t = 0; t <= thread; ++t) sum += totals[t];
    for (std::size_t i = begin; i < end; ++i) sums[i] = sum += x[i];
  }
}

void openmp_copy(const float* x, float* y, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i];
}

void openmp_sparse_product(std::size_t rows, const std::int32_t* offsets, const std::int32_t* columns,
                           const float* values, const float* x, float* y) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (std::int32_t e = offsets[i]; e < offsets[i + 1]; ++e) sum += values[e] * x[columns[e]];
    y[i] = sum;
  }
}

} // namespace bench
