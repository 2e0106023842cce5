// How long each kernel took on each device, from the moment somebody asks: for prism::profile and
// PRISM_PROFILE. A queue that was made before measures nothing; its launches are counted.
//
// Any thread.
#pragma once

#include "runtime/engine/engine.hpp"

#include <vector>

namespace prism::runtime {

/// Of the launches whose ends are known by now.
std::vector<kernel_time> summed_times();

} // namespace prism::runtime
