// Measures the time of PRISM's own passes. clang's -ftime-report shows them in a table of their own ("PRISM's
// passes").
//   timed<resolve_extents>(kernel);     // calls resolve_extents(kernel), under its name in the table
// A pass's time includes the functions that it calls. Without -ftime-report a call costs one test.
#pragma once

#include <string_view>

#include "llvm/Pass.h"
#include "llvm/Support/Timer.h"

namespace prism::compiler {

/// Extracts "link_builtins" from "... [with auto Pass = prism::compiler::link_builtins; ...]", as gcc and
/// clang write it.
constexpr std::string_view last_name(std::string_view pretty) {
  const size_t begin = pretty.find("Pass = ");
  const std::string_view name = pretty.substr(begin + 7, pretty.find_first_of(";]", begin) - begin - 7);
  return name.substr(name.find_last_of(":&") + 1);
}

inline constexpr const char *pass_group = "prism", *pass_group_title = "PRISM's passes";

template <auto Pass>
constexpr std::string_view pass_name() {
  return last_name(__PRETTY_FUNCTION__);
}

template <auto Pass, typename... Arguments>
decltype(auto) timed(Arguments&&... arguments) {
  constexpr std::string_view name = pass_name<Pass>();
  const llvm::NamedRegionTimer timer(name, name, pass_group, pass_group_title, llvm::TimePassesIsEnabled);
  return Pass(std::forward<Arguments>(arguments)...);
}

} // namespace prism::compiler
