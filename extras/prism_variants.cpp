// <prism/variants.hpp>: chooses a variant, and reads PRISM_VARIANT.
#include "extras/invalid.hpp"
#include "extras/policy/explain.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/vocabulary.hpp"
#include "runtime/support/environment.hpp"
#include "runtime/support/text.hpp"

#include <prism/variants.hpp>

#include <cmath>

namespace prism {

namespace {

/// Returns the needs of the variant that the device does not meet; empty: it meets all.
std::string lacking(const variant_description& v, const device_description& device) {
  std::string out;
  for (const std::string& need : v.needs)
    if (const policy::requirement r = policy::parse_requirement(need); !policy::meets(device, r))
      out += (out.empty() ? "needs " : ", ") + need + " (" + policy::found_instead(device, r) + ")";
  return out;
}

seconds time_of(const variant_description& v, const device_description& device, const workload& work) {
  if (!(v.speed > 0) || std::isinf(v.speed))
    throw policy::problem("variant " + v.name + ": its speed must be above 0");
  return predict(device, v.model ? v.model(work) : work).total / v.speed;
}

std::size_t forced_index(const std::string& operation, const std::vector<variant_description>& variants,
                         const device_description& device, const std::string& forced) {
  std::vector<std::string> names;
  for (const variant_description& v : variants) names.push_back(v.name);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (variants[i].name != forced) continue;
    if (const std::string lacks = lacking(variants[i], device); !lacks.empty())
      invalid("variant \"" + forced + "\" of " + operation + " was requested, but " + device.name +
              " cannot run it: it " + lacks);
    return i;
  }
  invalid("there is no variant \"" + forced + "\" of " + operation + ". " +
          policy::did_you_mean(forced, names) + "Known: " + support::join(names, ", "));
}

variant_choice choose(const std::string& operation, const std::vector<variant_description>& variants,
                      const device_description& device, const workload& work, const std::string& forced) {
  variant_choice choice;
  const std::size_t asked =
      forced.empty() ? variant_choice::none : forced_index(operation, variants, device, forced);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const variant_description& v = variants[i];
    const std::string lacks = lacking(v, device);
    const seconds time = lacks.empty() ? time_of(v, device, work) : seconds(0);
    choice.lines.push_back(
        v.name + ": " +
        (!lacks.empty() ? lacks : policy::time_text(time.count()) + (v.is_fallback ? " (fallback)" : "")));
    if (!lacks.empty() || (asked != variant_choice::none && i != asked)) continue;
    const bool first = choice.index == variant_choice::none;
    const bool replaces_fallback = !first && variants[choice.index].is_fallback && !v.is_fallback;
    const bool is_worse_kind = !first && v.is_fallback && !variants[choice.index].is_fallback;
    if (first || replaces_fallback || (!is_worse_kind && time < choice.predicted))
      choice.index = i, choice.predicted = time;
  }
  for (std::size_t i = 0; i < choice.lines.size(); ++i)
    choice.lines[i] = (i == choice.index ? "=> " : "   ") + choice.lines[i];
  choice.lines.insert(choice.lines.begin(),
                      operation + " on " + device.name + (forced.empty() ? "" : " (PRISM_VARIANT)") + ":");
  return choice;
}

} // namespace

std::string variant_choice::explain() const { return support::join(lines, "\n") + "\n"; }

variant_choice choose_variant(const std::string& operation, const std::vector<variant_description>& variants,
                              const device_description& device, const workload& work,
                              const std::string& forced) {
  try {
    return choose(operation, variants, device, work, forced);
  } catch (const policy::problem& wrong) {
    invalid(wrong.what());
  }
}

std::string forced_variant(const std::string& operation) {
  const std::string text = support::value_of(support::variables::variant);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string term(support::trim(std::string_view(text).substr(begin, end - begin)));
    const std::size_t equals = term.find('=');
    if (equals == 0 || equals == term.npos || equals + 1 == term.size())
      invalid("PRISM_VARIANT=\"" + text + "\": \"" + term + "\" is not of the form operation=variant");
    if (term.substr(0, equals) == operation) return term.substr(equals + 1);
    begin = end + 1;
  }
  return {};
}

} // namespace prism
