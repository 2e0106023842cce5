#include "compiler/driver/launcher.hpp"

#include <algorithm>
#include <stdexcept>

namespace prism::driver {

namespace {

/// The option that a definition by add_sycl_to_target stands for; "" for other arguments.
std::string option_of(const std::string& argument) {
  const auto value_of = [&](const std::string& name) {
    return argument.compare(0, name.size(), name) == 0 ? argument.substr(name.size()) : std::string();
  };
  if (std::string targets = value_of("-D__PRISM_TARGETS__="); !targets.empty()) {
    std::replace(targets.begin(), targets.end(), '+',
                 ','); // a comma would end an argument of CMake's expressions
    return "--targets=" + targets;
  }
  if (argument == "-D__PRISM_STDPAR__") return "--stdpar";
  if (argument == "-D__PRISM_DEVICE_PASS__") return "--device-pass";
  if (argument == "-D__PRISM_REPRODUCIBLE__=1") return "--reproducible";
  if (const std::string check = value_of("-D__PRISM_CHECK__="); !check.empty()) return "--check=" + check;
  return "";
}

/// Whether the words at `at` are a header that another clang precompiled: -Xclang -include-pch -Xclang FILE.
bool is_precompiled_header(const std::vector<std::string>& options, std::size_t at) {
  return at + 3 < options.size() && options[at] == "-Xclang" && options[at + 1] == "-include-pch" &&
         options[at + 2] == "-Xclang";
}

/// Makes options of the project's compiler options of prism++.
std::vector<std::string> for_own_compiler(const std::vector<std::string>& options) {
  // Of the other compiler's warnings clang may not know the name, and it cannot read its precompiled headers:
  // the header's text is included instead. Position-independent unless the options say otherwise, for any
  // kind of target.
  std::vector<std::string> own = {"-Wno-unknown-warning-option", "-Wno-ignored-gch", "-fPIC"};
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (is_precompiled_header(options, i)) i += 3;
    else own.push_back(options[i]);
  }
  own.push_back("-fno-lto"); // the objects must be machine code that every linker reads
  return own;
}

} // namespace

launch parse_launch(const std::vector<std::string>& arguments, bool (*is_own)(const std::string& compiler)) {
  launch result;
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end() || mark + 1 == arguments.end())
    throw std::invalid_argument("--as-launcher needs -- and a compiler: add_sycl_to_target uses it");
  result.launcher.assign(arguments.begin(), mark);
  result.compiler = mark[1];
  std::vector<std::string> known; // own options that the target's properties ask for
  for (auto each = mark + 2; each != arguments.end(); ++each) {
    if (*each == "-D__PRISM_KERNELS__") result.has_kernels = true;
    else if (std::string option = option_of(*each); !option.empty()) known.push_back(std::move(option));
    else result.options.push_back(*each);
  }
  if (!result.has_kernels) return result;
  if (!is_own(result.compiler)) result.options = for_own_compiler(result.options);
  result.options.insert(result.options.begin(), known.begin(), known.end());
  return result;
}

} // namespace prism::driver
