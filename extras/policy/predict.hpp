// The time of a workload on a described device: the roofline model (S. Williams, A. Waterman, D. Patterson,
// "Roofline: an insightful visual performance model for multicore architectures", CACM 52(4), 2009) with
// launch and transfer added:
//   launch + bytes_to_move / transfer + max(flops / peak, bytes / bandwidth of the level that holds them)
// Has two phases, so that a decision over prepared devices allocates no memory. Pure.
#pragma once

#include <prism/selection.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace prism::policy {

/// The largest allowed figure of a description.
inline constexpr double most_figure = 1e18;

/// Returns the index of a canonical data type in machine::seconds_per_flop. Unknown types share the last
/// index, which no device supports.
std::size_t data_type_index(std::string_view canonical);
inline constexpr std::size_t data_type_count = 9; // fp64 fp32 fp16 bf16 int8 int16 int32 int64, other

/// The figures of a description that prediction needs.
struct machine {
  struct level {
    double bytes, seconds_per_byte;
  };
  std::string name;
  std::array<double, data_type_count> seconds_per_flop{}; // 0: the device does not support the type
  std::vector<level> levels;                              // smallest first; only those with a known bandwidth
  double launch = 0, build = 0, seconds_per_moved_byte = 0, price_per_second = 0, watts = 0, memory = 0;
  bool lockstep = false; // divergent neighbours wait for each other (GPU)
};
machine machine_of(const device_description& device);

/// The missing figure because of which a time cannot be predicted.
enum class unknown { nothing, data_type, rate, bandwidth };

/// The figures of a workload that prediction needs, with the data type as an index.
struct job {
  const workload* what;
  std::size_t data_type;
};
/// Throws problem for negative or infinite counts, and for a divergence outside of 0 to 1.
job job_of(const workload& work);

struct timing {
  prediction predicted;
  unknown lacks = unknown::nothing; // if a figure is missing, predicted.total is infinite
};
timing predict_on(const machine& on, const job& work) noexcept;

/// The interval of a prediction without measurements, as factors. The roofline is a bound that real kernels
/// do not reach.
inline constexpr double unmeasured_lower = 0.5, unmeasured_upper = 4.0;

} // namespace prism::policy
