// Where the time of a program's kernels goes: sums by kernel and device. See docs/tracing.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <sycl/device.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prism {

/// Of one kernel on one device; what is complete and succeeded.
struct kernel_profile {
  std::string kernel;
  sycl::device device;
  std::uint64_t calls = 0;
  std::uint64_t timed = 0; // of them, on queues that measure; what follows is of those
  std::chrono::duration<double> total{}, shortest{}, longest{}; // on the device
  /// Operations and bytes of global memory, by the compiler's counts of one work-item; loops whose length it
  /// does not know count as prism::assumed_trips. 0: the kernel's file has no counts.
  double flops = 0, bytes = 0;
  /// What the device's description allows divided by what was taken, from 0 to about 1: the roofline of
  /// describe(), measured where prism-info --bench was run. Empty where a rate is unknown.
  std::optional<double> share_of_peak;
  bool estimated_peak = false; // nobody measured the rates that share_of_peak rests on
};

/// Measures while it lives: queues made meanwhile take the times of their commands, launches on older queues
/// are counted. Several that live at one time share their sums, which begin with the first. Thread-safe.
/// `PRISM_PROFILE=1` prints text() of the whole process at its end.
class profile {
public:
  profile();
  ~profile();
  profile(const profile&) = delete;
  profile& operator=(const profile&) = delete;

  /// So far, most time first. Waits for nothing.
  std::vector<kernel_profile> kernels() const;
  /// kernels() as a table for people.
  std::string text() const;
};

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
