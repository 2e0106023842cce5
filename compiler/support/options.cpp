#include "compiler/support/options.hpp"

#include <cstdlib>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"

namespace prism::compiler {
namespace {

llvm::cl::opt<std::string>
    targets_option("prism-targets", llvm::cl::desc("PRISM: kernel images to write (host,opencl,vulkan)"),
                   llvm::cl::init("host,opencl,vulkan"));
llvm::cl::opt<std::string> warnings_option("prism-target-warnings", llvm::cl::desc("PRISM: on, off or error"),
                                           llvm::cl::init("on"));
llvm::cl::opt<std::string> names_option("prism-name-warnings",
                                        llvm::cl::desc("PRISM: on or off, warnings of kernels with one name"),
                                        llvm::cl::init("on"));
llvm::cl::opt<bool>
    stdpar_option("prism-stdpar",
                  llvm::cl::desc("PRISM: host code allocates from the heap of libprism_stdpar"));
llvm::cl::opt<bool> drop_option("prism-drop-locations",
                                llvm::cl::desc("PRISM: remove source locations once the kernels are made"));
llvm::cl::opt<std::string> check_option("prism-check",
                                        llvm::cl::desc("PRISM: access, to check the accesses of host code"));
llvm::cl::opt<std::string>
    link_option("prism-link", llvm::cl::desc("PRISM: link the device code of the files named in this file"));
llvm::cl::opt<bool> shared_option("prism-link-shared",
                                  llvm::cl::desc("PRISM: the link makes a shared library"));
llvm::cl::opt<std::string>
    part_option("prism-link-part",
                llvm::cl::desc("PRISM: i/n, build kernels i, i + n, i + 2n, ... of the link"),
                llvm::cl::init("0/1"));
llvm::cl::opt<std::string> device_pass_option("prism-device-pass",
                                              llvm::cl::desc("PRISM: write the device code to this file"));
llvm::cl::opt<std::string>
    device_code_option("prism-device-code",
                       llvm::cl::desc("PRISM: take the bodies of kernels from this file of the device pass"));
llvm::cl::opt<std::string> dump_option("prism-dump",
                                       llvm::cl::desc("PRISM: folder for every kernel's IR and images"));

void set_targets(options& chosen, llvm::StringRef list) {
  chosen.host = chosen.opencl = chosen.vulkan = false;
  llvm::SmallVector<llvm::StringRef> names;
  list.split(names, ',', -1, false);
  for (llvm::StringRef name : names) {
    if (name == "host") chosen.host = true;
    else if (name == "opencl") chosen.opencl = true;
    else if (name == "vulkan") chosen.vulkan = true;
    else
      llvm::report_fatal_error(
          "PRISM: unknown target '" + name + "' in -prism-targets; known are host, opencl, vulkan", false);
  }
}

void set_link_part(options& chosen, llvm::StringRef part) {
  const auto [first, count] = part.split('/');
  if (first.getAsInteger(10, chosen.link_part) || count.getAsInteger(10, chosen.link_parts) ||
      chosen.link_part >= chosen.link_parts)
    llvm::report_fatal_error("PRISM: -prism-link-part=" + part + " is not i/n with i below n", false);
}

options read_options() {
  options result;
  set_targets(result, llvm::StringRef(targets_option));
  result.link_list = link_option;
  result.links_shared_library = shared_option;
  set_link_part(result, llvm::StringRef(part_option));
  result.warn_target = warnings_option != "off";
  result.target_warning_is_error = warnings_option == "error";
  if (!check_option.empty() && check_option != "access")
    llvm::report_fatal_error("PRISM: unknown check in -prism-check; known is access", false);
  result.checks_access = check_option == "access";
  result.warn_names = names_option != "off";
  result.drops_locations = drop_option;
  result.shares_heap = stdpar_option;
  result.device_pass = device_pass_option;
  result.device_code = device_code_option;
  const char* environment = std::getenv("PRISM_DUMP_IR");
  result.dump_directory = !dump_option.empty() ? std::string(dump_option) : environment ? environment : "";
  return result;
}

options& chosen_options() {
  static options chosen = read_options();
  return chosen;
}

} // namespace

const options& current_options() { return chosen_options(); }

void use_targets(llvm::StringRef list) { set_targets(chosen_options(), list); }

void use_speed(bool is_fast) { chosen_options().is_fast = is_fast; }

std::string options::device_code_of(llvm::StringRef source) const {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(device_code).split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (const auto [name, file] = line.rsplit('='); name == source) return file.str();
  return "";
}

std::string options::targets() const {
  std::string list;
  for (const auto& [name, chosen] :
       {std::pair("host", host), std::pair("opencl", opencl), std::pair("vulkan", vulkan)})
    if (chosen) list += (list.empty() ? "" : ",") + std::string(name);
  return list;
}

} // namespace prism::compiler
