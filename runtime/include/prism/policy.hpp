// What is wanted (execution_policy) and what is to be done (workload), as plain data. Both can be written
// down before there is any device.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
class device;
}
} // namespace sycl::_V1

namespace prism {

enum class priority {
  speed,      // least time from submission to result
  latency,    // least time to count on: the upper end of the prediction's interval
  throughput, // most items a second when jobs follow one another, so that moving and computing overlap
  cost,       // least price of the job: price per hour times time
  energy,     // least energy of the job: watts times time; devices of unknown power come last
};

/// A constraint excludes a device; a preference orders what is left. Each entry of require, prefer and forbid
/// is either a requirement ("fp64", "subgroups>=2", "memory>=4GiB", "compute_units>=8") or the devices meant:
/// a type ("gpu"), a backend ("opencl", "opencl:cpu", "vulkan:0"), or words of vendor and name
/// ("nvidia.h100", "name=Portable").
struct execution_policy {
  prism::priority priority = prism::priority::speed;
  std::optional<std::chrono::duration<double>> max_latency;
  std::optional<double> min_throughput; // items a second
  std::optional<double> max_cost_per_hour;
  std::optional<double> max_cost_per_job;
  std::optional<double> max_power;  // watts
  std::vector<std::string> require; // all of them
  std::vector<std::string>
      prefer; // a device of an earlier entry goes before all of later ones, and those before the rest
  std::vector<std::string> forbid; // any of them
  bool only_preferred = false;     // devices that `prefer` does not name are excluded

  /// A policy is a device selector: ranks among all devices for a workload nothing is known of. Throws
  /// no_candidate.
  int operator()(const sycl::device& candidate) const;
};

enum class access_pattern { sequential, strided, random };

/// One job. Counts are of the whole job.
struct workload {
  std::string operation;          // "gemm", "smith-waterman"; empty: any
  std::string data_type = "fp32"; // the type that the flops are in
  double flops = 0;
  double bytes = 0; // read and written by the device
  double bytes_to_move =
      0;            // between the host and a device with memory of its own, if the data is not there yet
  double items = 1; // results, for throughput
  double footprint_bytes = 0; // memory needed at once; 0: not stated
  access_pattern access = access_pattern::sequential;
  double divergence = 0; // 0: all work-items take the same way; 1: neighbours never do
  double builds = 0;     // kernels that have to be built first; 0: they are built, or in the cache
  std::string data_on;   // name of the device that holds the data already; empty: the host

  double intensity() const noexcept { return bytes > 0 ? flops / bytes : 0; } // flops a byte
};

/// What one loop whose length the compiler does not know is taken to run; say better where you can.
inline constexpr double assumed_trips = 16;

/// Reads "priority=cost; max_latency=500ms; max_cost_per_hour=10; require=fp64,memory>=4GiB; prefer=gpu;
/// forbid=vulkan", the form of PRISM_POLICY and of prism-info --select. Throws sycl::exception (invalid) that
/// shows the place.
execution_policy parse_policy(const std::string& text);
std::string to_text(const execution_policy& policy);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
