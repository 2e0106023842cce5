// Stores the measurements of real devices: one description file for each device and driver, in the cache
// folder. Descriptions use these rates in place of estimates.
#pragma once

#include <prism/description.hpp>

#include <filesystem>

namespace prism::policy {

/// Returns the path of the file with the measurements of a device and driver; empty without a cache folder.
std::filesystem::path measured_file(const std::filesystem::path& cache, const std::string& backend,
                                    const std::string& name, const std::string& driver);
/// Replaces the rates, bandwidths and latencies of `device` by those in the file. Does nothing if the file
/// does not exist; logs a warning and does nothing if it cannot be read or another user could have written
/// it. Data types in which the device does not compute are ignored.
void apply_measured(device_description& device, const std::filesystem::path& file);
/// Replaces the file atomically. Throws problem.
void write_measured(const device_description& device, const std::filesystem::path& file);

} // namespace prism::policy
