// Checks an entry of require, prefer or forbid against a description. An entry is a comparison
// ("memory>=4GiB"), a feature ("fp64", "subgroups>=2"), or names devices: by type, by backend with
// qualifiers, or by words of vendor and name. Pure.
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
  double amount = 0;       // for a quantity
  feature_version version; // for a feature
};

/// Throws problem for an operator without a number and for an unknown quantity.
requirement parse_requirement(std::string_view text);

bool meets(const device_description& device, const requirement& wanted);
/// Whether the entry names this device (by type, backend or words of its name). Such an entry permits a
/// device that is chosen only if it is named.
bool names(const device_description& device, const requirement& wanted);
/// Returns what the device has in place of `wanted`: "memory is 2 GiB", "it has subgroups 1", "it is a cpu".
std::string found_instead(const device_description& device, const requirement& wanted);

/// Returns the version of a feature; empty: the device lacks it. A data type with a peak rate counts as a
/// feature of version 1.
std::optional<feature_version> version_of(const device_description& device, std::string_view feature);
/// Returns the quantity "memory", "compute_units", "watts", ..., or any key of `limits`; empty: the
/// description lacks it.
std::optional<double> quantity_of(const device_description& device, std::string_view name);

} // namespace prism::policy
