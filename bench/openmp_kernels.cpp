// The workload in plain C++ with OpenMP, as one would write it by hand for a CPU with the same algorithm.
#include "bench/workload.hpp"

#include <cmath>

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

class openmp_set final : public kernel_set {
public:
  explicit openmp_set(const workload& work)
      : m_work(work), m_y(work.y), m_product(n * n), m_acceleration(4 * workload::body_count), m_triad(work.x.size()) {}

  void run(kernel_id kernel) override {
    switch (kernel) {
    case kernel_id::axpy: return axpy(m_work.x.data(), m_y.data(), workload::a, m_y.size());
    case kernel_id::gemm: return gemm(m_work.left.data(), m_work.right.data(), m_product.data());
    case kernel_id::nbody: return nbody(m_work.bodies.data(), m_acceleration.data(), workload::body_count);
    case kernel_id::triad: return triad(m_work.x.data(), m_work.x2.data(), m_triad.data(), workload::a, m_triad.size());
    case kernel_id::reduce: m_sum = reduce(m_work.x.data(), m_work.x.size()); return;
    }
  }
  std::vector<float> result(kernel_id kernel) override {
    switch (kernel) {
    case kernel_id::axpy: return m_y;
    case kernel_id::gemm: return m_product;
    case kernel_id::nbody: return m_acceleration;
    case kernel_id::reduce: return {m_sum};
    case kernel_id::triad: return m_triad;
    }
    return {};
  }

private:
  const workload& m_work;
  std::vector<float> m_y, m_product, m_acceleration, m_triad;
  float m_sum = 0;
};

} // namespace

void openmp_axpy(const float* x, float* y, std::size_t count) { axpy(x, y, workload::a, count); }

std::unique_ptr<kernel_set> make_openmp_set(const workload& work) { return std::make_unique<openmp_set>(work); }

} // namespace bench
