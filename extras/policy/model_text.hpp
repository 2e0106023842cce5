// A performance model as JSON and back. Pure.
#pragma once

#include <prism/performance_model.hpp>

namespace prism::policy {

using model_patterns = std::map<std::string, pattern>;
using model_runs =
    std::map<std::pair<std::string, std::string>, std::vector<observation>>; // key: pattern, "device\ndriver"

std::string write_model(const model_patterns& patterns, const model_runs& runs);
/// Throws problem. Runs of a pattern that the text does not hold are left out.
void read_model(const std::string& text, model_patterns& patterns, model_runs& runs);

} // namespace prism::policy
