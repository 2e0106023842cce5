// Writes descriptions: builds a tree of JSON values and writes it as JSON, or as YAML with the same content.
#include "extras/policy/description_file.hpp"

#include <nlohmann/json.hpp>
#include <yaml-cpp/emitter.h>

namespace prism::policy {

namespace {

using json = nlohmann::ordered_json;

json version_value(feature_version v) {
  if (v.second == 0) return v.first;
  return std::to_string(v.first) + "." + std::to_string(v.second);
}

json value_of(const feature_description& f) {
  json out{{"name", f.name}, {"version", version_value(f.version)}};
  for (const operation_description& o : f.operations)
    out["operations"].push_back({{"name", o.name}, {"data_types", o.data_types}});
  return out;
}

json value_of(const device_description& d) {
  json out{{"name", d.name}, {"device_type", d.device_type}, {"compute_units", d.compute_units}};
  if (!d.vendor_path.empty()) out["vendor_path"] = d.vendor_path;
  for (const memory_level& m : d.memory_hierarchy)
    out["memory_hierarchy"].push_back(
        m.level.empty()
            ? json{{"size_bytes", m.size_bytes}, {"bandwidth_gbps", m.bandwidth_gbps}}
            : json{{"level", m.level}, {"size_bytes", m.size_bytes}, {"bandwidth_gbps", m.bandwidth_gbps}});
  for (const feature_description& f : d.features) out["features"].push_back(value_of(f));
  if (!d.peak_gflops.empty()) out["peak_gflops"] = d.peak_gflops;
  out["launch_latency_us"] = d.launch_latency_us;
  if (d.build_ms != 0) out["build_ms"] = d.build_ms;
  out["transfer_gbps"] = d.transfer_gbps;
  out["price_per_hour"] = d.price_per_hour;
  out["watts"] = d.watts;
  if (!d.executes_on.empty()) out["executes_on"] = d.executes_on;
  if (!d.sources.empty()) out["sources"] = d.sources;
  if (!d.backend.empty()) out["backend"] = d.backend;
  if (!d.vendor.empty()) out["vendor"] = d.vendor;
  if (!d.driver.empty()) out["driver"] = d.driver;
  if (!d.platform.empty()) out["platform"] = d.platform;
  if (!d.physical_id.empty()) out["physical_id"] = d.physical_id;
  if (!d.limits.empty()) out["limits"] = d.limits;
  if (d.only_when_named) out["only_when_named"] = true;
  if (!d.estimated.empty()) out["estimated"] = d.estimated;
  return out;
}

json tree(const std::vector<device_description>& devices) {
  json list = json::array();
  for (const device_description& d : devices) list.push_back(value_of(d));
  return {{"schema", description_schema}, {"devices", list}};
}

void emit(YAML::Emitter& out, const json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, item] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      emit(out, item);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << YAML::BeginSeq;
    for (const json& item : value) emit(out, item);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    out << YAML::DoubleQuoted << value.get<std::string>(); // quoted, because a name may look like a number
  } else {
    out << value.dump(); // JSON's numbers and truth values are valid YAML and round-trip exactly
  }
}

} // namespace

std::string write_json(const std::vector<device_description>& devices) {
  return tree(devices).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string write_yaml(const std::vector<device_description>& devices) {
  YAML::Emitter out;
  emit(out, tree(devices));
  return std::string(out.c_str()) + "\n";
}

} // namespace prism::policy
