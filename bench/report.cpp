#include "bench/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

namespace bench {

namespace {

/// Goal of the geometric mean over a device's kernels: faster than OpenMP, not slower than handwritten
/// kernels, at least 0.9 of CUDA's speed.
double kernel_goal(const std::string& theirs) {
  if (theirs == "hand-written CUDA C") return 1 / 0.9;
  return theirs == "OpenMP" ? 1.0 : 1.05;
}
bool has_mean(const row& r) { return r.subject == "kernels" || r.subject == "cuda"; }

using clock_field = double times::*;

spread values_of(const std::vector<times>& all, clock_field clock) {
  std::vector<double> values;
  for (const times& t : all) values.push_back(t.*clock);
  return spread_of(std::move(values));
}

/// Ratios of adjacent runs, so that a slow phase of the machine cancels.
spread ratios_of(const series& all, clock_field clock) {
  std::vector<double> values;
  for (std::size_t i = 0; i < all.ours.size(); ++i)
    values.push_back(all.ours[i].*clock / all.theirs[i].*clock);
  return spread_of(std::move(values));
}

spread excesses_of(const series& all, clock_field clock) {
  std::vector<double> values;
  for (std::size_t i = 0; i < all.ours.size(); ++i)
    values.push_back(all.ours[i].*clock - all.theirs[i].*clock);
  return spread_of(std::move(values));
}

std::string seconds(double s) {
  const double size = std::fabs(s);
  if (size >= 1) return fmt::format("{:.2f} s", s);
  if (size >= 1e-3) return fmt::format("{:.2f} ms", s * 1e3);
  return fmt::format("{:.2f} us", s * 1e6);
}

/// The figure to which the goal applies, wall clock.
double reached(const row& r) {
  switch (r.wanted.what) {
    case goal::kind::none: return 0;
    case goal::kind::ratio: return ratios_of(r.measured, &times::wall).median;
    case goal::kind::excess: return excesses_of(r.measured, &times::wall).median;
    case goal::kind::ours: return values_of(r.measured.ours, &times::wall).median;
  }
  return 0;
}

std::string verdict(const row& r) {
  const bool met = reached(r) <= r.wanted.limit;
  switch (r.wanted.what) {
    case goal::kind::none: return "";
    case goal::kind::ratio: return fmt::format("{} <= {:.2f}", met ? "met" : "MISSED", r.wanted.limit);
    case goal::kind::excess:
      return fmt::format("{} theirs + {}", met ? "met" : "MISSED", seconds(r.wanted.limit));
    case goal::kind::ours: return fmt::format("{} <= {}", met ? "met" : "MISSED", seconds(r.wanted.limit));
  }
  return "";
}

constexpr const char* line_format = "{:<10} {:<{}} {:<34.34} {:>10} {:>10} {:>6} {:>13} {:>8}  {}\n";

std::string line(const row& r, std::size_t name_width) {
  const spread ratio = ratios_of(r.measured, &times::wall);
  return fmt::format(line_format, r.subject, r.name, name_width, r.device,
                     seconds(values_of(r.measured.ours, &times::wall).median),
                     seconds(values_of(r.measured.theirs, &times::wall).median),
                     fmt::format("{:.2f}", ratio.median),
                     fmt::format("[{:.2f} {:.2f}]", ratio.low, ratio.high),
                     fmt::format("{:.2f}", ratios_of(r.measured, &times::processor).median), verdict(r));
}

nlohmann::json json_of(const spread& s) { return {{"median", s.median}, {"q1", s.low}, {"q3", s.high}}; }

nlohmann::json json_of(const series& all, clock_field clock) {
  return {{"ours_s", json_of(values_of(all.ours, clock))},
          {"theirs_s", json_of(values_of(all.theirs, clock))},
          {"ratio", json_of(ratios_of(all, clock))},
          {"excess_s", json_of(excesses_of(all, clock))}};
}

const char* name_of(goal::kind kind) {
  switch (kind) {
    case goal::kind::none: return "none";
    case goal::kind::ratio: return "ratio";
    case goal::kind::excess: return "excess_s";
    case goal::kind::ours: return "ours_s";
  }
  return "none";
}

} // namespace

void report::add(row measured) {
  fmt::print(stderr, "{}", line(measured, 20));
  m_rows.push_back(std::move(measured));
}

void report::skip(const std::string& subject, const std::string& device, const std::string& reason,
                  bool failed) {
  fmt::print(stderr, "{} {} {}: {}\n", subject, device, failed ? "failed" : "skipped", reason);
  m_gaps.push_back({subject, device, reason, failed});
  m_failed = m_failed || failed;
}

void report::fact(const std::string& name, const std::string& value) { m_facts.emplace_back(name, value); }

std::vector<report::mean> report::means() const {
  std::vector<mean> all;
  for (const row& r : m_rows) {
    if (!has_mean(r)) continue;
    auto found = std::find_if(all.begin(), all.end(),
                              [&](const mean& m) { return m.device == r.device && m.theirs == r.theirs; });
    if (found == all.end()) found = all.insert(all.end(), {r.subject, r.device, r.theirs, 0, 0, 0});
    found->wall += std::log(ratios_of(r.measured, &times::wall).median);
    found->processor += std::log(ratios_of(r.measured, &times::processor).median);
    ++found->rows;
  }
  for (mean& m : all) {
    m.wall = std::exp(m.wall / double(m.rows));
    m.processor = std::exp(m.processor / double(m.rows));
  }
  return all;
}

/// A line for each operation and size: theirs / ours by each number of threads, and from the second number
/// on the time by one thread / by so many, of ours and of theirs. One turn of the measurement has all of
/// them.
std::string report::scaling_text() const {
  std::string out;
  const auto speed_up = [](const row& one, const row& more, std::vector<times> series::* side) {
    series both;
    both.ours = one.measured.*side, both.theirs = more.measured.*side;
    return ratios_of(both, &times::wall).median;
  };
  const row* first = nullptr;
  for (const row& r : m_rows) {
    if (!r.scaled) continue;
    const bool begins = !first || first->scaled->operation != r.scaled->operation ||
                        first->scaled->size != r.scaled->size || first->device != r.device;
    if (begins) {
      first = &r;
      out += fmt::format("\n{:<26} {:<18} {:<20}", r.scaled->operation, r.scaled->size, r.theirs);
    }
    series turned;
    turned.ours = r.measured.theirs, turned.theirs = r.measured.ours;
    const spread speed = ratios_of(turned, &times::wall);
    out += fmt::format(" | {}: {:.2f} [{:.2f} {:.2f}] {:.2f}", r.scaled->threads, speed.median, speed.low,
                       speed.high, ratios_of(turned, &times::processor).median);
    if (!begins && first->measured.ours.size() == r.measured.ours.size())
      out += fmt::format(", {:.2f} {:.2f}", speed_up(*first, r, &series::ours),
                         speed_up(*first, r, &series::theirs));
  }
  if (out.empty()) return out;
  return "\nby threads: time of the reference / of PRISM by as many [quartiles], the same of processor "
         "time; then time by the\nfirst number of threads / by so many, of PRISM and of the reference" +
         out + "\n";
}

std::string report::text() const {
  std::string out =
      "PRISM benchmarks: ours against theirs in one run, alternating; ratio = median of neighbouring pairs, "
      "[quartiles];\nprocessor = the same ratio of processor time.\n\n";
  for (const auto& [name, value] : m_facts) out += fmt::format("{:<14} {}\n", name, value);
  std::size_t name_width = 20;
  for (const row& r : m_rows) name_width = std::max(name_width, r.name.size());
  out += "\n" + fmt::format(line_format, "subject", "name", name_width, "device", "ours", "theirs", "ratio",
                            "", "process.", "goal");
  std::map<std::string, std::string> compared; // keys: subject and sides, in the order of the table
  for (const row& r : m_rows) {
    out += line(r, name_width);
    compared[r.subject + " on " + r.device + (has_mean(r) ? "" : ", " + r.name)] =
        r.ours + " against " + r.theirs;
  }
  out += scaling_text();
  out += "\ngeometric means over the kernels\n";
  for (const mean& m : means()) {
    out += fmt::format("{:<34.34} against {:<28} {:.3f} (processor {:.3f}) of {} kernels: {} <= {:.2f}\n",
                       m.device, m.theirs, m.wall, m.processor, m.rows,
                       m.wall <= kernel_goal(m.theirs) ? "met" : "MISSED", kernel_goal(m.theirs));
  }
  out += "\nwhat was compared\n";
  for (const auto& [what, sides] : compared) out += fmt::format("{}: {}\n", what, sides);
  for (const gap& g : m_gaps)
    out += fmt::format("{}: {} on {}: {}\n", g.failed ? "FAILED" : "skipped", g.subject, g.device, g.reason);
  return out;
}

std::string report::json() const {
  nlohmann::json out;
  out["schema"] = "prism-bench/1";
  for (const auto& [name, value] : m_facts)
    out["machine"][name].push_back(value); // a fact may have several values
  out["rows"] = nlohmann::json::array();
  for (const row& r : m_rows) {
    nlohmann::json one = {{"subject", r.subject},
                          {"name", r.name},
                          {"device", r.device},
                          {"ours", r.ours},
                          {"theirs", r.theirs},
                          {"rounds", r.measured.ours.size()},
                          {"wall", json_of(r.measured, &times::wall)},
                          {"processor", json_of(r.measured, &times::processor)}};
    if (r.scaled)
      one["scaled"] = {
          {"operation", r.scaled->operation}, {"size", r.scaled->size}, {"threads", r.scaled->threads}};
    if (r.wanted.what != goal::kind::none) {
      one["goal"] = {{"what", name_of(r.wanted.what)},
                     {"limit", r.wanted.limit},
                     {"reached", reached(r)},
                     {"met", reached(r) <= r.wanted.limit}};
    }
    out["rows"].push_back(std::move(one));
  }
  out["kernel_geomeans"] = nlohmann::json::array();
  for (const mean& m : means()) {
    out["kernel_geomeans"].push_back({{"device", m.device},
                                      {"theirs", m.theirs},
                                      {"wall_ratio", m.wall},
                                      {"processor_ratio", m.processor},
                                      {"kernels", m.rows},
                                      {"limit", kernel_goal(m.theirs)},
                                      {"met", m.wall <= kernel_goal(m.theirs)}});
  }
  out["skipped"] = nlohmann::json::array();
  for (const gap& g : m_gaps) {
    out["skipped"].push_back(
        {{"subject", g.subject}, {"device", g.device}, {"reason", g.reason}, {"failed", g.failed}});
  }
  return out.dump(2) + "\n";
}

void report::write(const std::filesystem::path& folder) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, content] :
       {std::pair<const char*, std::string>{"bench.txt", text()}, {"bench.json", json()}}) {
    std::ofstream file(folder / name);
    if (!(file << content).flush()) throw std::runtime_error("cannot write " + (folder / name).string());
  }
}

} // namespace bench
