// Profiles kernels: the sums of their times, by kernel and device. See docs/profiling.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// The figures of one kernel on one device. Only launches that completed without error count.
struct kernel_profile {
  std::string kernel;
  sycl::device device;
  std::uint64_t calls = 0;
  std::uint64_t timed = 0; // those of them on queues with profiling; the members below are for these calls
  std::chrono::duration<double> total{}, shortest{}, longest{}; // on the device
  /// Operations and bytes of global memory, from the compiler's counts for one work-item. A loop whose trip
  /// count the compiler does not know counts as prism::assumed_trips iterations. 0: the kernel's file has no
  /// counts.
  double flops = 0, bytes = 0;
  /// The least time that the roofline model of describe() allows, divided by the measured time: from 0 to
  /// about 1. The rates of the model are measured if prism-info --bench was run, otherwise estimated. Empty
  /// if a rate is unknown.
  std::optional<double> share_of_peak;
  bool estimated_peak = false; // share_of_peak uses estimated rates
};

/// Profiles kernels during its lifetime. Commands of queues that are created meanwhile are timed; launches on
/// older queues are only counted. Several objects that exist at the same time share their sums, which begin
/// with the first object. Thread-safe. With `PRISM_PROFILE=1` the process prints text() for its whole run at
/// its end.
class profile {
public:
  profile();
  ~profile();
  profile(const profile&) = delete;
  profile& operator=(const profile&) = delete;

  /// Returns the figures so far, sorted by descending time. Does not wait for running kernels.
  std::vector<kernel_profile> kernels() const;
  /// Returns kernels() as a table.
  std::string text() const;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
