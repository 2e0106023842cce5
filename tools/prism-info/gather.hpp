// Gathers each backend's state and devices as JSON (the schema of --json). Each backend is opened in a
// child process with a time limit, so a driver that crashes or hangs only adds a reason to the report.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace prism::info {

using json = nlohmann::ordered_json;

inline constexpr int schema_version = 1;

/// The whole report, in the schema of docs/prism-info.md. `limit`: for each backend's child.
json gather(std::chrono::seconds limit);

/// Runs in the child: prints the devices of one backend as JSON to standard output, and ends the process.
[[noreturn]] void gather_child(const std::string& backend);

} // namespace prism::info
