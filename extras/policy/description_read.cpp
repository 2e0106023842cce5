// Reads descriptions. Unknown keys are errors, and each value is checked where it is read, so errors have the
// location in the file.
#include "extras/policy/description_file.hpp"
#include "extras/policy/predict.hpp"
#include "extras/policy/problem.hpp"
#include "extras/policy/vendor_path.hpp"
#include "extras/policy/vocabulary.hpp"
#include "runtime/support/read_file.hpp"
#include "runtime/support/text.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <yaml-cpp/yaml.h>

namespace prism::policy {

namespace {

constexpr std::size_t largest_file = 16u << 20;
constexpr std::size_t most_values =
    100'000; // of all lists and maps; one that stands behind an alias counts each time

const std::vector<std::string> device_keys = {
    "device_type",      "name",        "vendor_path",    "compute_units",
    "memory_hierarchy", "features",    "peak_gflops",    "launch_latency_us",
    "transfer_gbps",    "watts",       "price_per_hour", "executes_on",
    "backend",          "vendor",      "limits",         "only_when_named",
    "estimated",        "source",      "sources",        "schema",
    "driver",           "physical_id", "build_ms",       "platform"};
const std::vector<std::string> level_keys = {"level", "size_bytes", "bandwidth_gbps"};
const std::vector<std::string> feature_keys = {"name", "version", "operations"};
const std::vector<std::string> operation_keys = {"name", "data_types"};
const std::vector<std::string> top_keys = {"devices", "schema"};
const std::vector<std::string> data_types = {"fp64",   "fp32",   "tf32",   "fp16",  "bf16", "fp8",  "fp6",
                                             "fp4",    "int64",  "int32",  "int16", "int8", "int4", "int1",
                                             "uint64", "uint32", "uint16", "uint8", "uint4"};
const std::vector<std::string> type_names = {"cpu", "gpu", "accelerator", "custom"};

/// The file that is read.
struct source {
  std::string name;
  mutable std::size_t left = most_values;
};

/// A value with its location in the file.
struct place {
  const source* file;
  std::string key; // "devices[0].features[1].name"
  YAML::Node node;

  [[noreturn]] void fail(const std::string& text) const {
    const YAML::Mark mark = node.Mark();
    const bool known = !mark.is_null();
    throw file_problem(file->name, known ? std::size_t(mark.line) + 1 : 1,
                       known ? std::size_t(mark.column) + 1 : 1, key, text);
  }
  /// Counts values, so that a small file whose aliases stand for millions of them is refused.
  void take(std::size_t values) const {
    if (values > file->left)
      fail("has more than " + std::to_string(most_values) +
           " values with all before it, counting what aliases stand for");
    file->left -= values;
  }
  std::string shown() const {
    if (node.IsScalar()) return "\"" + node.Scalar().substr(0, 40) + "\"";
    return node.IsSequence() ? "a list" : node.IsMap() ? "a map" : "nothing";
  }
  place child(const std::string& name) const {
    return {file, key.empty() ? name : key + "." + name, node[name]};
  }
  bool has(const std::string& name) const { return node[name].IsDefined() && !node[name].IsNull(); }

  std::string text() const {
    if (!node.IsScalar() || node.Scalar().empty()) fail("must be a text, found " + shown());
    if (!support::is_utf8(node.Scalar())) fail("must be text in UTF-8");
    return node.Scalar();
  }
  double number(const char* unit) const {
    const auto value = node.IsScalar() ? plain_number(node.Scalar()) : std::nullopt;
    if (!value || *value < 0)
      fail(std::string("must be a number of ") + unit + ", zero or more, found " + shown());
    if (*value > most_figure)
      fail(std::string("must be a number of ") + unit + ", 1e18 at most, found " + shown());
    return *value;
  }
  std::uint64_t size() const {
    const auto value = node.IsScalar() ? number_with_unit(node.Scalar()) : std::nullopt;
    if (!value || *value < 1 || *value > 0x1p62)
      fail("must be a size such as 8589934592 or 8GiB, found " + shown());
    return static_cast<std::uint64_t>(*value);
  }
  bool truth() const {
    const std::string word = node.IsScalar() ? support::to_lower(node.Scalar()) : "";
    if (word != "true" && word != "false") fail("must be true or false, found " + shown());
    return word == "true";
  }
  std::vector<place> items() const {
    if (!node.IsSequence()) fail("must be a list, found " + shown());
    take(node.size());
    std::vector<place> out;
    for (std::size_t i = 0; i < node.size(); ++i)
      out.push_back({file, key + "[" + std::to_string(i) + "]", node[i]});
    return out;
  }
  /// Returns the entries of a map. A key that is not a text, or is given twice, is an error.
  std::vector<std::pair<std::string, place>> entries() const {
    if (!node.IsMap()) fail("must be a map, found " + shown());
    take(node.size());
    std::vector<std::pair<std::string, place>> out;
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const place name{file, key, entry.first};
      const std::string text = name.text();
      if (!seen.insert(text).second) name.fail("the key \"" + text + "\" is given twice");
      out.emplace_back(text, place{file, key.empty() ? text : key + "." + text, entry.second});
    }
    return out;
  }
  void only(const std::vector<std::string>& known) const {
    if (!node.IsMap())
      fail("must be a map with the keys " + support::join(known, ", ") + ", found " + shown());
    std::set<std::string> seen;
    for (const auto& entry : node) {
      const place name{file, key, entry.first};
      const std::string text = name.text();
      if (std::find(known.begin(), known.end(), text) == known.end())
        name.fail("unknown key \"" + text.substr(0, 60) + "\". " + did_you_mean(text, known) +
                  "Known: " + support::join(known, ", "));
      if (!seen.insert(text).second) name.fail("the key \"" + text + "\" is given twice");
    }
  }
  place needed(const std::string& name) const {
    if (!has(name)) fail("the key \"" + name + "\" is missing");
    return child(name);
  }
};

std::vector<std::string> texts(const place& list) {
  std::vector<std::string> out;
  for (const place& item : list.items()) out.push_back(item.text());
  return out;
}

feature_version version(const place& at) {
  const std::string text = at.node.IsScalar() ? at.node.Scalar() : "";
  const auto dot = text.find('.');
  const auto part = [&](const std::string& digits) {
    if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != digits.npos)
      at.fail("must be a version such as 2 or 1.2, found " + at.shown());
    return std::stoi(digits);
  };
  return {part(text.substr(0, dot)), dot == text.npos ? 0 : part(text.substr(dot + 1))};
}

memory_level read_level(const place& at) {
  at.only(level_keys);
  memory_level level;
  level.size_bytes = at.needed("size_bytes").size();
  if (at.has("level")) level.level = at.child("level").text();
  if (at.has("bandwidth_gbps"))
    level.bandwidth_gbps = at.child("bandwidth_gbps").number("gigabytes a second");
  return level;
}

feature_description read_feature(const place& at) {
  feature_description feature;
  if (at.node.IsScalar()) { // "fp64" means version 1
    feature.name = at.text();
    return feature;
  }
  at.only(feature_keys);
  feature.name = at.needed("name").text();
  if (at.has("version")) feature.version = version(at.child("version"));
  if (at.has("operations"))
    for (const place& item : at.child("operations").items()) {
      item.only(operation_keys);
      operation_description operation{item.needed("name").text(), {}};
      if (item.has("data_types")) operation.data_types = texts(item.child("data_types"));
      feature.operations.push_back(std::move(operation));
    }
  return feature;
}

void read_rates(const place& at, device_description& device) {
  if (at.node.IsScalar()) { // a number alone is for single precision
    device.peak_gflops["fp32"] = at.number("gigaflops");
    return;
  }
  for (const auto& [type, value] : at.entries()) {
    const std::string name = canonical_data_type(type);
    const bool known = std::find(data_types.begin(), data_types.end(), name) != data_types.end();
    if (const std::string meant = known ? "" : did_you_mean(name, data_types);
        !meant.empty()) // only likely misspellings are errors
      value.fail("unknown data type \"" + type.substr(0, 60) + "\". " + meant +
                 "Known: " + support::join(data_types, ", "));
    device.peak_gflops[name] = value.number("gigaflops");
  }
}

/// A description without rates is usable if it says which types its operations take and how fast its memory
/// is: the rates are then estimated as one operation for four bytes of the fastest level, and marked as
/// estimated.
void estimate_rates(device_description& device) {
  double fastest = 0;
  for (const memory_level& level : device.memory_hierarchy) fastest = std::max(fastest, level.bandwidth_gbps);
  if (fastest == 0) return;
  for (const feature_description& feature : device.features)
    for (const operation_description& operation : feature.operations)
      for (const std::string& type : operation.data_types)
        device.peak_gflops[canonical_data_type(type)] = fastest / 4;
  if (!device.peak_gflops.empty()) device.estimated.push_back("peak_gflops");
}

void read_rest(const place& at, device_description& device) {
  const auto number = [&](const char* key, const char* unit, double& into) {
    if (at.has(key)) into = at.child(key).number(unit);
  };
  const auto text = [&](const char* key, std::string& into) {
    if (at.has(key)) into = at.child(key).text();
  };
  number("launch_latency_us", "microseconds", device.launch_latency_us);
  number("build_ms", "milliseconds", device.build_ms);
  number("transfer_gbps", "gigabytes a second", device.transfer_gbps);
  number("price_per_hour", "money", device.price_per_hour);
  number("watts", "watts", device.watts);
  text("executes_on", device.executes_on);
  text("backend", device.backend);
  text("vendor", device.vendor);
  text("driver", device.driver);
  text("platform", device.platform);
  text("physical_id", device.physical_id);
  if (at.has("sources"))
    for (const auto& [figure, where] : at.child("sources").entries()) {
      if (std::find(device_keys.begin(), device_keys.end(), figure) == device_keys.end())
        where.fail("\"" + figure + "\" is not a key of a description. " + did_you_mean(figure, device_keys));
      device.sources[figure] = where.text();
    }
  if (at.has("limits"))
    for (const auto& [name, value] : at.child("limits").entries()) {
      const auto amount = value.node.IsScalar() ? number_with_unit(value.node.Scalar()) : std::nullopt;
      if (!amount || *amount < 0) value.fail("must be a number, found " + value.shown());
      device.limits[name] = *amount;
    }
  if (at.has("only_when_named")) device.only_when_named = at.child("only_when_named").truth();
  if (at.has("estimated")) device.estimated = texts(at.child("estimated"));
}

void check_schema(const place& at) {
  if (at.has("schema") && at.child("schema").number("the schema") != description_schema)
    at.child("schema").fail("this PRISM reads schema " + std::to_string(description_schema) + ", found " +
                            at.child("schema").shown());
}

/// A vendor path in lower case: words of letters, digits, '_' and '-' with dots between them.
std::string vendor_path(const place& at) {
  const std::string path = support::to_lower(at.text());
  const bool words = path.front() != '.' && path.back() != '.' && path.find("..") == path.npos;
  if (!words || path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-.") != path.npos)
    at.fail("must be one of " + support::join(type_names, ", ") +
            " or a vendor path such as aws.trainium2, found " + at.shown());
  return path;
}

/// One of the four types, or a vendor path, whose type follows from its words. A word alone that PRISM does
/// not know and that is nearly a type is an error, because it is more likely misspelt.
void read_type(const place& at, device_description& device) {
  device.device_type = vendor_path(at);
  if (std::find(type_names.begin(), type_names.end(), device.device_type) != type_names.end()) return;
  device.vendor_path = device.device_type;
  device.device_type = class_of_path(device.vendor_path);
  if (device.device_type == "custom" && device.vendor_path.find('.') == std::string::npos)
    if (const std::string meant = did_you_mean(device.vendor_path, type_names); !meant.empty())
      at.fail("unknown device type " + at.shown() + ". " + meant +
              "Known: " + support::join(type_names, ", ") + ", or a vendor path such as aws.trainium2");
}

device_description read_device(const place& at) {
  at.only(device_keys);
  check_schema(at);
  device_description device;
  read_type(at.needed("device_type"), device);
  if (at.has("vendor_path")) device.vendor_path = vendor_path(at.child("vendor_path"));
  device.name = at.has("name") || device.vendor_path.empty() ? at.needed("name").text() : device.vendor_path;
  if (at.has("compute_units")) {
    const place units = at.child("compute_units");
    const double count = units.number("compute units");
    if (count < 1 || count > 4e9 || count != std::floor(count))
      units.fail("must be a whole number from 1, found " + units.shown());
    device.compute_units = static_cast<std::uint32_t>(count);
  }
  if (at.has("memory_hierarchy"))
    for (const place& item : at.child("memory_hierarchy").items())
      device.memory_hierarchy.push_back(read_level(item));
  if (at.has("features"))
    for (const place& item : at.child("features").items()) device.features.push_back(read_feature(item));
  if (at.has("peak_gflops")) read_rates(at.child("peak_gflops"), device);
  read_rest(at, device);
  if (!at.has("peak_gflops")) estimate_rates(device);
  return device;
}

} // namespace

std::vector<device_description> read_devices(const std::string& text, const std::string& file) {
  if (text.size() > largest_file)
    throw file_problem(file, 0, 0, "", "is larger than 16 MiB, the limit for descriptions");
  try {
    const source from{file};
    const place top{&from, "", YAML::Load(text)};
    if (!top.node.IsMap())
      top.fail("must be one device's map or a map with the list `devices:`, found " + top.shown());
    std::vector<device_description> devices;
    if (!top.has("devices")) {
      devices.push_back(read_device(top));
      return devices;
    }
    top.only(top_keys);
    check_schema(top);
    for (const place& item : top.child("devices").items()) devices.push_back(read_device(item));
    return devices;
  } catch (const YAML::Exception& wrong) {
    const bool known = !wrong.mark.is_null();
    throw file_problem(file, known ? std::size_t(wrong.mark.line) + 1 : 1,
                       known ? std::size_t(wrong.mark.column) + 1 : 1, "",
                       "is neither valid YAML nor JSON: " + wrong.msg);
  }
}

std::vector<device_description> read_devices_file(const std::string& file) {
  const support::file_bytes read = support::read_file(file, largest_file);
  if (!read.problem.empty())
    throw file_problem(file, 0, 0, "",
                       read.problem + "; give the path of a YAML or JSON file with device descriptions");
  if (read.bytes.empty())
    throw file_problem(file, 0, 0, "", "is empty; it must describe devices, as prism-info --export does");
  return read_devices(read.bytes, file);
}

} // namespace prism::policy
