// The goal of a device selection (execution_policy) and the work to do (workload), as plain data. Neither
// refers to devices of this process.
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
  latency,    // lowest upper end of the interval of the predicted time
  throughput, // most items a second for a sequence of jobs, whose transfers and computation overlap
  cost,       // lowest price of the job: price per hour times time
  energy,     // least energy of the job: watts times time; devices of unknown power come last
};

/// Constraints exclude devices; preferences order the remaining ones. Each entry of require, prefer and
/// forbid is either a requirement ("fp64", "subgroups>=2", "memory>=4GiB", "compute_units>=8") or names
/// devices: by type ("gpu"), by backend ("opencl", "opencl:cpu", "vulkan:0"), or by words of vendor and name
/// ("nvidia.h100", "name=Portable").
struct execution_policy {
  prism::priority priority = prism::priority::speed;
  std::optional<std::chrono::duration<double>> max_latency;
  std::optional<double> min_throughput; // items a second
  std::optional<double> max_cost_per_hour;
  std::optional<double> max_cost_per_job;
  std::optional<double> max_power;  // watts
  std::vector<std::string> require; // the device must match all entries
  std::vector<std::string> prefer; // devices that match an earlier entry rank before those that match a later
                                   // one, and these before the rest
  std::vector<std::string> forbid; // the device must match no entry
  bool only_preferred = false;     // excludes devices that match no entry of `prefer`
  std::optional<double> max_temperature; // degrees Celsius, as read when the policy is applied to devices

  /// Makes a policy a SYCL device selector: ranks the device among all devices for typical_workload(). Throws
  /// no_candidate.
  int operator()(const sycl::device& candidate) const;
};

enum class access_pattern { sequential, strided, random };

/// One job. Counts are of the whole job.
struct workload {
  std::string operation;          // "gemm", "smith-waterman"; empty: any
  std::string data_type = "fp32"; // the type of the operands of the flops
  double flops = 0;
  double bytes = 0; // read and written by the device
  double bytes_to_move =
      0;            // between the host and a device with its own memory, for data that is not there yet
  double items = 1; // results, for throughput
  double footprint_bytes = 0; // memory needed at once; 0: not stated
  access_pattern access = access_pattern::sequential;
  double divergence = 0; // 0: all work-items take the same branches; 1: neighbours never do
  double builds = 0;     // number of kernels that must be built first; 0: they are built, or in the cache
  std::string data_on;   // name of the device that holds the data already; empty: the host

  double intensity() const noexcept { return bytes > 0 ? flops / bytes : 0; } // flops a byte
};

/// The assumed trip count of a loop whose trip count the compiler does not know. Pass a better value if you
/// have one.
inline constexpr double assumed_trips = 16;

/// Parses "priority=cost; max_latency=500ms; max_cost_per_hour=10; require=fp64,memory>=4GiB; prefer=gpu;
/// forbid=vulkan", the syntax of PRISM_POLICY and of prism-info --select. Throws sycl::exception (invalid)
/// with a message that shows the position of the error.
execution_policy parse_policy(const std::string& text);
/// Writes the policy in that syntax; parse_policy reads it back unchanged.
std::string to_text(const execution_policy& policy);

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
