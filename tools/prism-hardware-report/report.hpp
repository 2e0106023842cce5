// The report: results of the steps with the machine's description, as JSON (schema "prism-hardware-report/1")
// and as Markdown for a reader.
#pragma once

#include "tools/prism-hardware-report/plan.hpp"

#include <string>
#include <vector>

namespace prism::hardware {

enum class verdict { passed, skipped, failed, no_time };
const char* name_of(verdict what);

struct outcome {
  step what;
  verdict how = verdict::no_time;
  double seconds = 0;
  std::string reason;                    // of a failure or of a skipped step
  std::vector<std::string> failed_tests; // GoogleTest's names
  std::string output;                    // of a failed or measuring step
  std::string rows;                      // of prism-bench: its bench.json, or empty
  std::string command;                   // one line for a shell, which repeats the step
};

/// What the child's end means: 0 passed, 77 skipped, all else failed, with the names of failed tests from its
/// output. A child that was ended because the report's own time was over (`limit_s` below the step's limit)
/// has not failed.
outcome judge(const step& what, const child_result& child, double limit_s);

struct machine_fact {
  std::string name, value;
};

struct hardware_report {
  std::vector<machine_fact> machine; // processor, memory, system, drivers found
  std::vector<std::string> notes;    // what could not be had, and why
  std::string devices_json;          // the output of `prism-info --json`, or empty
  std::string doctor;                // the output of `prism-info --doctor`
  std::vector<device> devices;
  std::vector<outcome> outcomes;
  double seconds = 0;

  std::string json() const;
  std::string markdown() const;
};

} // namespace prism::hardware
