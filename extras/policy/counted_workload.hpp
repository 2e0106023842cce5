// Workloads that no program has described: of a launch, from the compiler's counts of one work-item, and of
// jobs about which nothing is known. Pure.
#pragma once

#include "devices/api/kernel_counts.hpp"

#include <prism/policy.hpp>

namespace prism::policy {

/// `trips`: the assumed trip count of loops whose trip count the compiler does not know.
workload workload_from(const image::kernel_counts& counts, const char* name, double items, double trips);

/// prism::typical_workload().
workload typical_workload();

} // namespace prism::policy
