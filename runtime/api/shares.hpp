// What prism::co_execute and prism::rehearse decide beforehand.
#pragma once

#include <prism/strategy.hpp>

namespace prism {

/// The shares of a division by ratio or by prediction; empty for those by chunks. Throws as co_execute does.
std::vector<share> shares_beforehand(const strategy& how, std::size_t items, const workload& whole, const std::vector<device_description>& devices);

} // namespace prism
