// Device descriptions from text: YAML, and JSON, which is YAML here. The schema is in docs/selection.md. Pure
// but for the file that read_devices_file opens.
#pragma once

#include <prism/description.hpp>

namespace prism::policy {

inline constexpr int description_schema = 1; // of the key `schema`, which may be left out

/// Throws file_problem with line, column, key and, for a misspelling, what was probably meant.
std::vector<device_description> read_devices(const std::string& text, const std::string& file);
std::vector<device_description> read_devices_file(const std::string& file);

std::string write_yaml(const std::vector<device_description>& devices);
std::string write_json(const std::vector<device_description>& devices);

} // namespace prism::policy
