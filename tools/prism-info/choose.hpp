// The part of prism-info that decides: policies and requirements over the devices here or over described
// ones.
#pragma once

#include "tools/prism-info/gather.hpp"

#include <prism/description.hpp>

namespace prism::info {

/// The devices of a report as policies see them.
std::vector<device_description> descriptions_of(const json& report);
std::vector<device_description> fleet_of(const std::string& file);

/// Prints the table of all candidates; false when nothing fits. Throws policy::problem.
bool print_choice(const std::vector<device_description>& devices, const std::string& policy,
                  const std::string& workload, bool as_json);
/// Prints for each device what it lacks of the comma-separated requirements; false when all lack something.
bool print_requirement(const std::vector<device_description>& devices, const std::string& requirements);
/// YAML, or JSON.
std::string export_text(const json& report, bool as_json);
/// Prints what differs between two files of --json; the exit status: 0 equal, 1 different, 2 not readable.
int print_difference(const std::string& before, const std::string& after);

} // namespace prism::info
