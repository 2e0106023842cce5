// What prism-info knows: each backend's state and devices as JSON (the schema of --json), each opened in a
// child process with a time limit, so that a crashing or hanging driver costs one reason and nothing else.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace prism::info {

using json = nlohmann::ordered_json;

inline constexpr int schema_version = 1;

/// Everything, in the schema documented in docs/prism-info.md. `limit`: for each backend's child.
json gather(std::chrono::seconds limit);

/// The child's part: prints the devices of one backend as JSON to standard output. Returns the exit status.
int gather_child(const std::string& backend);

} // namespace prism::info
