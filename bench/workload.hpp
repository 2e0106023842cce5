// The nine algorithms that every side runs, their data, and the expected results.
//
// A kernel_set is one implementation on one device: it owns copies of the workload's data, launches a kernel
// once or many times in order, waits, and returns what it wrote. axpy adds to y in every launch, so results
// are compared after the first.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench {

enum class kernel_id { axpy, fft, gemm, histogram, nbody, reduce, scan, stencil, triad };
inline constexpr std::array all_kernels{kernel_id::axpy,      kernel_id::fft,     kernel_id::gemm,
                                        kernel_id::histogram, kernel_id::nbody,   kernel_id::reduce,
                                        kernel_id::scan,      kernel_id::stencil, kernel_id::triad};
const char* name_of(kernel_id kernel);

struct workload {
  static constexpr std::size_t vector_size = 1 << 22, matrix_size = 512, body_count = 2048;
  static constexpr std::size_t group = 256, tile = 16,
                               reduce_groups = 64;                  // also of histogram and scan
  static constexpr std::size_t bins = 256;                          // of histogram, over [-0.5, 0.5)
  static constexpr std::size_t chunk = vector_size / reduce_groups; // of scan: elements of a group
  static constexpr std::size_t field_side = 2048;                   // of stencil: x as a square
  static constexpr std::size_t fft_points = 256, fft_group = fft_points / 2,
                               fft_count = vector_size / (2 * fft_points); // x as complex signals
  static constexpr float a = 0.25f;
  static_assert(field_side * field_side == vector_size);
  std::vector<float> x, y, x2;    // vector_size; x and x2 are only read
  std::vector<float> turns;       // fft_points: cos and -sin of i / fft_points of a turn, i < fft_points / 2
  std::vector<float> left, right; // matrix_size^2, row-major
  std::vector<float> bodies;      // 4 a body: x, y, z, mass
  /// The number of floats that a kernel writes: reduce one sum for each group, histogram the counts of each
  /// group in turn.
  static constexpr std::size_t output_size(kernel_id kernel) {
    switch (kernel) {
      case kernel_id::gemm: return matrix_size * matrix_size;
      case kernel_id::nbody: return 4 * body_count;
      case kernel_id::reduce: return reduce_groups;
      case kernel_id::histogram: return reduce_groups * bins;
      default: return vector_size;
    }
  }
  /// The expected result of one run of each kernel, computed in double. reduce: one number; histogram:
  /// `bins`.
  std::array<std::vector<float>, all_kernels.size()> expected;
  workload();
};

class kernel_set {
public:
  virtual ~kernel_set() = default;
  /// Launches the kernel after those before; one that computes at once has completed then.
  virtual void start(kernel_id kernel) = 0;
  virtual void wait() = 0; // for all that was started
  void run(kernel_id kernel, std::size_t launches = 1) {
    for (std::size_t i = 0; i < launches; ++i) start(kernel);
    wait();
  }
  virtual std::vector<float> result(kernel_id kernel) = 0;
};

/// The result of a kernel, made from what it wrote on a device: adds the groups' parts of reduce and
/// histogram.
std::vector<float> result_of(kernel_id kernel, std::vector<float> written);

/// Submits tiny axpy launches one by one without waiting.
class submitter {
public:
  virtual ~submitter() = default;
  virtual void submit(std::size_t count) = 0;
  virtual void finish() = 0;
};

/// Empty if the result agrees with the workload's; else the difference.
std::string difference(const workload& work, kernel_id kernel, const std::vector<float>& result);

/// A parallel loop over `count` floats; all threads of a team wait at its end.
void openmp_axpy(const float* x, float* y, std::size_t count);
/// Seconds from the start of a parallel region until its first thread runs.
double openmp_start();
/// The same algorithms as plain C++ with OpenMP, all cores.
std::unique_ptr<kernel_set> make_openmp_set(const workload& work);

} // namespace bench
