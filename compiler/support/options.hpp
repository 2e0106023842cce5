// What the command line (through prism++) asks of the plugin: `-mllvm -prism-...` options and PRISM_DUMP_IR.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"

namespace prism::compiler {

struct options {
  bool host = true; // -prism-targets=host,opencl,vulkan
  bool opencl = true;
  bool vulkan = true;
  bool warn_target = true; // -prism-target-warnings=off|on|error
  bool target_warning_is_error = false;
  bool checks_access = false; // -prism-check=access: what host code reads and writes
  bool warn_names = true;     // -prism-name-warnings=off|on
  bool drops_locations =
      false; // -prism-drop-locations: nobody asks for source locations once the kernels are made
  std::string dump_directory; // PRISM_DUMP_IR or -prism-dump=: every kernel's module and images as files
  std::string link_list; // -prism-link=: this is the link of device code; a file with the names of its inputs
  unsigned link_part = 0,
           link_parts = 1;     // -prism-link-part=0/1: every so manieth of its kernels, from this one on
  bool is_fast = true;         // -O2 and above: worth more time of the compiler
  std::string targets() const; // as -prism-targets has them
};

const options& current_options();
void use_speed(bool is_fast);
/// When device code is linked, each file's kernels get the images that its own compilation asked for.
void use_targets(llvm::StringRef list);

} // namespace prism::compiler
