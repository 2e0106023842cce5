// Why one target cannot have a kernel, and where in the user's source.
#pragma once

#include <string>

namespace llvm {
class DILocation;
}

namespace prism::compiler {

struct refusal {
  std::string why;                      // for people; empty: there is none
  const llvm::DILocation* at = nullptr; // of the user's own code, when known
  bool empty() const { return why.empty(); }
};

} // namespace prism::compiler
