// The numbers of a simulation: float on every device, double where the device has it.
#pragma once

#include <sycl/sycl.hpp>

#include <type_traits>

namespace physics {

/// Throws sycl::exception (feature_not_supported) if Real is double and the device has none.
template <typename Real>
void require_real(const sycl::queue& queue) {
  const sycl::device device = queue.get_device();
  if (std::is_same_v<Real, double> && !device.has(sycl::aspect::fp64))
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          device.get_info<sycl::info::device::name>() +
                              " has no double precision; use float, or another device");
}

} // namespace physics
