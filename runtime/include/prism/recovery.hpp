// Fallback to another device: runs work on the devices of a list, in order, until one succeeds. It handles
// failures that another device may not have. Each fallback is logged, counted and reported. Plain SYCL code
// does not fall back: errors there are exceptions. Errors of the program itself and wrong uses of the API are
// always thrown.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/scope.hpp>
#include <sycl/queue.hpp>

#include <cstdint>
#include <functional>

namespace prism {

enum class failure_class {
  device_lost, // the driver reports that the device is lost
  out_of_memory,
  unsupported, // the device lacks a feature or cannot run a kernel, or its driver cannot build it
  other,       // an error of the program
};

/// Classifies an exception by its error code; a lost device is recognised by the driver's code in the
/// message.
failure_class classify(const std::exception& failure) noexcept;
const char* to_text(failure_class what) noexcept;

struct recovery_step {
  std::string device;
  failure_class why = failure_class::other;
  std::string text; // of the error
};
struct recovery_report {
  std::string device; // the device on which the work succeeded
  std::vector<recovery_step> steps;
};

/// Runs `work` on a queue of each device in order until it succeeds. Waits for the commands that it submitted
/// and collects asynchronous errors. `work` may run several times, so it must start from its inputs each
/// time. A failure of class `other` and a failure of the last device are rethrown. Throws sycl::exception
/// (invalid) for an empty list.
recovery_report run_with_fallback(const std::vector<sycl::device>& devices,
                                  const std::function<void(sycl::queue&)>& work);
/// The same with the devices that fit the policy, best first.
recovery_report run_with_fallback(const execution_policy& policy, const workload& job,
                                  const std::function<void(sycl::queue&)>& work);
/// The same with named devices, such as {"vulkan:gpu", "opencl:cpu", "host"}. Names of devices that do not
/// exist are skipped. Throws no_candidate if none exists.
recovery_report run_with_fallback(const std::vector<std::string>& names,
                                  const std::function<void(sycl::queue&)>& work);

/// Returns the number of fallbacks of this process so far.
std::uint64_t fallback_count() noexcept;

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
