// What prism::co_execute and prism::rehearse decide beforehand.
#pragma once

#include "extras/deal.hpp"

#include <prism/strategy.hpp>

namespace prism {

/// What is known before the first item: the shares of a division by ratio or by prediction, without what is
/// held back, and how fast the devices are expected to be if the job is known. Throws as co_execute does.
beforehand decided_beforehand(const strategy& how, std::size_t items, const workload& whole,
                              const std::vector<device_description>& devices);

/// Tells strategy::model, if there is one, what each device showed. Throws as performance_model::observe
/// does.
void tell_model(const strategy& how, std::size_t items, const workload& whole,
                const std::vector<device_description>& devices, const co_report& happened);

} // namespace prism
