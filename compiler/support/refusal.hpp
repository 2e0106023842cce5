// Why one target cannot run a kernel, and the location in the user's source.
#pragma once

#include <string>

namespace llvm {
class DILocation;
}

namespace prism::compiler {

struct refusal {
  std::string why;                      // the reason, as a message; empty: there is none
  const llvm::DILocation* at = nullptr; // in the user's own code; null if unknown
  bool empty() const { return why.empty(); }
};

} // namespace prism::compiler
