#include "bench/workload.hpp"

#include <cmath>

namespace bench {

const char* name_of(kernel_id kernel) {
  constexpr const char* names[] = {"axpy", "gemm", "nbody", "reduce", "triad"};
  return names[std::size_t(kernel)];
}

namespace {

std::vector<float> noise(std::size_t count, unsigned seed) { // -0.5 .. 0.5, a linear congruential generator
  std::vector<float> out(count);
  for (float& v : out) {
    seed = seed * 1664525u + 1013904223u;
    v = float(seed >> 8) / float(1 << 24) - 0.5f;
  }
  return out;
}

std::vector<float> product(const workload& work) {
  constexpr std::size_t n = workload::matrix_size;
  std::vector<double> sum(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j) sum[i * n + j] += double(work.left[i * n + k]) * work.right[k * n + j];
  return {sum.begin(), sum.end()};
}

std::vector<float> accelerations(const workload& work) {
  constexpr std::size_t n = workload::body_count;
  std::vector<float> out(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum[3] = {0, 0, 0};
    for (std::size_t j = 0; j < n; ++j) {
      double d[3], r2 = 1e-2;
      for (int c = 0; c < 3; ++c) d[c] = double(work.bodies[4 * j + c]) - work.bodies[4 * i + c], r2 += d[c] * d[c];
      const double scale = work.bodies[4 * j + 3] / (r2 * std::sqrt(r2));
      for (int c = 0; c < 3; ++c) sum[c] += d[c] * scale;
    }
    for (int c = 0; c < 3; ++c) out[4 * i + c] = float(sum[c]);
  }
  return out;
}

} // namespace

workload::workload()
    : x(noise(vector_size, 1)), y(noise(vector_size, 2)), x2(noise(vector_size, 6)), left(noise(matrix_size * matrix_size, 3)),
      right(noise(matrix_size * matrix_size, 4)), bodies(noise(4 * body_count, 5)) {
  for (std::size_t i = 0; i < body_count; ++i) bodies[4 * i + 3] += 0.6f; // masses are positive
  auto& axpy = expected[std::size_t(kernel_id::axpy)];
  axpy.resize(vector_size);
  auto& triad = expected[std::size_t(kernel_id::triad)];
  triad.resize(vector_size);
  double total = 0;
  for (std::size_t i = 0; i < vector_size; ++i) {
    axpy[i] = float(double(a) * x[i] + y[i]);
    triad[i] = float(x[i] + double(a) * x2[i]);
    total += x[i];
  }
  expected[std::size_t(kernel_id::gemm)] = product(*this);
  expected[std::size_t(kernel_id::nbody)] = accelerations(*this);
  expected[std::size_t(kernel_id::reduce)] = {float(total)};
}

std::string difference(const workload& work, kernel_id kernel, const std::vector<float>& result) {
  const std::vector<float>& expected = work.expected[std::size_t(kernel)];
  if (result.size() != expected.size()) return std::string(name_of(kernel)) + " gave another number of results";
  double largest = 0; // rounding is relative to the largest: sums cancel
  for (float v : expected) largest = std::fmax(largest, std::fabs(v));
  // Sums of 4 million numbers of size 0.5 whose total is near 0 are compared by the size of the partial sums.
  if (kernel == kernel_id::reduce) largest = std::fmax(largest, 0.5 * std::sqrt(double(workload::vector_size)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!(std::fabs(double(result[i]) - expected[i]) <= 1e-4 * largest)) { // also true for not-a-number
      return std::string(name_of(kernel)) + ": element " + std::to_string(i) + " is " + std::to_string(result[i]) +
             ", expected " + std::to_string(expected[i]);
    }
  }
  return "";
}

} // namespace bench
