// Execution times of each kernel on each device, for prism::profile and PRISM_PROFILE, from the first call of
// time_kernels(true). Queues made before that do not measure: their launches are only counted.
//
// Any thread.
#pragma once

#include "runtime/engine/engine.hpp"

#include <vector>

namespace prism::runtime {

/// Sums of the launches that are known to be complete.
std::vector<kernel_time> summed_times();

} // namespace prism::runtime
