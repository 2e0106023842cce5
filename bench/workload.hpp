// The five algorithms that every side runs, their data, and what they must compute.
//
// A kernel_set is one implementation on one device: it owns copies of the workload's data, runs a kernel to its end and
// gives back what it wrote. axpy adds to y at every run, so results are compared after the first.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace bench {

enum class kernel_id { axpy, gemm, nbody, reduce, triad };
inline constexpr std::array all_kernels{kernel_id::axpy, kernel_id::gemm, kernel_id::nbody, kernel_id::reduce, kernel_id::triad};
const char* name_of(kernel_id kernel);

struct workload {
  static constexpr std::size_t vector_size = 1 << 22, matrix_size = 256, body_count = 2048;
  static constexpr std::size_t group = 256, tile = 16, reduce_groups = 64;
  static constexpr float a = 0.25f;
  std::vector<float> x, y, x2;         // vector_size; x and x2 are only read
  std::vector<float> left, right;      // matrix_size^2, row-major
  std::vector<float> bodies;           // 4 a body: x, y, z, mass
  /// What a kernel must give after one run, computed in double. reduce: one number.
  std::array<std::vector<float>, all_kernels.size()> expected;
  workload();
};

class kernel_set {
public:
  virtual ~kernel_set() = default;
  virtual void run(kernel_id kernel) = 0; // waits for the end
  virtual std::vector<float> result(kernel_id kernel) = 0;
};

/// The result of a kernel on a device: `get(count)` gives that many numbers of the memory that it wrote to, which for
/// reduce are sums of parts.
template <typename Get>
std::vector<float> result_of(kernel_id kernel, Get get) {
  switch (kernel) {
  case kernel_id::axpy: case kernel_id::triad: return get(workload::vector_size);
  case kernel_id::gemm: return get(workload::matrix_size * workload::matrix_size);
  case kernel_id::nbody: return get(4 * workload::body_count);
  case kernel_id::reduce: {
    const std::vector<float> parts = get(workload::reduce_groups);
    return {std::accumulate(parts.begin(), parts.end(), 0.0f)};
  }
  }
  return {};
}

/// Submits tiny axpy launches one by one without waiting.
class submitter {
public:
  virtual ~submitter() = default;
  virtual void submit(std::size_t count) = 0;
  virtual void finish() = 0;
};

/// Empty when the result agrees with the workload's, else what differs.
std::string difference(const workload& work, kernel_id kernel, const std::vector<float>& result);

/// A parallel loop over `count` floats, all of one team's threads waiting at its end.
void openmp_axpy(const float* x, float* y, std::size_t count);
/// The same algorithms as plain C++ with OpenMP, all cores.
std::unique_ptr<kernel_set> make_openmp_set(const workload& work);

} // namespace bench
