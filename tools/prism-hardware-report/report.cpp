#include "tools/prism-hardware-report/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

namespace prism::hardware {

using nlohmann::ordered_json;

namespace {

std::string number(double value, const char* form = "%.1f") {
  char text[32];
  std::snprintf(text, sizeof text, form, value);
  return text;
}

/// The JSON line that a measuring program prints last, as an object; empty for other output.
ordered_json figures_of(const outcome& o) {
  const std::size_t begin = o.output.rfind("\n{\"figures\"");
  const std::size_t from =
      begin == std::string::npos ? (o.output.rfind("{\"figures\"", 0) == 0 ? 0 : begin) : begin + 1;
  if (from == std::string::npos) return {};
  ordered_json parsed =
      ordered_json::parse(o.output.substr(from, o.output.find('\n', from) - from), nullptr, false);
  return parsed.is_object() ? parsed["figures"] : ordered_json();
}

std::vector<std::string> failed_tests_of(const std::string& output) {
  std::vector<std::string> names;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    constexpr const char* mark = "[  FAILED  ] ";
    if (line.rfind(mark, 0) != 0 || line.find('.') == std::string::npos)
      continue; // "[  FAILED  ] 2 tests, …"
    const std::string rest = line.substr(std::string(mark).size());
    const std::string name = rest.substr(0, rest.find_first_of(" ,"));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string last_lines(const std::string& text, std::size_t most) {
  std::size_t at = text.size();
  for (std::size_t lines = 0; at > 0 && lines <= most; --at) lines += text[at - 1] == '\n';
  return text.substr(at == 0 ? 0 : at + 1);
}

/// Text inside a cell of a table.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

using counts = std::map<verdict, int>;

void write_table(std::ostringstream& out, const hardware_report& r) {
  out << "| device | driver | subject | passed | skipped | failed | no time | seconds |\n"
         "|---|---|---|---:|---:|---:|---:|---:|\n";
  for (const device& d : r.devices) {
    std::map<subject, counts> by_subject;
    std::map<subject, double> seconds;
    for (const outcome& o : r.outcomes) {
      if (o.what.device != d.id()) continue;
      ++by_subject[o.what.what][o.how];
      seconds[o.what.what] += o.seconds;
    }
    for (auto& [what, number_of] : by_subject)
      out << "| `" << d.id() << "` " << cell(d.name) << " | " << cell(d.driver) << " | " << name_of(what)
          << " | " << number_of[verdict::passed] << " | " << number_of[verdict::skipped] << " | "
          << number_of[verdict::failed] << " | " << number_of[verdict::no_time] << " | "
          << number(seconds[what]) << " |\n";
  }
}

void write_figures(std::ostringstream& out, const hardware_report& r) {
  bool has_head = false;
  for (const outcome& o : r.outcomes) {
    const ordered_json figures = figures_of(o);
    if (!figures.is_array()) continue;
    if (!has_head) out << "\n## Figures\n\n| device | figure | value | unit |\n|---|---|---:|---|\n";
    has_head = true;
    for (const ordered_json& f : figures)
      out << "| `" << o.what.device << "` | " << cell(f.value("name", "")) << " | "
          << number(f.value("value", 0.), "%.4g") << " | " << cell(f.value("unit", "")) << " |\n";
  }
}

void write_failures(std::ostringstream& out, const hardware_report& r) {
  bool has_head = false;
  for (const outcome& o : r.outcomes) {
    if (o.how != verdict::failed) continue;
    if (!has_head) out << "\n## Failures\n";
    has_head = true;
    out << "\n### " << o.what.name << " on `" << o.what.device << "`\n\n" << o.reason;
    for (const std::string& name : o.failed_tests)
      out << (&name == &o.failed_tests.front() ? ": " : ", ") << '`' << name << '`';
    out << "\n\nTo repeat it:\n\n    " << o.command << "\n\nThe end of its output:\n\n```\n"
        << last_lines(o.output, 20);
    if (!o.output.empty() && o.output.back() != '\n') out << '\n';
    out << "```\n";
  }
}

void write_bench(std::ostringstream& out, const hardware_report& r) {
  for (const outcome& o : r.outcomes)
    if (o.what.what == subject::bench && o.how != verdict::no_time)
      out << "\n## Against hand-written code on `" << o.what.device << "`\n\n```\n" << o.output << "```\n";
}

} // namespace

const char* name_of(verdict what) {
  switch (what) {
    case verdict::passed: return "passed";
    case verdict::skipped: return "skipped";
    case verdict::failed: return "failed";
    case verdict::no_time: break;
  }
  return "no time";
}

outcome judge(const step& what, const child_result& child, double limit_s) {
  outcome o;
  o.what = what;
  o.seconds = child.seconds;
  const bool is_measured = what.what == subject::bandwidth || what.what == subject::bench;
  if (child.succeeded()) {
    o.how = verdict::passed;
  } else if (child.how == child_result::ending::exited && child.code == 77) {
    o.how = verdict::skipped;
    o.reason = last_lines(child.output, 1);
  } else if (child.how == child_result::ending::limit && limit_s < what.limit_s) {
    o.how = verdict::no_time;
  } else {
    o.how = verdict::failed;
    o.reason = child.reason(limit_s);
    o.failed_tests = failed_tests_of(child.output);
  }
  if (is_measured || o.how == verdict::failed) o.output = child.output;
  return o;
}

std::string hardware_report::json() const {
  ordered_json out{{"schema", "prism-hardware-report/1"}, {"seconds", seconds}};
  for (const machine_fact& f : machine) out["machine"][f.name] = f.value;
  out["notes"] = notes;
  const ordered_json parsed = ordered_json::parse(devices_json, nullptr, false);
  out["prism_info"] = parsed.is_discarded() ? ordered_json(nullptr) : parsed;
  out["doctor"] = doctor;
  out["results"] = ordered_json::array();
  for (const outcome& o : outcomes) {
    ordered_json one{{"device", o.what.device},
                     {"subject", name_of(o.what.what)},
                     {"program", o.what.name},
                     {"verdict", name_of(o.how)},
                     {"seconds", o.seconds}};
    if (!o.reason.empty()) one["reason"] = o.reason;
    if (!o.failed_tests.empty()) one["failed_tests"] = o.failed_tests;
    if (o.how == verdict::failed) one["command"] = o.command;
    if (const ordered_json figures = figures_of(o); figures.is_array()) one["figures"] = figures;
    if (const ordered_json rows = ordered_json::parse(o.rows, nullptr, false); rows.is_object())
      one["bench"] = rows;
    if (!o.output.empty()) one["output"] = o.output;
    out["results"].push_back(std::move(one));
  }
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string hardware_report::markdown() const {
  std::ostringstream out;
  out << "# Hardware report\n\n";
  for (const machine_fact& f : machine) out << "- " << f.name << ": " << f.value << "\n";
  out << "- time: " << number(seconds) << " s\n";
  for (const std::string& note : notes) out << "- " << note << "\n";
  out << "\n## Tests\n\n";
  if (devices.empty()) out << "No device was found.\n";
  else write_table(out, *this);
  write_figures(out, *this);
  write_failures(out, *this);
  write_bench(out, *this);
  out << "\n## What the machine has\n\n```\n" << doctor << "```\n";
  return out.str();
}

} // namespace prism::hardware
