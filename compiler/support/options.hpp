// The options of the plugin, which prism++ passes on: `-mllvm -prism-...` and PRISM_DUMP_IR.
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
  bool shares_heap = false;   // -prism-stdpar: host code allocates memory that devices can access
  /// -prism-drop-locations: source locations are not needed once the kernels are made.
  bool drops_locations = false;
  /// PRISM_DUMP_IR or -prism-dump=: the folder for every kernel's module and images.
  std::string dump_directory;
  /// -prism-link=: device code is being linked; the value names a file with the names of the inputs.
  std::string link_list;
  bool links_shared_library = false; // -prism-link-shared: its exported device functions are stored in it
  unsigned link_part = 0,
           link_parts = 1; // -prism-link-part=I/N: compile kernels I, I + N, I + 2N, ... of the link
  /// -prism-device-pass=: this is the first pass of --device-pass, which writes its device code to this file.
  std::string device_pass;
  /// -prism-device-code=: this is the second pass; lines SOURCE=FILE name the file with the bodies of a
  /// source's kernels.
  std::string device_code;
  std::string device_code_of(llvm::StringRef source) const; // empty: the source has none
  bool has_two_passes() const { return !device_pass.empty() || !device_code.empty(); }
  bool is_fast = true;         // -O2 and above: the compiler may take more time
  std::string targets() const; // in the form of -prism-targets
};

const options& current_options();
void use_speed(bool is_fast);
/// Sets the targets. When device code is linked, each file's kernels get the targets of that file's
/// compilation.
void use_targets(llvm::StringRef list);

} // namespace prism::compiler
