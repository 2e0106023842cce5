// Writes a decision as a table and as JSON. Pure.
#pragma once

#include "extras/policy/decide.hpp"

namespace prism::policy {

/// Returns the candidates in the order of the ranking.
std::vector<candidate> candidates_of(const decider& by, const job& work,
                                     const std::vector<device_description>& devices);
std::string table(const execution_policy& policy, const workload& work, const std::vector<candidate>& all,
                  const std::vector<device_description>& devices);
std::string table_json(const execution_policy& policy, const workload& work,
                       const std::vector<candidate>& all);

const char* priority_name(priority p) noexcept;

} // namespace prism::policy
