// prism++: clang++ with PRISM's plugin, headers and library. It replaces itself by clang, so that signals,
// exit status and output are clang's own.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>

#include <unistd.h>

#include "compiler/driver/command_line.hpp"
#include "compiler/driver/config.hpp"
#include "compiler/driver/link.hpp"

namespace {

int run(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  std::fprintf(stderr, "prism++: error: cannot run %s: %s\n", arguments[0], std::strerror(errno));
  return 127;
}

/// The exit status after output: 1 if it could not be written (full disk, closed pipe).
int delivered() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return 0;
  std::fputs("prism++: error: standard output cannot be written\n", stderr);
  return 1;
}

} // namespace

int main(int count, char** values) {
  using namespace prism::driver;
  try {
    std::vector<std::string> arguments(values + 1, values + count);
    if (const std::string name = std::filesystem::path(values[0]).filename(); is_linker_name(name))
      return link(name, std::move(arguments));
    // CMake puts a compiler launcher before the compiler that it replaces. Both are dropped
    // (cmake/PrismSycl.cmake). The remaining options are written for that compiler: clang may not know the
    // names of its warnings.
    if (arguments.size() >= 2 && arguments[0] == "--as-launcher") {
      arguments.erase(arguments.begin(), arguments.begin() + 2);
      arguments.insert(arguments.begin(), "-Wno-unknown-warning-option");
    }
    const request asked = parse(arguments);
    if (asked.help) {
      std::fputs(help_text().c_str(), stdout);
      return delivered();
    }
    const places where = find_places();
    if (asked.version) {
      std::printf("prism++ " PRISM_VERSION " (SYCL 2020), plugin for LLVM " PRISM_LLVM_MAJOR "\n");
      if (const int failed = delivered()) return failed;
      return run({where.clang.string(), "--version"});
    }
    if (!asked.has_input && asked.rest.empty()) {
      std::fputs("prism++: error: no input files; prism++ --help shows the options\n", stderr);
      return 1;
    }
    for (const std::string& warning : asked.warnings)
      std::fprintf(stderr, "prism++: warning: %s\n", warning.c_str());
    return run(clang_command(asked, where));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "prism++: error: %s\n", problem.what());
    return 1;
  }
}
