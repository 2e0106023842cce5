#include "extras/policy/explain.hpp"

#include "extras/policy/requirement.hpp"
#include "extras/policy/vocabulary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace prism::policy {

namespace {

using row = std::vector<std::string>;

/// Pads each column to its longest cell, except for the last column.
std::string aligned(const std::vector<row>& rows) {
  std::vector<std::size_t> widths;
  for (const row& r : rows)
    for (std::size_t i = 0; i < r.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], r[i].size());
    }
  std::string out;
  for (const row& r : rows) {
    std::string line;
    for (std::size_t i = 0; i < r.size(); ++i)
      line +=
          (i == 0 ? "  " : "  ") + r[i] + (i + 1 < r.size() ? std::string(widths[i] - r[i].size(), ' ') : "");
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::string heading(const execution_policy& policy, const workload& work) {
  std::string out = "policy: " + to_text(policy) +
                    "\nworkload: " + (work.operation.empty() ? "unnamed" : work.operation) + ", " +
                    short_number(work.flops) + " flops in " + work.data_type + ", " + bytes_text(work.bytes) +
                    " of memory traffic, " + bytes_text(work.bytes_to_move) + " to move";
  if (!work.data_on.empty()) out += " unless to " + work.data_on;
  return out + ", " + short_number(work.items) + " items\n";
}

/// Reports entries of `prefer` that no device matches. They have no effect, so a misspelt one would not be
/// noticed.
std::string preferred_in_vain(const execution_policy& policy,
                              const std::vector<device_description>& devices) {
  std::string out;
  for (const std::string& entry : policy.prefer) {
    const requirement wanted = parse_requirement(entry);
    if (std::none_of(devices.begin(), devices.end(),
                     [&](const device_description& d) { return meets(d, wanted); }))
      out += "prefer \"" + entry + "\": no device here; " + found_instead(devices.front(), wanted) + "\n";
  }
  return out;
}

double finite(double value) { return std::isfinite(value) ? value : -1; }

} // namespace

const char* priority_name(priority p) noexcept {
  switch (p) {
    case priority::speed: return "speed";
    case priority::latency: return "latency";
    case priority::throughput: return "throughput";
    case priority::cost: return "cost";
    case priority::energy: return "energy";
  }
  return "speed";
}

std::vector<candidate> candidates_of(const decider& by, const job& work,
                                     const std::vector<device_description>& devices) {
  std::vector<candidate> out;
  for (const std::size_t i : by.ranking(work)) {
    const judgement j = by.judge(i, work);
    out.push_back(
        {i, devices[i].name, j.time.predicted, j.fits(), by.reason(devices[i], i, work), out.size()});
  }
  return out;
}

std::string table(const execution_policy& policy, const workload& work, const std::vector<candidate>& all,
                  const std::vector<device_description>& devices) {
  std::vector<row> rows{{"", "device", "type", "time", "cost", "energy", "items/s", "why"}};
  for (const candidate& c : all) {
    const prediction& p = c.predicted;
    const bool known = std::isfinite(p.total.count());
    const device_description& d = devices[c.index];
    std::string why = c.reason;
    if (c.fits)
      why = std::string(c.rank == 0 ? "chosen" : "fits") + ": launch " + time_text(p.launch.count()) +
            (p.building.count() > 0 ? ", building " + time_text(p.building.count()) : "") + ", moving " +
            time_text(p.moving.count()) +
            (p.computing >= p.memory ? ", computing " + time_text(p.computing.count())
                                     : ", memory " + time_text(p.memory.count())) +
            (d.estimated.empty() ? "" : " (from estimates)");
    rows.push_back({c.fits ? (c.rank == 0 ? "=>" : std::to_string(c.rank + 1)) : "-", c.name, d.device_type,
                    known ? time_text(p.total.count()) : "?", known ? short_number(p.cost) : "?",
                    known && p.energy_joules > 0 ? short_number(p.energy_joules) + " J" : "?",
                    known ? short_number(p.throughput) : "?", why});
  }
  std::string out = heading(policy, work);
  if (all.empty()) return out + "  there are no devices to choose from\n";
  if (!all.front().fits) out += "no device fits:\n";
  return out + aligned(rows) + preferred_in_vain(policy, devices);
}

std::string table_json(const execution_policy& policy, const workload& work,
                       const std::vector<candidate>& all) {
  using json = nlohmann::ordered_json;
  json list = json::array();
  for (const candidate& c : all) {
    json one{{"device", c.name}, {"index", c.index}, {"fits", c.fits}};
    if (c.fits) one["rank"] = c.rank;
    else one["reason"] = c.reason;
    const prediction& p = c.predicted;
    if (std::isfinite(p.total.count()))
      one.update({{"time_s", p.total.count()},
                  {"time_lower_s", p.lower.count()},
                  {"time_upper_s", p.upper.count()},
                  {"launch_s", p.launch.count()},
                  {"building_s", p.building.count()},
                  {"moving_s", p.moving.count()},
                  {"computing_s", p.computing.count()},
                  {"memory_s", p.memory.count()},
                  {"cost", finite(p.cost)},
                  {"energy_j", finite(p.energy_joules)},
                  {"items_per_s", finite(p.throughput)}});
    list.push_back(std::move(one));
  }
  const json out{{"schema", 1},
                 {"policy", to_text(policy)},
                 {"workload",
                  {{"operation", work.operation},
                   {"data_type", work.data_type},
                   {"flops", work.flops},
                   {"bytes", work.bytes},
                   {"bytes_to_move", work.bytes_to_move},
                   {"items", work.items},
                   {"builds", work.builds}}},
                 {"chosen", !all.empty() && all.front().fits ? json(all.front().name) : json()},
                 {"candidates", list}};
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace prism::policy
