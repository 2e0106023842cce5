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

/// The innermost user code of the instruction (headers of libraries only when there is no other), or null
/// where the compiler kept no location.
const llvm::DILocation* user_location(const llvm::Instruction& instruction);
/// Whether there is one that is no library's.
bool is_in_user_code(const llvm::Instruction& instruction);
/// Of a library: the standard one, the system's, PRISM's.
bool is_system_header(llvm::StringRef file);
/// "file:line:column" of that, or "".
std::string source_location(const llvm::DILocation* location);
/// The name of the file without its folders, and the line: "file.cpp:12".
std::string file_and_line(const llvm::DILocation& location);
/// The line of the kernel's own function, the outermost of the user's: "file.cpp:7". Empty where none is
/// known.
std::string kernel_place(const llvm::Function& kernel);

/// Demangled name of a function, without its parameters when `brief`.
std::string readable_name(llvm::StringRef mangled, bool brief = false);

class reporter {
public:
  reporter(llvm::Module& host, std::string kernel_name) : m_host(host), m_kernel(std::move(kernel_name)) {}

  /// Code that SYCL does not allow in a kernel: an error with the chain of calls that led to it.
  void error(const llvm::Instruction& at, const std::string& what);
  /// A kernel that one target cannot run: -Wprism-target.
  void target_warning(const std::string& target, const refusal& why);
  bool has_errors() const { return m_errors != 0; }

private:
  llvm::Module& m_host;
  std::string m_kernel;
  unsigned m_errors = 0;
};

} // namespace prism::compiler
