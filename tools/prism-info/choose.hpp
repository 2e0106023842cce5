// prism-info's policies and requirements, applied to the devices of this machine or to described ones.
#pragma once

#include "tools/prism-info/gather.hpp"

#include <prism/description.hpp>

namespace prism::info {

/// The devices of a report as policies see them.
std::vector<device_description> descriptions_of(const json& report);
std::vector<device_description> fleet_of(const std::string& file);

/// Prints the table of all candidates; false if no device fits. Throws policy::problem.
bool print_choice(const std::vector<device_description>& devices, const std::string& policy,
                  const std::string& workload, bool as_json);
/// Prints for each device which of the comma-separated requirements it lacks; false if every device lacks
/// one.
bool print_requirement(const std::vector<device_description>& devices, const std::string& requirements);
/// YAML, or JSON.
std::string export_text(const json& report, bool as_json);
/// Prints the differences between two files of --json. Returns the exit status: 0 equal, 1 different, 2 not
/// readable.
int print_difference(const std::string& before, const std::string& after);

} // namespace prism::info
