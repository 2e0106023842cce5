// Writes and reads a performance model as JSON. Pure.
#pragma once

#include <prism/performance_model.hpp>

namespace prism::policy {

using model_patterns = std::map<std::string, pattern>;
using model_runs =
    std::map<std::pair<std::string, std::string>, std::vector<observation>>; // key: pattern, "device\ndriver"

std::string write_model(const model_patterns& patterns, const model_runs& runs);
/// Ignores runs of patterns that the text does not define. Throws problem.
void read_model(const std::string& text, model_patterns& patterns, model_runs& runs);

} // namespace prism::policy
