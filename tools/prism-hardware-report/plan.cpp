#include "tools/prism-hardware-report/plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace prism::hardware {

namespace {

struct subject_facts {
  subject what;
  const char* name;
  double limit_s;
  bool is_alone;
};
// In the order in which they run: what runs alone first, so that the rest runs side by side without a gap.
constexpr std::array<subject_facts, 6> subjects{{
    {subject::bandwidth, "bandwidth", 60, true},
    {subject::bench, "bench", 150, true},
    {subject::conformance, "conformance", 90, false},
    {subject::sycl, "sycl", 60, false},
    {subject::operations, "operations", 90, false},
    {subject::random, "random", 60, false},
}};
constexpr double shortest_s = 1; // a program that has less time left proves nothing

const subject_facts& facts_of(subject what) {
  return *std::find_if(subjects.begin(), subjects.end(),
                       [&](const subject_facts& s) { return s.what == what; });
}

/// The name by which the conformance kit knows the driver of a device; empty for one that it cannot open.
std::string kit_name(const device& d) {
  if (d.backend == "host") return "host";
  const auto has = [&](const char* part) {
    return d.name.find(part) != std::string::npos || d.platform.find(part) != std::string::npos;
  };
  if (d.backend == "opencl") {
    if (has("Portable Computing Language")) return "pocl";
    if (has("rusticl")) return "rusticl";
    return d.type == "gpu" ? "opencl-gpu" : "";
  }
  if (d.backend != "vulkan") return "";
  if (has("llvmpipe")) return "lavapipe";
  if (has("SwiftShader")) return "swiftshader";
  return d.type == "gpu" ? "vulkan-gpu" : "";
}

/// Hardware first; the host device before other software, which it is the measure of.
int rank(const device& d) {
  if (d.backend == "host") return 1;
  return d.is_software || d.type == "cpu" ? 2 : 0;
}
constexpr int last_rank = 2;

/// Nothing for a device that the program does not drive.
std::optional<step> step_of(const subject_facts& s, const listed_program& p, const device& d) {
  if (d.backend != "host" && d.backend != "opencl" && d.backend != "vulkan") return {};
  step next{s.what, p.name, d.id(), {}, {{"PRISM_DEVICE_SELECTOR", d.id()}}, s.limit_s, s.is_alone};
  if (p.limit_s > 0) next.limit_s = p.limit_s;
  if (s.what == subject::conformance) {
    const std::string driver = kit_name(d);
    if (driver.empty()) return {};
    next.arguments = {driver};
  }
  if (s.what == subject::random && d.backend != "host") // they compare the device with the host device
    next.environment = {{"PRISM_DEVICE_SELECTOR", d.id() + ";host"},
                        {"PRISM_RANDOM_DEVICE", d.platform + " " + d.name}};
  if (s.what == subject::bench)
    next.arguments = {"--quick", "--subject", "kernels", "submission", "memory", "cuda", "libraries"};
  return next;
}

} // namespace

const char* name_of(subject what) { return facts_of(what).name; }

std::vector<listed_program> read_list(const std::string& text) {
  std::vector<listed_program> programs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string kind, name, more;
    double limit_s = 0;
    words >> kind >> name;
    if (words >> std::ws && !words.eof()) words >> limit_s;
    words.clear();
    words >> more;
    const auto found = std::find_if(subjects.begin(), subjects.end(),
                                    [&](const subject_facts& s) { return kind == s.name; });
    if (found == subjects.end() || name.empty() || !more.empty() || name.find('/') != std::string::npos)
      throw std::runtime_error("the list of programs has a line that is not understood: " + line);
    programs.push_back({found->what, name, limit_s});
  }
  return programs;
}

std::vector<step> plan(const std::vector<device>& devices, const std::vector<listed_program>& programs) {
  std::vector<step> steps;
  for (int group = 0; group <= last_rank; ++group)
    for (const subject_facts& s : subjects)
      for (const listed_program& p : programs)
        for (const device& d : devices)
          if (p.what == s.what && rank(d) == group)
            if (const std::optional<step> next = step_of(s, p, d)) steps.push_back(*next);
  return steps;
}

double limit_of(const step& next, double left_s) {
  return left_s < shortest_s ? 0 : std::min(next.limit_s, left_s);
}

} // namespace prism::hardware
