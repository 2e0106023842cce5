// Going on elsewhere when a device fails: a list of devices, tried in order, for failures of the classes that
// another device may not have. Never silent: each step is logged, counted and in the report. Plain SYCL has
// none of this: an error there is an exception. A wrong use of the API and an error of the program itself are
// never hidden.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/scope.hpp>
#include <sycl/queue.hpp>

#include <cstdint>
#include <functional>

namespace prism {

enum class failure_class {
  device_lost, // the driver gave the device up
  out_of_memory,
  unsupported, // a feature or kernel that the device has not, or that its driver does not build
  other,       // the program's own
};

/// By the error's code, and for a lost device by the driver's own code in the message.
failure_class classify(const std::exception& failure) noexcept;
const char* to_text(failure_class what) noexcept;

struct recovery_step {
  std::string device;
  failure_class why = failure_class::other;
  std::string text; // of the error
};
struct recovery_report {
  std::string device; // on which the work succeeded
  std::vector<recovery_step> steps;
};

/// Runs `work` on a queue of each device in order until it succeeds, waits for what it submitted, and
/// collects asynchronous errors. `work` may run several times, so it starts from its inputs each time. A
/// failure of class `other`, and the last device's failure, are thrown as they are. Throws sycl::exception
/// (invalid) for an empty list.
recovery_report run_with_fallback(const std::vector<sycl::device>& devices,
                                  const std::function<void(sycl::queue&)>& work);
/// The devices that fit the policy, best first.
recovery_report run_with_fallback(const execution_policy& policy, const workload& job,
                                  const std::function<void(sycl::queue&)>& work);
/// {"vulkan:gpu", "opencl:cpu", "host"}: names that are not there are passed over; throws no_candidate when
/// none is.
recovery_report run_with_fallback(const std::vector<std::string>& names,
                                  const std::function<void(sycl::queue&)>& work);

/// Fallbacks of this process so far.
std::uint64_t fallback_count() noexcept;

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
