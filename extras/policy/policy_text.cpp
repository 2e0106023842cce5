// Parses and writes the one-line form of policies of PRISM_POLICY and prism-info --select. Pure.
#include "extras/policy/policy_text.hpp"

#include "extras/policy/explain.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/vocabulary.hpp"
#include "runtime/support/text.hpp"

#include <set>

namespace prism::policy {

namespace {

const std::vector<std::string> keys = {
    "priority",         "max_latency", "min_throughput",  "max_cost_per_hour",
    "max_cost_per_job", "max_power",   "max_temperature", "require",
    "prefer",           "forbid",      "only_preferred"};
const std::vector<std::string> priorities = {"speed", "latency", "throughput", "cost", "energy"};

struct term {
  const char* subject; // "policy" or "workload"
  std::string whole;
  std::size_t position;
  std::string key, value;

  [[noreturn]] void fail(const std::string& what) const {
    throw problem(std::string(subject) + ": " + what + " (position " + std::to_string(position + 1) +
                  ")\n  " + whole + "\n  " + std::string(position, ' ') + "^");
  }
};

std::vector<std::string> list(const term& t) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= t.value.size();) {
    const std::size_t end = std::min(t.value.find(',', begin), t.value.size());
    const std::string item(support::trim(std::string_view(t.value).substr(begin, end - begin)));
    if (item.empty()) t.fail("an entry of " + t.key + " is empty");
    out.push_back(item);
    begin = end + 1;
  }
  return out;
}

double number(const term& t, std::optional<double> value, const char* example) {
  if (!value || *value < 0)
    t.fail(t.key + " needs a number from 0, as in \"" + t.key + "=" + example + "\", found \"" + t.value +
           "\"");
  return *value;
}

void apply(const term& t, execution_policy& into) {
  if (t.key == "priority") {
    for (const priority p :
         {priority::speed, priority::latency, priority::throughput, priority::cost, priority::energy})
      if (support::to_lower(t.value) == priority_name(p)) {
        into.priority = p;
        return;
      }
    t.fail("unknown priority \"" + t.value + "\". " + did_you_mean(t.value, priorities) +
           "Known: " + support::join(priorities, ", "));
  } else if (t.key == "max_latency")
    into.max_latency = std::chrono::duration<double>(number(t, duration_in_seconds(t.value), "500ms"));
  else if (t.key == "min_throughput") into.min_throughput = number(t, plain_number(t.value), "1e6");
  else if (t.key == "max_cost_per_hour") into.max_cost_per_hour = number(t, plain_number(t.value), "10");
  else if (t.key == "max_cost_per_job") into.max_cost_per_job = number(t, plain_number(t.value), "0.01");
  else if (t.key == "max_power") into.max_power = number(t, plain_number(t.value), "75");
  else if (t.key == "max_temperature") into.max_temperature = number(t, plain_number(t.value), "80");
  else if (t.key == "require") into.require = list(t);
  else if (t.key == "prefer") into.prefer = list(t);
  else if (t.key == "forbid") into.forbid = list(t);
  else if (t.key == "only_preferred")
    into.only_preferred = t.value == "true" || t.value == "on" || t.value == "1";
  else
    t.fail("unknown key \"" + t.key + "\". " + did_you_mean(t.key, keys) +
           "Known: " + support::join(keys, ", "));
  for (const auto* entries : {&into.require, &into.prefer, &into.forbid})
    for (const std::string& entry : *entries)
      parse_requirement(entry); // throws here, so that the error has its position
}

const std::vector<std::string> workload_keys = {"operation",     "data_type", "flops",           "bytes",
                                                "bytes_to_move", "items",     "footprint_bytes", "access",
                                                "divergence",    "data_on",   "builds"};

void apply(const term& t, workload& into) {
  if (t.key == "operation") into.operation = t.value;
  else if (t.key == "data_type") into.data_type = t.value;
  else if (t.key == "data_on") into.data_on = t.value;
  else if (t.key == "flops") into.flops = number(t, plain_number(t.value), "1e9");
  else if (t.key == "items") into.items = number(t, plain_number(t.value), "1e6");
  else if (t.key == "builds") into.builds = number(t, plain_number(t.value), "1");
  else if (t.key == "divergence") into.divergence = number(t, plain_number(t.value), "0.5");
  else if (t.key == "bytes") into.bytes = number(t, number_with_unit(t.value), "1GiB");
  else if (t.key == "bytes_to_move") into.bytes_to_move = number(t, number_with_unit(t.value), "10MB");
  else if (t.key == "footprint_bytes") into.footprint_bytes = number(t, number_with_unit(t.value), "1GiB");
  else if (t.key == "access") {
    if (t.value == "sequential") into.access = access_pattern::sequential;
    else if (t.value == "strided") into.access = access_pattern::strided;
    else if (t.value == "random") into.access = access_pattern::random;
    else t.fail("access is sequential, strided or random, found \"" + t.value + "\"");
  } else
    t.fail("unknown key \"" + t.key + "\". " + did_you_mean(t.key, workload_keys) +
           "Known: " + support::join(workload_keys, ", "));
}

/// Calls `each` for every "key=value" between semicolons.
template <typename Each>
void terms_of(const char* subject, const std::string& text, Each&& each) {
  std::set<std::string> seen;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    const std::size_t lead = std::min(part.find_first_not_of(" \t"), part.size());
    const std::size_t equals = part.find('=');
    if (!support::trim(part).empty()) {
      term t{subject, text, begin + lead, std::string(support::trim(part.substr(0, equals))), ""};
      if (equals == part.npos) t.fail("a term is \"key=value\", found \"" + t.key + "\"");
      t.value = std::string(support::trim(part.substr(equals + 1)));
      each(t);
      if (!seen.insert(t.key).second)
        t.fail("the key \"" + t.key + "\" is given twice; write several entries in one, separated by commas");
    }
    begin = end + 1;
  }
}

} // namespace

bool is_policy_text(std::string_view text) {
  for (const std::string& key : keys) {
    const std::string_view start = support::trim(text);
    if (start.substr(0, key.size()) == key && support::trim(start.substr(key.size())).substr(0, 1) == "=")
      return true;
  }
  // A misspelt key counts too, so that the error message is about policies.
  const std::size_t equals = text.find('=');
  return equals != text.npos && !did_you_mean(support::trim(text.substr(0, equals)), keys).empty();
}

execution_policy read_policy(const std::string& text) {
  execution_policy out;
  terms_of("policy", text, [&](const term& t) { apply(t, out); });
  return out;
}

workload read_workload(const std::string& text) {
  workload out;
  terms_of("workload", text, [&](const term& t) { apply(t, out); });
  return out;
}

} // namespace prism::policy

namespace prism {

std::string to_text(const execution_policy& p) {
  std::string out = std::string("priority=") + policy::priority_name(p.priority);
  const auto add = [&](const char* key, const std::string& value) {
    out += std::string("; ") + key + "=" + value;
  };
  if (p.max_latency) add("max_latency", policy::number_text(p.max_latency->count()) + "s");
  if (p.min_throughput) add("min_throughput", policy::number_text(*p.min_throughput));
  if (p.max_cost_per_hour) add("max_cost_per_hour", policy::number_text(*p.max_cost_per_hour));
  if (p.max_cost_per_job) add("max_cost_per_job", policy::number_text(*p.max_cost_per_job));
  if (p.max_power) add("max_power", policy::number_text(*p.max_power));
  if (p.max_temperature) add("max_temperature", policy::number_text(*p.max_temperature));
  if (!p.require.empty()) add("require", support::join(p.require, ","));
  if (!p.prefer.empty()) add("prefer", support::join(p.prefer, ","));
  if (!p.forbid.empty()) add("forbid", support::join(p.forbid, ","));
  if (p.only_preferred) add("only_preferred", "true");
  return out;
}

} // namespace prism
