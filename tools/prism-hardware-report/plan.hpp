// What the report runs, in which order and with which limits: pure decisions over the devices and the
// programs that are there.
#pragma once

#include "tools/prism-hardware-report/child.hpp"

#include <map>
#include <string>
#include <vector>

namespace prism::hardware {

/// One device, from `prism-info --json`.
struct device {
  std::string backend; // "opencl"
  int index = 0;       // of the backend's devices
  std::string name, platform, driver;
  std::string type;         // "gpu"
  bool is_software = false; // a driver that computes on the processor
  std::string id() const { return backend + ":" + std::to_string(index); }
};

enum class subject { bandwidth, conformance, bench, sycl, operations, random };
const char* name_of(subject what);

/// A program of the report's folder, from its list: one line "SUBJECT PROGRAM [SECONDS]" each.
struct listed_program {
  subject what = subject::sycl;
  std::string name;
  double limit_s = 0; // 0: the subject's
};
/// Throws std::runtime_error with the line that is not understood.
std::vector<listed_program> read_list(const std::string& text);

struct step {
  subject what = subject::sycl;
  std::string name;   // of the program, without its folder
  std::string device; // device::id
  std::vector<std::string> arguments;
  environment_changes environment; // which device the program uses
  double limit_s = 60;
  bool is_alone = false; // it measures: nothing runs at the same time
};

/// All steps in the order in which they run: hardware, the host device, other software. Devices of one of
/// these kinds take turns, program by program: when the time is over, each of them has had its share. Devices
/// that PRISM's own tests do not drive (described ones, the null device) get none.
std::vector<step> plan(const std::vector<device>& devices, const std::vector<listed_program>& programs);

/// The limit of a step when so many seconds are left for the whole report; 0: the step does not start.
double limit_of(const step& next, double left_s);

} // namespace prism::hardware
