// Reads device descriptions from YAML or JSON text. docs/describing-devices.md has the schema. Pure, except
// that read_devices_file opens a file.
#pragma once

#include <prism/description.hpp>

namespace prism::policy {

inline constexpr int description_schema = 1; // value of the optional key `schema`

/// Throws file_problem with line, column and key; for a misspelt word also a suggestion.
std::vector<device_description> read_devices(const std::string& text, const std::string& file);
std::vector<device_description> read_devices_file(const std::string& file);

std::string write_yaml(const std::vector<device_description>& devices);
std::string write_json(const std::vector<device_description>& devices);

} // namespace prism::policy
