// Wrappers around devices, for tests and for machines that are not there: mask, trace, fault and described.
// See docs/selection.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/devices.hpp>
#include <prism/selection.hpp>

#include <optional>

namespace prism {

/// "mask(fp64) opencl:fault(fail=3) trace(log.txt) host:described(fleet.yaml, A100 40GB)": around every
/// device, or those of one backend, the first innermost; besides PRISM_WRAP's, which are inside. Before the
/// first use of a device. Throws sycl::exception (invalid) that shows the place, or when it is too late.
void set_wrappers(const std::string& text);

/// What a described device did, by its own clock: nothing here depends on how fast this machine is.
struct simulated_usage {
  std::uint64_t kernels = 0, moved_bytes = 0;
  seconds busy{0};
  double cost = 0, energy_joules = 0;
};
/// Empty for a device that is not described.
std::optional<simulated_usage> usage_of(const sycl::device& device);
/// The host's clock in the simulation: the end of the latest work that was waited for, on any described
/// device.
seconds simulated_now();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
