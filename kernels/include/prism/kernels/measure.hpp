// What a device reaches, measured: bandwidths, rates, launch latency, transfers.
#pragma once

#include <prism/devices.hpp>
#include <sycl/sycl.hpp>

namespace prism::kernels {

/// The description of the device with measured figures; takes about a second. What is not measured (types
/// that are scaled from measured ones; building, when this process or a cache had built before) stays in
/// `estimated`. Does not keep them: keep_measurements().
device_description measure_rates(const sycl::device& device);

} // namespace prism::kernels
