// Wrappers around devices, for tests and for simulated machines: mask, trace, fault and described. See
// docs/describing-devices.md.
#pragma once

#include <sycl/detail/user_macros_hide.hpp>

#include <prism/devices.hpp>
#include <prism/selection.hpp>

#include <optional>

namespace prism {

/// Wraps all devices, or those of one backend: "mask(fp64) opencl:fault(fail=3) trace(log.txt)
/// host:described(fleet.yaml, A100 40GB)". The first wrapper is the innermost one; the wrappers of PRISM_WRAP
/// are inside of these. Call it before the first use of a device. Throws sycl::exception (invalid) for a text
/// that cannot be read, with the position of the error, and if a device was used already.
void set_wrappers(const std::string& text);

/// The usage of a described device in simulated time, which does not depend on the speed of this machine.
struct simulated_usage {
  std::uint64_t kernels = 0, moved_bytes = 0;
  seconds busy{0};
  double cost = 0, energy_joules = 0;
};
/// Empty for a device that is not described.
std::optional<simulated_usage> usage_of(const sycl::device& device);
/// Returns the simulated time of the host: the end of the latest command that was waited for, on any
/// described device.
seconds simulated_now();

} // namespace prism

#include <sycl/detail/user_macros_restore.hpp>
