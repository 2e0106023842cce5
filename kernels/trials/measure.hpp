// Measures a device: bandwidths, rates, launch latency, transfers.
#pragma once

#include <prism/devices.hpp>
#include <sycl/sycl.hpp>

namespace prism::trials {

/// The description of the device with measured figures; takes about a second. Figures that are not measured
/// stay listed in `estimated`: types whose rates are scaled from measured ones, and the build time if this
/// process or a cache had built the kernel before. Does not store the figures: use keep_measurements().
device_description measure_rates(const sycl::device& device);

} // namespace prism::trials
