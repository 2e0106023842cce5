// Errors and warnings about device code, at the user's own file and line.
//
// Locations are the debug locations that prism++ makes clang keep (`-Rpass=^$`), so they work without -g.
// Messages go through LLVM's diagnostic handler: clang prints them as its own, with the source line, and
// fails the compilation.
#pragma once

#include <string>

#include "compiler/support/refusal.hpp"
#include "llvm/IR/Instruction.h"

namespace prism::compiler {

/// The innermost location of the instruction in user code. If there is none, the location in a library's
/// header; null if the compiler recorded no location.
const llvm::DILocation* user_location(const llvm::Instruction& instruction);
/// Whether the instruction has a location outside of libraries.
bool is_in_user_code(const llvm::Instruction& instruction);
/// Whether the file belongs to a library: the standard one, the system's or PRISM's.
bool is_system_header(llvm::StringRef file);
/// "file:line:column" of the location, or "" for null.
std::string source_location(const llvm::DILocation* location);
/// The file's name without its folders, and the line: "file.cpp:12".
std::string file_and_line(const llvm::DILocation& location);
/// The line of the kernel's own function, which is the outermost function of the user: "file.cpp:7". Empty if
/// it is unknown.
std::string kernel_location(const llvm::Function& kernel);

/// The demangled name of a function; without its parameters if `brief`.
std::string readable_name(llvm::StringRef mangled, bool brief = false);

class reporter {
public:
  reporter(llvm::Module& host, std::string kernel_name) : m_host(host), m_kernel(std::move(kernel_name)) {}

  /// Reports code that SYCL does not allow in a kernel: an error with the chain of calls that led to it.
  void error(const llvm::Instruction& at, const std::string& what);
  /// Reports a kernel that one target cannot run: -Wprism-target.
  void target_warning(const std::string& target, const refusal& why);
  bool has_errors() const { return m_errors != 0; }

private:
  llvm::Module& m_host;
  std::string m_kernel;
  unsigned m_errors = 0;
};

} // namespace prism::compiler
