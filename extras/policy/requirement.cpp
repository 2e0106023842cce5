#include "extras/policy/requirement.hpp"

#include "extras/policy/problem.hpp"
#include "extras/policy/vendor_path.hpp"
#include "extras/policy/vocabulary.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace prism::policy {

namespace {

using comparison = requirement::comparison;
using support::to_lower;

constexpr std::string_view types[] = {"cpu", "gpu", "accelerator", "custom"};

constexpr struct {
  std::string_view text;
  comparison how;
} operators[] = {
    // longer operators first
    {">=", comparison::at_least}, {"<=", comparison::at_most}, {"==", comparison::equal},
    {">", comparison::more},      {"<", comparison::less},
};

bool holds(double found, comparison how, double wanted) {
  switch (how) {
    case comparison::none: return found != 0;
    case comparison::at_least: return found >= wanted;
    case comparison::more: return found > wanted;
    case comparison::at_most: return found <= wanted;
    case comparison::less: return found < wanted;
    case comparison::equal: return found == wanted;
  }
  return false;
}

bool holds(feature_version found, comparison how, feature_version wanted) {
  switch (how) {
    case comparison::none: return true;
    case comparison::at_least: return found >= wanted;
    case comparison::more: return wanted < found;
    case comparison::at_most: return wanted >= found;
    case comparison::less: return found < wanted;
    case comparison::equal: return found == wanted;
  }
  return false;
}

std::optional<feature_version> parse_version(std::string_view text) {
  const auto dot = text.find('.');
  const auto whole = [](std::string_view part) -> std::optional<int> {
    if (part.empty() || part.size() > 6 || part.find_first_not_of("0123456789") != part.npos)
      return std::nullopt;
    return std::stoi(std::string(part));
  };
  const auto first = whole(support::trim(text.substr(0, dot)));
  const auto second = dot == text.npos ? std::optional(0) : whole(support::trim(text.substr(dot + 1)));
  if (!first || !second) return std::nullopt;
  return feature_version(*first, *second);
}

double largest_level(const device_description& device) {
  double bytes = 0;
  for (const memory_level& level : device.memory_hierarchy)
    bytes = std::max(bytes, static_cast<double>(level.size_bytes));
  return bytes;
}

bool word_fits(const device_description& device, std::string_view word) {
  if (word.rfind("name=", 0) == 0) {
    const std::string_view part = support::trim(word.substr(5));
    return support::contains_ignoring_case(device.name, part) ||
           support::contains_ignoring_case(device.platform, part);
  }
  if (word == "*") return true;
  if (std::find(std::begin(types), std::end(types), word) != std::end(types))
    return device.device_type == word;
  if (!device.backend.empty() && to_lower(device.backend) == word) return true;
  if (word.find_first_not_of("0123456789") == word.npos) // an index within the backend, if describe() set one
    if (const auto index = device.limits.find("index"); index != device.limits.end())
      return word.size() < 7 && index->second == std::stod(std::string(word));
  return support::contains_ignoring_case(device.name, word) ||
         support::contains_ignoring_case(device.vendor, word) || path_begins_with(device, word);
}

/// Whether a backend or type with its qualifiers, or words of vendor and name, fit.
bool parts_fit(const device_description& device, std::string_view subject) {
  if (const std::size_t at = subject.find("name=");
      at != subject.npos && (at == 0 || subject[at - 1] == ':')) {
    // The name is the rest, with all its characters, or ends before a further qualifier.
    const std::string_view rest = subject.substr(at);
    const std::size_t end = rest.find(':');
    if (!word_fits(device, rest) && (end == rest.npos || !word_fits(device, rest.substr(0, end)) ||
                                     !parts_fit(device, rest.substr(end + 1))))
      return false;
    subject = subject.substr(0, at);
    if (subject.empty()) return true;
  }
  const std::vector<std::string> words = words_of(subject);
  return !words.empty() &&
         std::all_of(words.begin(), words.end(), [&](const std::string& w) { return word_fits(device, w); });
}

/// Known words, for suggestions: a word that is not in this list may be misspelt.
constexpr std::string_view known_subjects[] = {
    "fp16",
    "fp32",
    "fp64",
    "bf16",
    "int8",
    "int16",
    "int32",
    "int64",
    "int64_atomics",
    "float_atomic_add",
    "addresses",
    "memory_model",
    "subgroups",
    "signed_zero_inf_nan",
    "fp16_storage",
    "fused_multiply_add",
    "clock_sub_group",
    "clock_device",
    "cooperative_matrix",
    "usm_device",
    "usm_host",
    "usm_shared",
    "usm_system",
    "profiling",
    "async_execution",
    "multi_device",
    "simd_level",
    "tensor_cores",
    "thread_block_clusters",
    "memory",
    "compute_units",
    "watts",
    "price_per_hour",
    "transfer_gbps",
    "launch_latency_us",
    "bandwidth_gbps",
    "max_group_size",
    "max_allocation",
    "max_argument_bytes",
    "local_memory",
    "cache_line",
    "max_clock_mhz",
    "max_sub_group_size",
    "cpu",
    "gpu",
    "accelerator",
    "custom",
    "host",
    "opencl",
    "vulkan",
};

std::string suggestion(const device_description& device, const std::string& subject) {
  std::vector<std::string> known(std::begin(known_subjects), std::end(known_subjects));
  for (const feature_description& f : device.features) known.push_back(canonical_feature(f.name));
  for (const auto& limit : device.limits) known.push_back(limit.first);
  if (std::find(known.begin(), known.end(), subject) != known.end()) return "";
  std::string text = did_you_mean(subject, known); // begins with a capital letter
  if (text.empty()) return "";
  text.front() = 'd';
  text.pop_back();
  return "; " + text;
}

} // namespace

requirement parse_requirement(std::string_view text) {
  requirement r;
  r.text = std::string(support::trim(text));
  if (r.text.empty()) throw problem("a requirement is empty; write for example \"fp64\" or \"memory>=4GiB\"");
  for (const auto& op : operators) {
    const std::size_t at = r.text.find(op.text);
    if (at == std::string::npos) continue;
    const std::string_view left = support::trim(std::string_view(r.text).substr(0, at));
    const std::string_view right = support::trim(std::string_view(r.text).substr(at + op.text.size()));
    const auto version = parse_version(right);
    const auto amount = number_with_unit(right);
    if (left.empty() || (!version && !amount))
      throw problem("the requirement \"" + r.text + "\" needs a name before and a number after \"" +
                    std::string(op.text) + "\", as in \"subgroups>=2\" or \"memory>=4GiB\"");
    r.subject = canonical_feature(left);
    r.how = op.how;
    // Clamp to the range of int; NaN becomes the lower bound.
    r.version =
        version ? *version : feature_version(static_cast<int>(std::max(-1e9, std::min(*amount, 1e9))), 0);
    r.amount = amount.value_or(0);
    return r;
  }
  const bool single = r.text.find_first_of(":./ =") == std::string::npos;
  r.subject = single ? canonical_feature(r.text) : to_lower(r.text);
  return r;
}

std::optional<feature_version> version_of(const device_description& device, std::string_view feature) {
  const std::string name = canonical_feature(feature);
  std::optional<feature_version> best;
  for (const feature_description& f : device.features)
    if (canonical_feature(f.name) == name && (!best || *best < f.version)) best = f.version;
  if (best) return best;
  for (const auto& [type, rate] : device.peak_gflops)
    if (rate > 0 && canonical_data_type(type) == name) return feature_version(1);
  return std::nullopt;
}

std::optional<double> quantity_of(const device_description& device, std::string_view name) {
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  if (name == "memory") return known(largest_level(device));
  if (name == "compute_units") return device.compute_units;
  if (name == "watts") return known(device.watts);
  if (name == "price_per_hour") return device.price_per_hour;
  if (name == "transfer_gbps") return known(device.transfer_gbps);
  if (name == "launch_latency_us") return device.launch_latency_us;
  if (name == "bandwidth_gbps") {
    double best = 0, size = -1; // of the largest level, which large data uses
    for (const memory_level& level : device.memory_hierarchy)
      if (static_cast<double>(level.size_bytes) > size)
        size = static_cast<double>(level.size_bytes), best = level.bandwidth_gbps;
    return known(best);
  }
  if (const auto limit = device.limits.find(std::string(name)); limit != device.limits.end())
    return limit->second;
  return std::nullopt;
}

bool names(const device_description& device, const requirement& wanted) {
  if (wanted.how != comparison::none) return false;
  if (std::find(std::begin(types), std::end(types), wanted.subject) != std::end(types))
    return false; // "cpu" is a type, not a name
  if (path_begins_with(device, wanted.subject)) return true;
  return parts_fit(device, wanted.subject);
}

bool meets(const device_description& device, const requirement& wanted) {
  if (const auto amount = quantity_of(device, wanted.subject))
    return holds(*amount, wanted.how, wanted.amount);
  if (const auto version = version_of(device, wanted.subject))
    return holds(*version, wanted.how, wanted.version);
  if (const auto generation = generation_of(device, wanted.subject);
      generation && wanted.how != comparison::none)
    return holds(*generation, wanted.how, wanted.version);
  if (wanted.how != comparison::none) return false;
  return device.device_type == wanted.subject || names(device, wanted);
}

std::string found_instead(const device_description& device, const requirement& wanted) {
  if (const auto amount = quantity_of(device, wanted.subject)) {
    const bool bytes = wanted.subject.find("memory") != std::string::npos ||
                       wanted.subject.find("bytes") != std::string::npos;
    return wanted.subject + " is " + (bytes ? bytes_text(*amount) : number_text(*amount));
  }
  if (const auto version = version_of(device, wanted.subject))
    return wanted.subject + " is version " + std::to_string(version->first) +
           (version->second != 0 ? "." + std::to_string(version->second) : "");
  if (const auto generation = generation_of(device, wanted.subject))
    return wanted.subject + " is generation " + std::to_string(generation->first);
  if (std::find(std::begin(types), std::end(types), wanted.subject) != std::end(types))
    return "it is a " + device.device_type;
  return "it has no " + wanted.subject + suggestion(device, wanted.subject);
}

} // namespace prism::policy
