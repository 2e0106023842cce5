#include "compiler/support/diagnose.hpp"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include "compiler/support/options.hpp"

namespace prism::compiler {
using namespace llvm;

bool is_system_header(StringRef file) {
  return file.contains("/include/c++/") || file.starts_with("/usr/include/") ||
         file.contains("/lib/clang/") || file.contains("/include/sycl/") || file.contains("/include/prism/");
}

namespace {

std::string path_and_line(const DILocation& location) {
  return location.getFilename().str() + ":" + std::to_string(location.getLine());
}

/// The innermost location in the user's own files; if there is none, the innermost in a library's header.
const DILocation* user_location(const DILocation* location) {
  for (const DILocation* at = location; at; at = at->getInlinedAt())
    if (at->getLine() != 0 && !is_system_header(at->getFilename())) return at;
  return location;
}

/// Some function of the module: LLVM's diagnostics require one. Its name is never printed.
Function& some_function(Module& host) {
  for (Function& function : host)
    if (!function.isDeclaration()) return function;
  return *host.begin();
}

std::string call_chain(const DILocation* location) {
  std::string chain;
  for (const DILocation* at = location; at && at->getInlinedAt(); at = at->getInlinedAt()) {
    if (is_system_header(at->getInlinedAt()->getFilename())) continue;
    const DISubprogram* callee = at->getScope()->getSubprogram();
    const std::string name =
        callee ? readable_name(
                     callee->getLinkageName().empty() ? callee->getName() : callee->getLinkageName(), true)
               : "";
    chain += "\n  " + (name.empty() ? "called" : "'" + name + "' called") + " from " +
             path_and_line(*at->getInlinedAt());
  }
  return chain;
}

/// When device code is linked, clang has not read the source and cannot show the line. The location then goes
/// into the text.
void add_location_to_text(std::string& text, const DILocation*& shown) {
  if (current_options().link_list.empty() || !shown) return;
  text = source_location(shown) + ": " + text;
  shown = nullptr;
}

} // namespace

const DILocation* user_location(const Instruction& instruction) {
  const DILocation* at = user_location(instruction.getDebugLoc().get());
  return at && at->getLine() != 0 ? at : nullptr;
}

bool is_in_user_code(const Instruction& instruction) {
  const DILocation* at = user_location(instruction);
  return at && !is_system_header(at->getFilename());
}

std::string source_location(const DILocation* location) {
  return location ? path_and_line(*location) + ":" + std::to_string(location->getColumn()) : "";
}

std::string file_and_line(const DILocation& location) {
  return sys::path::filename(location.getFilename()).str() + ":" + std::to_string(location.getLine());
}

std::string kernel_location(const Function& kernel) {
  for (const Instruction& instruction : instructions(kernel)) {
    const DISubprogram* outermost = nullptr;
    for (const DILocation* at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt())
      if (const DISubprogram* function = at->getScope()->getSubprogram();
          function && !is_system_header(function->getFilename()))
        outermost = function;
    if (outermost)
      return sys::path::filename(outermost->getFilename()).str() + ":" + std::to_string(outermost->getLine());
  }
  return "";
}

std::string readable_name(StringRef mangled, bool brief) {
  std::string name = demangle(mangled);
  if (!brief) return name;
  int depth = 0; // removes the last parameter list
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

void reporter::error(const Instruction& at, const std::string& what) {
  ++m_errors;
  const DILocation* location = at.getDebugLoc().get();
  std::string text = "device code: " + what + call_chain(location) + "\n  in kernel '" + m_kernel + "'";
  const DILocation* shown = user_location(location);
  add_location_to_text(text, shown);
  Function& function = some_function(m_host);
  m_host.getContext().diagnose(DiagnosticInfoUnsupported(
      function, text, shown ? DiagnosticLocation(DebugLoc(shown)) : DiagnosticLocation(), DS_Error));
}

void reporter::target_warning(const std::string& target, const refusal& found) {
  const options& chosen = current_options();
  if (!chosen.warn_target) return;
  std::string text = "kernel '" + m_kernel + "' has no " + target + " image: " + found.why +
                     call_chain(found.at) + " [-Wprism-target]";
  const DILocation* shown = found.at;
  add_location_to_text(text, shown);
  m_host.getContext().diagnose(DiagnosticInfoUnsupported(
      some_function(m_host), text, shown ? DiagnosticLocation(DebugLoc(shown)) : DiagnosticLocation(),
      chosen.target_warning_is_error ? DS_Error : DS_Warning));
}

} // namespace prism::compiler
