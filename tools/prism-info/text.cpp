// Text of prism-info; see text.hpp.
#include "tools/prism-info/text.hpp"

#include "runtime/select/selector.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace prism::info {
namespace {

std::string bytes(std::uint64_t n) {
  if (n >= std::uint64_t(1) << 30) return fmt::format("{:.1f} GiB", double(n) / double(1 << 30));
  if (n >= 1 << 20) return fmt::format("{:.0f} MiB", double(n) / double(1 << 20));
  return fmt::format("{} KiB", n >> 10);
}

std::string joined(const json& list) {
  std::string text;
  for (const auto& item : list)
    text += (text.empty() ? "" : ", ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return text;
}

std::string usm(const json& kinds) {
  std::string text;
  for (const auto& [kind, has] : kinds.items())
    if (has.get<bool>()) text += (text.empty() ? "" : ", ") + kind;
  return text.empty() ? "none (buffers only)" : text;
}

devices::device_type type_of(const std::string& name) {
  using devices::device_type;
  return name == "cpu"           ? device_type::cpu
         : name == "gpu"         ? device_type::gpu
         : name == "accelerator" ? device_type::accelerator
                                 : device_type::custom;
}

struct flat_device {
  const json* backend;
  const json* device;
  select::device_fact fact;
};

std::vector<flat_device> flatten(const json& report) {
  std::vector<flat_device> all;
  for (const auto& b : report["backends"])
    for (const auto& d : b["devices"])
      all.push_back({&b,
                     &d,
                     {b["name"], d["index"], d["platform"]["name"], d["name"], type_of(d["type"]),
                      d["software"], d["platform"]["version"]}});
  return all;
}

std::vector<std::size_t> chosen_order(const json& report, const std::vector<flat_device>& all,
                                      const std::string& expression) {
  std::vector<std::string> names;
  for (const auto& b : report["backends"]) names.push_back(b["name"]);
  std::vector<select::device_fact> facts;
  for (const auto& d : all) facts.push_back(d.fact);
  auto order = select::apply_selector(select::parse_selector(expression, names), facts);
  if (expression.empty())
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const auto score = [&](std::size_t i) {
        return select::default_score(facts[i], (*all[i].backend)["priority"]);
      };
      return score(a) > score(b);
    });
  return order;
}

std::string id(const flat_device& d) { return fmt::format("{}:{}", d.fact.backend, d.fact.index); }

void details(std::string& text, const json& d, bool verbose) {
  text += fmt::format("      {} compute units, {} memory, {} local, work-groups up to {}, sub-groups {}\n",
                      d["compute_units"].get<unsigned>(), bytes(d["global_memory_bytes"]),
                      bytes(d["local_memory_bytes"]), d["max_group_size"].get<std::uint64_t>(),
                      joined(d["sub_group_sizes"]));
  text += fmt::format("      shared memory kinds: {}\n      features: {}\n", usm(d["usm"]),
                      joined(d["features"]));
  if (verbose)
    text += fmt::format("      vendor {} ({:#x}), version {}, driver {}\n      extensions: {}\n",
                        d["vendor"].get<std::string>(), d["vendor_id"].get<unsigned>(),
                        d["version"].get<std::string>(), d["driver_version"].get<std::string>(),
                        joined(d["extensions"]));
}

/// "45 °C, 70 W of 350 W, fan 30 %, 61 GiB free"; empty without any.
std::string sensors(const json& now) {
  std::vector<std::string> parts;
  if (now.contains("celsius")) parts.push_back(fmt::format("{:.0f} °C", now["celsius"].get<double>()));
  std::string power;
  if (now.contains("watts")) power = fmt::format("{:.0f} W", now["watts"].get<double>());
  if (now.contains("power_limit_watts"))
    power += fmt::format("{}{:.0f} W", power.empty() ? "at most " : " of ",
                         now["power_limit_watts"].get<double>());
  if (!power.empty()) parts.push_back(power);
  if (now.contains("fan_percent"))
    parts.push_back(fmt::format("fan {} %", now["fan_percent"].get<unsigned>()));
  if (now.contains("free_memory_bytes")) parts.push_back(bytes(now["free_memory_bytes"]) + " free");
  if (now.contains("throttled") && now["throttled"].get<bool>()) parts.push_back("throttled");
  return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace

std::string to_text(const json& report, bool verbose) {
  std::string text = fmt::format("PRISM {}\n", report["prism_version"].get<std::string>());
  std::vector<std::string> order;
  std::map<std::string, std::vector<flat_device>> physical;
  for (const flat_device& d : flatten(report)) {
    std::string key = (*d.device)["physical_id"];
    if (key.empty()) key = id(d);
    if (physical[key].empty()) order.push_back(key);
    physical[key].push_back(d);
  }
  for (const std::string& key : order) {
    const auto& ways = physical[key];
    const std::string label = key == "cpu" ? "this machine's processor" : ways.front().fact.name;
    text += fmt::format("\n{} ({})\n", label, key);
    if (const std::string now = sensors((*ways.front().device)["sensors"]); !now.empty())
      text += "  sensors    " + now + "\n";
    for (const flat_device& d : ways) {
      text += fmt::format("  {:<10} {} on {}{}\n", id(d), d.fact.name, d.fact.platform_name,
                          d.fact.software ? " (software)" : "");
      details(text, *d.device, verbose);
    }
  }
  for (const auto& b : report["backends"])
    if (b["status"] != "usable" || b["broken_driver"])
      text += fmt::format("\n{}: {}: {}\n", b["name"].get<std::string>(), b["status"].get<std::string>(),
                          b["reason"].get<std::string>());
  for (const auto& r : report["refused"])
    text += fmt::format("\nrefused: {}: {}\n", r["name"].get<std::string>(), r["reason"].get<std::string>());
  const bool real = std::any_of(report["backends"].begin(), report["backends"].end(),
                                [](const json& b) { return b["name"] != "host" && b["status"] == "usable"; });
  if (!real)
    text += "\nNo OpenCL or Vulkan device: kernels run on the host device. `prism-info --doctor` shows the "
            "reasons.\n";
  return text;
}

selection explain_selection(const json& report, const std::string& expression) {
  const auto all = flatten(report);
  const auto order = chosen_order(report, all, expression);
  selection s;
  s.text = expression.empty()
               ? "default order: real GPU, host, OpenCL on the CPU; software Vulkan only when named\n"
               : fmt::format("selector '{}'\n", expression);
  std::size_t rank = 0;
  for (std::size_t i : order) {
    const double score = select::default_score(all[i].fact, (*all[i].backend)["priority"]);
    const bool eligible = !expression.empty() || score >= 0;
    if (eligible && !s.chosen) s.chosen = id(all[i]);
    s.text += fmt::format("  {} {:<10} {} on {}{}\n", eligible && ++rank == 1 ? "->" : "  ", id(all[i]),
                          all[i].fact.name, all[i].fact.platform_name, eligible ? "" : " (only when named)");
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end())
      s.text += fmt::format("   - {:<10} {} on {} (not matched)\n", id(all[i]), all[i].fact.name,
                            all[i].fact.platform_name);
  if (!s.chosen) {
    std::vector<select::device_fact> facts;
    for (const auto& d : all) facts.push_back(d.fact);
    std::vector<select::missing_backend> missing;
    for (const auto& b : report["backends"]) {
      const std::string reason = b["reason"];
      if (b["status"] != "usable" || !reason.empty()) missing.push_back({b["name"], reason});
    }
    s.text += select::nothing_matches(expression, facts, missing) + "\n";
  }
  return s;
}

json filter(json report, const std::string& expression) {
  if (expression.empty()) return report;
  const auto all = flatten(report);
  const auto order = chosen_order(report, all, expression);
  std::vector<std::string> matching;
  for (std::size_t i : order) matching.push_back(id(all[i]));
  for (auto& b : report["backends"]) {
    json devices = json::array();
    for (const auto& d : b["devices"])
      if (std::find(matching.begin(), matching.end(),
                    fmt::format("{}:{}", b["name"].get<std::string>(), d["index"].get<std::size_t>())) !=
          matching.end())
        devices.push_back(d);
    b["devices"] = devices;
  }
  return report;
}

} // namespace prism::info
