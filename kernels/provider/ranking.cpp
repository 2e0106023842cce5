#include "kernels/provider/ranking.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace prism::provider {
namespace {

/// Calls `each` for every part of the setting, with its operation (empty: all operations) and the provider's
/// name.
template <typename Each>
void for_each_pin(const std::string& setting, Each&& each) {
  std::istringstream parts(setting);
  for (std::string part; std::getline(parts, part, ',');) {
    part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
    const std::size_t equals = part.find('=');
    if (equals == part.npos) each(std::string(), part);
    else each(part.substr(0, equals), part.substr(equals + 1));
  }
}

} // namespace

pinned_name pinned_provider(const std::string& setting, const std::string& operation) {
  std::string general, own;
  for_each_pin(setting, [&](const std::string& of, const std::string& name) {
    if (of.empty()) general = name;
    if (of == operation) own = name;
  });
  return own.empty() ? pinned_name{general, true} : pinned_name{own, false};
}

std::string wrong_setting(const std::string& setting, const std::vector<std::string>& operations) {
  std::string wrong;
  for_each_pin(setting, [&](const std::string& of, const std::string& name) {
    if (!wrong.empty()) return;
    if (name.empty()) wrong = "PRISM_PROVIDER: a part of '" + setting + "' names no provider";
    else if (of == "fallback" && name != "prism")
      wrong = "PRISM_PROVIDER: only 'prism' is a fallback, not '" + name + "'";
    else if (!of.empty() && of != "fallback" &&
             std::find(operations.begin(), operations.end(), of) == operations.end())
      wrong = "PRISM_PROVIDER: there is no operation '" + of + "'";
  });
  return wrong;
}

std::vector<ranked_provider> rank(const std::vector<candidate>& candidates, double flops, double peak,
                                  const pinned_name& pin) {
  const auto named = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const candidate& c) { return c.name == pin.provider; });
  const bool is_known = named != candidates.end();
  const bool is_outside = is_known && pin.is_general && !named->has_operation;
  const std::string pinned = is_outside ? "" : pin.provider;
  std::vector<ranked_provider> out;
  for (const candidate& one : candidates) {
    ranked_provider made{one.name, 0, false, ""};
    if (is_outside && one.name == pin.provider)
      made.reason = "PRISM_PROVIDER pins it for the operations that it has, and this is none of them";
    else if (!one.support.supported)
      made.reason = one.support.reason[0] ? one.support.reason : "not supported";
    else if (!pinned.empty() && pinned != one.name) made.reason = "PRISM_PROVIDER pins " + pinned;
    else if (one.measured_ns > 0) made.predicted_ns = one.measured_ns, made.is_measured = true;
    else if (one.support.efficiency > 0 && peak > 0)
      made.predicted_ns = one.support.overhead_ns + flops / (peak * one.support.efficiency);
    out.push_back(std::move(made));
  }
  if (!pinned.empty() && !is_known)
    out.push_back({pinned, 0, false, "pinned by PRISM_PROVIDER, but missing"});
  std::stable_sort(out.begin(), out.end(), [](const ranked_provider& a, const ranked_provider& b) {
    if (a.reason.empty() != b.reason.empty()) return a.reason.empty();
    if (a.is_measured != b.is_measured) return a.is_measured;
    if ((a.predicted_ns > 0) != (b.predicted_ns > 0)) return a.predicted_ns > 0;
    return a.predicted_ns < b.predicted_ns;
  });
  return out;
}

std::string explained(const std::vector<ranked_provider>& ranking) {
  std::string out;
  for (const ranked_provider& one : ranking) {
    char time[48] = "usable, its time is unknown";
    if (one.predicted_ns > 0)
      std::snprintf(time, sizeof time, "%.1f us %s", one.predicted_ns / 1000,
                    one.is_measured ? "measured" : "predicted");
    out +=
        (out.empty() ? "" : "; ") + one.name + ": " + (one.reason.empty() ? std::string(time) : one.reason);
  }
  return out;
}

} // namespace prism::provider
