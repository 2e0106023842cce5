// One entry of require, prefer or forbid against one description. An entry is a comparison ("memory>=4GiB"),
// a feature
// ("fp64", "subgroups>=2"), or names devices: a type, a backend with qualifiers, words of vendor and name.
// Pure.
#pragma once

#include <prism/description.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace prism::policy {

struct requirement {
  enum class comparison { none, at_least, more, at_most, less, equal };
  std::string text;    // as written
  std::string subject; // canonical feature, quantity, type, backend or words
  comparison how = comparison::none;
  double amount = 0;       // of a quantity
  feature_version version; // of a feature
};

/// Throws problem: an operator without a number, an unknown quantity.
requirement parse_requirement(std::string_view text);

bool meets(const device_description& device, const requirement& wanted);
/// The entry names this device (type, backend, words of its name): it may be one that is chosen only when
/// named.
bool names(const device_description& device, const requirement& wanted);
/// "memory is 2 GiB", "it has subgroups 1", "it is a cpu"; what was found where `wanted` was asked.
std::string found_instead(const device_description& device, const requirement& wanted);

/// The version of a feature; a data type with a peak rate counts as a feature of version 1. Empty: it has
/// none.
std::optional<feature_version> version_of(const device_description& device, std::string_view feature);
/// "memory", "compute_units", "watts", ..., and every key of `limits`. Empty: the description does not say.
std::optional<double> quantity_of(const device_description& device, std::string_view name);

} // namespace prism::policy
