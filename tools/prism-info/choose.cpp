#include "tools/prism-info/choose.hpp"

#include "extras/policy/counted_workload.hpp"
#include "extras/policy/description_file.hpp"
#include "extras/policy/explain.hpp"
#include "extras/policy/policy_text.hpp"
#include "extras/policy/problem.hpp"
#include "runtime/support/read_file.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace prism::info {
namespace {

bool is_report(const json& report) {
  const auto all_objects = [](const json& list) {
    return list.is_array() &&
           std::all_of(list.begin(), list.end(), [](const json& one) { return one.is_object(); });
  };
  if (!report.is_object() || !report.contains("backends") || !all_objects(report["backends"])) return false;
  return std::all_of(report["backends"].begin(), report["backends"].end(), [&](const json& b) {
    return b.value("name", json()).is_string() && b.value("status", json()).is_string() &&
           all_objects(b.value("devices", json())) &&
           std::all_of(b["devices"].begin(), b["devices"].end(),
                       [](const json& d) { return d.value("index", json()).is_number_unsigned(); });
  });
}

json read_report(const std::string& file) {
  constexpr std::size_t most = 64u << 20;
  const support::file_bytes read = support::read_file(file, most);
  if (!read.problem.empty())
    throw policy::problem(file + ": " + read.problem + "; give two files that prism-info --json wrote");
  const json report = json::parse(read.bytes, nullptr, false);
  if (!is_report(report)) throw policy::problem(file + ": is not a file that prism-info --json wrote");
  return report;
}

/// "opencl:0.compute_units" -> value, for every leaf.
void flatten(const json& value, const std::string& path, std::map<std::string, std::string>& into) {
  if (value.is_object() && !value.empty())
    for (const auto& [key, item] : value.items()) flatten(item, path.empty() ? key : path + "." + key, into);
  else into[path] = value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::map<std::string, std::string> leaves_of(const json& report) {
  std::map<std::string, std::string> out;
  for (const auto& b : report["backends"]) {
    const auto name = b["name"].get<std::string>();
    out[name + ".status"] = b["status"].get<std::string>();
    for (json d : b["devices"]) {
      d.erase("sensors"); // they differ at any time
      flatten(d, name + ":" + d["index"].dump(), out);
    }
  }
  return out;
}

} // namespace

std::vector<device_description> descriptions_of(const json& report) {
  std::vector<device_description> out;
  for (const auto& b : report["backends"])
    for (const auto& d : b["devices"])
      for (device_description& one :
           policy::read_devices(d["description"].dump(), "description of " + d.value("name", "a device"))) {
        const json& sensors = d["sensors"];
        if (one.watts == 0) one.watts = sensors.value("power_limit_watts", 0.0);
        if (sensors.contains("celsius")) one.celsius = sensors["celsius"].get<double>();
        out.push_back(std::move(one));
      }
  return out;
}

std::vector<device_description> fleet_of(const std::string& file) { return policy::read_devices_file(file); }

bool print_choice(const std::vector<device_description>& devices, const std::string& policy_text,
                  const std::string& workload_text, bool as_json) {
  const execution_policy policy = policy::read_policy(policy_text);
  const workload work =
      workload_text.empty() ? policy::typical_workload() : policy::read_workload(workload_text);
  const auto all = policy::candidates_of(policy::decider(policy, devices), policy::job_of(work), devices);
  fmt::print("{}",
             as_json ? policy::table_json(policy, work, all) : policy::table(policy, work, all, devices));
  return !all.empty() && all.front().fits;
}

bool print_requirement(const std::vector<device_description>& devices, const std::string& requirements) {
  std::vector<policy::requirement> wanted;
  for (std::size_t at = 0; at <= requirements.size();) {
    const std::size_t end = std::min(requirements.find(',', at), requirements.size());
    if (const auto term = support::trim(std::string_view(requirements).substr(at, end - at)); !term.empty())
      wanted.push_back(policy::parse_requirement(term));
    at = end + 1;
  }
  if (wanted.empty())
    throw policy::problem(
        "--require is empty; list the device's required features, such as 'fp64,subgroups>=2,memory>=4GiB'");
  bool met = false;
  fmt::print("required: {}\n", requirements);
  for (const device_description& d : devices) {
    std::string lacks;
    for (const policy::requirement& r : wanted)
      if (!policy::meets(d, r))
        lacks += (lacks.empty() ? "" : ", ") + r.text + " (" + policy::found_instead(d, r) + ")";
    met = met || lacks.empty();
    fmt::print("  {} {}\n", d.backend.empty() ? d.name : d.executes_on + " " + d.name,
               lacks.empty() ? "meets it" : "lacks " + lacks);
  }
  return met;
}

std::string export_text(const json& report, bool as_json) {
  const auto devices = descriptions_of(report);
  return as_json ? policy::write_json(devices) : policy::write_yaml(devices);
}

int print_difference(const std::string& before, const std::string& after) {
  const auto a = leaves_of(read_report(before)), b = leaves_of(read_report(after));
  int differences = 0;
  for (const auto& [path, value] : a) {
    const auto other = b.find(path);
    if (other == b.end()) fmt::print("- {} = {}\n", path, value), ++differences;
    else if (other->second != value)
      fmt::print("~ {}: {} -> {}\n", path, value, other->second), ++differences;
  }
  for (const auto& [path, value] : b)
    if (a.find(path) == a.end()) fmt::print("+ {} = {}\n", path, value), ++differences;
  if (differences == 0) fmt::print("no difference\n");
  return differences != 0;
}

} // namespace prism::info
