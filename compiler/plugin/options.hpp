// What the command line (through prism++) asks of the plugin: `-mllvm -prism-...` options and PRISM_DUMP_IR.
#pragma once

#include <string>

namespace prism::compiler {

struct options {
  bool opencl = true;                   // -prism-targets=host,opencl,vulkan
  bool vulkan = true;
  bool warn_target = true;              // -prism-target-warnings=off|on|error
  bool target_warning_is_error = false;
  std::string dump_directory;           // PRISM_DUMP_IR or -prism-dump=: every kernel's module and images as files
};

const options& current_options();

} // namespace prism::compiler
