// prism-info's text: devices grouped by physical device, and the explanation of a selection. Pure
// functions of the report.
#pragma once

#include "tools/prism-info/gather.hpp"

#include <optional>

namespace prism::info {

/// Each physical device once, followed by its ways of access.
std::string to_text(const json& report, bool verbose);

struct selection {
  std::string text;                  // every device, whether it is chosen, and if not, why
  std::optional<std::string> chosen; // "opencl:0"; empty: no device matches
};

/// What `expression` (PRISM_DEVICE_SELECTOR's grammar; empty: the default order) chooses. Throws
/// select::selector_error on a bad expression.
selection explain_selection(const json& report, const std::string& expression);

/// The report with only the devices that match `expression`.
json filter(json report, const std::string& expression);

} // namespace prism::info
