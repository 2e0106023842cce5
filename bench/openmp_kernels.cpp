// The workload in plain C++ with OpenMP, written by hand for a CPU with the same algorithms.
#include "bench/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <omp.h>

namespace bench {

namespace {

constexpr std::size_t n = workload::matrix_size, tile = workload::tile;

void axpy(const float* x, float* y, float a, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) y[i] = a * x[i] + y[i];
}

void triad(const float* x, const float* y, float* z, float a, std::size_t count) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < count; ++i) z[i] = x[i] + a * y[i];
}

void gemm(const float* a, const float* b, float* c) {
#pragma omp parallel for collapse(2) schedule(static)
  for (std::size_t row = 0; row < n; row += tile) {
    for (std::size_t column = 0; column < n; column += tile) {
      float sum[tile][tile] = {};
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t y = 0; y < tile; ++y) {
          for (std::size_t x = 0; x < tile; ++x) sum[y][x] += a[(row + y) * n + k] * b[k * n + column + x];
        }
      }
      for (std::size_t y = 0; y < tile; ++y) {
        for (std::size_t x = 0; x < tile; ++x) c[(row + y) * n + column + x] = sum[y][x];
      }
    }
  }
}

void nbody(const float* bodies, float* acceleration, std::size_t count) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) {
    const float* here = bodies + 4 * i;
    float x = 0, y = 0, z = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const float* other = bodies + 4 * j;
      const float dx = other[0] - here[0], dy = other[1] - here[1], dz = other[2] - here[2];
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-2f);
      const float scale = other[3] * inverse * inverse * inverse;
      x += dx * scale;
      y += dy * scale;
      z += dz * scale;
    }
    acceleration[4 * i] = x;
    acceleration[4 * i + 1] = y;
    acceleration[4 * i + 2] = z;
    acceleration[4 * i + 3] = 0;
  }
}

float reduce(const float* x, std::size_t count) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < count; ++i) sum += x[i];
  return sum;
}

/// Computes each chunk's sum, the sums before each chunk, then the chunks: two passes over x, both parallel.
void scan(const float* x, float* out, std::size_t count) {
  constexpr std::size_t chunks = workload::reduce_groups, chunk = workload::chunk;
  float before[chunks + 1] = {};
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < chunks; ++c) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < chunk; ++i) sum += x[c * chunk + i];
    before[c + 1] = sum;
  }
  for (std::size_t c = 0; c < count / chunk; ++c) before[c + 1] += before[c];
#pragma omp parallel for schedule(static)
  for (std::size_t c = 0; c < chunks; ++c) {
    float sum = before[c];
    for (std::size_t i = c * chunk; i < (c + 1) * chunk; ++i) out[i] = sum += x[i];
  }
}

void stencil(const float* in, float* out) {
  constexpr std::size_t side = workload::field_side;
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < side; ++i) {
    const float* row = in + i * side;
    float* to = out + i * side;
    if (i == 0 || i == side - 1) {
      std::memcpy(to, row, side * sizeof(float));
      continue;
    }
    to[0] = row[0];
#pragma omp simd
    for (std::size_t j = 1; j < side - 1; ++j)
      to[j] = 0.25f * (row[j - side] + row[j + side] + row[j - 1] + row[j + 1]);
    to[side - 1] = row[side - 1];
  }
}

/// Each thread has its own counts; they are added at the end.
void histogram(const float* x, float* counts, std::size_t count) {
  std::uint32_t total[workload::bins] = {};
#pragma omp parallel for schedule(static) reduction(+ : total[ : workload::bins])
  for (std::size_t i = 0; i < count; ++i) {
    ++total[std::min(std::uint32_t((x[i] + 0.5f) * float(workload::bins)),
                     std::uint32_t(workload::bins - 1))];
  }
  for (std::size_t b = 0; b < workload::bins; ++b) counts[b] = float(total[b]);
}

/// Stockham's FFT with radix 2, one signal after the other; real and imaginary parts are separate for the
/// vector units.
void fft(const float* in, const float* turns, float* out) {
  constexpr std::size_t points = workload::fft_points, half = points / 2;
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < workload::fft_count; ++s) {
    float real[2][points], imaginary[2][points];
    for (std::size_t i = 0; i < points; ++i) {
      real[0][i] = in[2 * (s * points + i)];
      imaginary[0][i] = in[2 * (s * points + i) + 1];
    }
    int from = 0;
    for (std::size_t m = 1; m < points; m *= 2, from = 1 - from) {
      const float *ar = real[from], *ai = imaginary[from], *br = ar + half, *bi = ai + half;
      float *tr = real[1 - from], *ti = imaginary[1 - from];
      for (std::size_t first = 0; first < half; first += m) {
        const float wr = turns[2 * first], wi = turns[2 * first + 1];
#pragma omp simd
        for (std::size_t t = first; t < first + m; ++t) {
          const float dr = ar[t] - br[t], di = ai[t] - bi[t];
          tr[t + first] = ar[t] + br[t];
          ti[t + first] = ai[t] + bi[t];
          tr[t + first + m] = wr * dr - wi * di;
          ti[t + first + m] = wr * di + wi * dr;
        }
      }
    }
    for (std::size_t i = 0; i < points; ++i) {
      out[2 * (s * points + i)] = real[from][i];
      out[2 * (s * points + i) + 1] = imaginary[from][i];
    }
  }
}

class openmp_set final : public kernel_set {
public:
  explicit openmp_set(const workload& work) : m_work(work) {
    for (kernel_id kernel : all_kernels) m_out[std::size_t(kernel)].resize(workload::output_size(kernel));
    m_out[std::size_t(kernel_id::axpy)] = work.y;
    m_out[std::size_t(kernel_id::reduce)].resize(1);
    m_out[std::size_t(kernel_id::histogram)].resize(workload::bins);
  }

  void start(kernel_id kernel) override {
    float* const out = m_out[std::size_t(kernel)].data();
    const float* const x = m_work.x.data();
    constexpr std::size_t size = workload::vector_size;
    switch (kernel) {
      case kernel_id::axpy: return axpy(x, out, workload::a, size);
      case kernel_id::fft: return fft(x, m_work.turns.data(), out);
      case kernel_id::gemm: return gemm(m_work.left.data(), m_work.right.data(), out);
      case kernel_id::histogram: return histogram(x, out, size);
      case kernel_id::nbody: return nbody(m_work.bodies.data(), out, workload::body_count);
      case kernel_id::reduce: out[0] = reduce(x, size); return;
      case kernel_id::scan: return scan(x, out, size);
      case kernel_id::stencil: return stencil(x, out);
      case kernel_id::triad: return triad(x, m_work.x2.data(), out, workload::a, size);
    }
  }
  void wait() override {}
  std::vector<float> result(kernel_id kernel) override { return m_out[std::size_t(kernel)]; }

private:
  const workload& m_work;
  std::array<std::vector<float>, all_kernels.size()> m_out;
};

} // namespace

void openmp_axpy(const float* x, float* y, std::size_t count) { axpy(x, y, workload::a, count); }

double openmp_start() {
  const double begin = omp_get_wtime();
  double first = begin + 1;
#pragma omp parallel reduction(min : first)
  first = omp_get_wtime();
  return first - begin;
}

std::unique_ptr<kernel_set> make_openmp_set(const workload& work) {
  return std::make_unique<openmp_set>(work);
}

} // namespace bench
