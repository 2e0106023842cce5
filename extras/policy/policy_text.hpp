// Reads policies and workloads from one line of text: see prism::parse_policy in <prism/policy.hpp>. Pure.
#pragma once

#include <prism/policy.hpp>

#include <string_view>

namespace prism::policy {

/// Throws problem with the position of the error.
execution_policy read_policy(const std::string& text);
/// Parses "operation=gemm; data_type=fp32; flops=1e9; bytes=1GiB; bytes_to_move=10MB; items=1e6;
/// footprint_bytes=..; access=random; divergence=0.5; data_on=NAME". Throws problem with the position of the
/// error.
workload read_workload(const std::string& text);
/// Whether the text is a policy rather than a device selector: it begins with a key of a policy and '='.
bool is_policy_text(std::string_view text);

} // namespace prism::policy
