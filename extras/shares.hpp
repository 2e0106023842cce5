// The decisions that prism::co_execute and prism::rehearse make before they start.
#pragma once

#include "extras/chunk_scheduler.hpp"

#include <prism/strategy.hpp>

namespace prism {

/// Returns the fixed shares of distributions by ratio and by prediction, without the reserve, and the
/// expected speeds of the devices if the job is known. Throws as co_execute does.
prior_estimate prior_estimate_of(const strategy& how, std::size_t items, const workload& whole,
                                 const std::vector<device_description>& devices);

/// Records the measured speed of each device in strategy::model, if there is one. Throws as
/// performance_model::observe does.
void update_model(const strategy& how, std::size_t items, const workload& whole,
                  const std::vector<device_description>& devices, const co_report& happened);

} // namespace prism
