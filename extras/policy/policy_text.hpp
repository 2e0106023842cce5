// A policy as one line of text: see prism::parse_policy in <prism/policy.hpp>. Pure.
#pragma once

#include <prism/policy.hpp>

#include <string_view>

namespace prism::policy {

/// Throws problem that shows the place.
execution_policy read_policy(const std::string& text);
/// "operation=gemm; data_type=fp32; flops=1e9; bytes=1GiB; bytes_to_move=10MB; items=1e6; footprint_bytes=..;
/// access=random; divergence=0.5; data_on=NAME". Throws problem that shows the place.
workload read_workload(const std::string& text);
/// Whether the text is meant as a policy rather than as a device selector: it begins with one of a policy's
/// keys and '='.
bool is_policy_text(std::string_view text);

} // namespace prism::policy
