// Describes a real device: the figures that its driver reports, and estimates of the rates that no driver
// reports, which are listed in `estimated`. Measurements replace estimates (measured.hpp). Pure.
#pragma once

#include "devices/api/types.hpp"

#include <prism/description.hpp>

namespace prism::policy {

struct device_place {
  std::string backend;
  std::size_t index = 0;        // within the backend
  bool only_when_named = false; // the default order never chooses it
};

device_description describe(const devices::capabilities& info, const device_place& where);

} // namespace prism::policy
