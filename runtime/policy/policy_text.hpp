// A policy as one line of text: see prism::parse_policy in <prism/policy.hpp>. Pure.
#pragma once

#include <prism/policy.hpp>

#include <string_view>

namespace prism::policy {

/// Throws problem that shows the place.
execution_policy read_policy(const std::string& text);
/// Whether the text is meant as a policy rather than as a device selector: it begins with one of a policy's keys and '='.
bool is_policy_text(std::string_view text);

} // namespace prism::policy
