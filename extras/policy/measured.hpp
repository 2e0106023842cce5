// What was measured on real devices: one description file a device and driver, in the folder of the caches.
// Descriptions take the rates from there instead of estimating them.
#pragma once

#include <prism/description.hpp>

#include <filesystem>

namespace prism::policy {

/// Which file has the measurements of a device under a driver.
std::filesystem::path measured_file(const std::filesystem::path& cache, const std::string& backend,
                                    const std::string& name, const std::string& driver);
/// Replaces the rates, bandwidths and latencies of `device` by what the file has; without a readable file of
/// this user alone nothing happens. A type that the device does not compute in is left out.
void apply_measured(device_description& device, const std::filesystem::path& file);
/// Replaces the file as a whole. Throws problem.
void write_measured(const device_description& device, const std::filesystem::path& file);

} // namespace prism::policy
