#include "bench/workload.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

namespace bench {

const char* name_of(kernel_id kernel) {
  constexpr const char* names[] = {"axpy",   "fft",  "gemm",    "histogram", "nbody",
                                   "reduce", "scan", "stencil", "triad"};
  return names[std::size_t(kernel)];
}

namespace {

std::vector<float> noise(std::size_t count,
                         unsigned seed) { // values in -0.5 .. 0.5 from a linear congruential generator
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
      for (std::size_t j = 0; j < n; ++j)
        sum[i * n + j] += double(work.left[i * n + k]) * work.right[k * n + j];
  return {sum.begin(), sum.end()};
}

std::vector<float> accelerations(const workload& work) {
  constexpr std::size_t n = workload::body_count;
  std::vector<float> out(4 * n);
  for (std::size_t i = 0; i < n; ++i) {
    double sum[3] = {0, 0, 0};
    for (std::size_t j = 0; j < n; ++j) {
      double d[3], r2 = 1e-2;
      for (int c = 0; c < 3; ++c)
        d[c] = double(work.bodies[4 * j + c]) - work.bodies[4 * i + c], r2 += d[c] * d[c];
      const double scale = work.bodies[4 * j + 3] / (r2 * std::sqrt(r2));
      for (int c = 0; c < 3; ++c) sum[c] += d[c] * scale;
    }
    for (int c = 0; c < 3; ++c) out[4 * i + c] = float(sum[c]);
  }
  return out;
}

constexpr double pi = 3.14159265358979323846;

/// Cooley and Tukey's recursion in double: another order of stages than in the kernels.
std::vector<std::complex<double>> transformed(const std::vector<std::complex<double>>& signal) {
  const std::size_t n = signal.size();
  if (n == 1) return signal;
  std::vector<std::complex<double>> half[2], out(n);
  for (std::size_t i = 0; i < n; ++i) half[i % 2].push_back(signal[i]);
  const auto even = transformed(half[0]), odd = transformed(half[1]);
  for (std::size_t i = 0; i < n / 2; ++i) {
    const auto turned = std::polar(1.0, -2 * pi * double(i) / double(n)) * odd[i];
    out[i] = even[i] + turned;
    out[i + n / 2] = even[i] - turned;
  }
  return out;
}

std::vector<float> spectra(const workload& work) {
  std::vector<float> out;
  out.reserve(workload::vector_size);
  for (std::size_t s = 0; s < workload::fft_count; ++s) {
    std::vector<std::complex<double>> signal(workload::fft_points);
    for (std::size_t i = 0; i < workload::fft_points; ++i) {
      const float* here = &work.x[2 * (s * workload::fft_points + i)];
      signal[i] = {here[0], here[1]};
    }
    for (const auto& value : transformed(signal))
      out.insert(out.end(), {float(value.real()), float(value.imag())});
  }
  return out;
}

std::vector<float> counts(const workload& work) {
  std::vector<float> out(workload::bins);
  for (float v : work.x) ++out[std::min(std::size_t((v + 0.5f) * float(workload::bins)), workload::bins - 1)];
  return out;
}

std::vector<float> running_sums(const workload& work) {
  std::vector<float> out;
  out.reserve(work.x.size());
  double sum = 0;
  for (float v : work.x) out.push_back(float(sum += v));
  return out;
}

/// The mean of the four neighbours; the border stays unchanged.
std::vector<float> smoothed(const workload& work) {
  constexpr std::size_t n = workload::field_side;
  std::vector<float> out = work.x;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    for (std::size_t j = 1; j + 1 < n; ++j) {
      const float* here = &work.x[i * n + j];
      out[i * n + j] = float((double(here[-std::ptrdiff_t(n)]) + here[n] + here[-1] + here[1]) / 4);
    }
  }
  return out;
}

} // namespace

std::vector<float> result_of(kernel_id kernel, std::vector<float> written) {
  if (kernel == kernel_id::reduce) return {std::accumulate(written.begin(), written.end(), 0.0f)};
  if (kernel == kernel_id::histogram) {
    for (std::size_t i = workload::bins; i < written.size(); ++i) written[i % workload::bins] += written[i];
    written.resize(workload::bins);
  }
  return written;
}

workload::workload()
    : x(noise(vector_size, 1)), y(noise(vector_size, 2)), x2(noise(vector_size, 6)),
      left(noise(matrix_size * matrix_size, 3)), right(noise(matrix_size * matrix_size, 4)),
      bodies(noise(4 * body_count, 5)) {
  for (std::size_t i = 0; i < body_count; ++i) bodies[4 * i + 3] += 0.6f; // masses are positive
  for (std::size_t i = 0; i < fft_points / 2; ++i) {
    const double angle = 2 * pi * double(i) / double(fft_points);
    turns.insert(turns.end(), {float(std::cos(angle)), float(-std::sin(angle))});
  }
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
  expected[std::size_t(kernel_id::fft)] = spectra(*this);
  expected[std::size_t(kernel_id::gemm)] = product(*this);
  expected[std::size_t(kernel_id::histogram)] = counts(*this);
  expected[std::size_t(kernel_id::nbody)] = accelerations(*this);
  expected[std::size_t(kernel_id::reduce)] = {float(total)};
  expected[std::size_t(kernel_id::scan)] = running_sums(*this);
  expected[std::size_t(kernel_id::stencil)] = smoothed(*this);
}

std::string difference(const workload& work, kernel_id kernel, const std::vector<float>& result) {
  const std::vector<float>& expected = work.expected[std::size_t(kernel)];
  if (result.size() != expected.size())
    return std::string(name_of(kernel)) + " gave another number of results";
  double largest = 0; // rounding is relative to the largest value, since sums cancel
  for (float v : expected) largest = std::fmax(largest, std::fabs(v));
  // Compares sums of 4 million numbers of size 0.5 relative to their partial sums, since the total is near 0.
  if (kernel == kernel_id::reduce || kernel == kernel_id::scan)
    largest = std::fmax(largest, 0.5 * std::sqrt(double(workload::vector_size)));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double allowed = kernel == kernel_id::histogram ? 0 : 1e-4 * largest;
    if (!(std::fabs(double(result[i]) - expected[i]) <= allowed)) { // also true for NaN
      return std::string(name_of(kernel)) + ": element " + std::to_string(i) + " is " +
             std::to_string(result[i]) + ", expected " + std::to_string(expected[i]);
    }
  }
  return "";
}

} // namespace bench
