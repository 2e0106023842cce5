// Converts the compiler's counts of one work-item to the workload of a launch. Pure.
#pragma once

#include "devices/api/kernel_counts.hpp"

#include <prism/policy.hpp>

namespace prism::policy {

/// `trips`: the assumed trip count of loops whose trip count the compiler does not know.
workload workload_from(const image::kernel_counts& counts, const char* name, double items, double trips);

} // namespace prism::policy
