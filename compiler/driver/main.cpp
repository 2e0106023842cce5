// prism++: clang++ with PRISM's plugin, headers and library. It replaces itself by clang, so that signals,
// exit status and output are clang's own.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include <sys/mman.h>
#include <unistd.h>

#include "compiler/driver/command_line.hpp"
#include "compiler/driver/config.hpp"
#include "compiler/driver/device_pass.hpp"
#include "compiler/driver/header_cache.hpp"
#include "compiler/driver/launcher.hpp"
#include "compiler/driver/link.hpp"
#include "compiler/driver/response_files.hpp"

namespace {

using namespace prism::driver;

/// Above this many bytes the arguments go by a response file: systems limit those of exec, some to 128 KiB.
constexpr std::size_t most_argument_bytes = 100'000;

/// Puts all arguments after the first `first_words` into a response file in memory, which clang inherits, if
/// there are too many.
void shorten(std::vector<std::string>& command, std::size_t first_words) {
  std::size_t bytes = 0;
  for (const std::string& argument : command) bytes += argument.size() + 1;
  if (bytes <= most_argument_bytes) return;
  const std::string text = response_file_text({command.begin() + std::ptrdiff_t(first_words), command.end()});
  const int file = memfd_create("prism++ arguments", 0);
  if (file < 0 || write(file, text.data(), text.size()) != ssize_t(text.size()))
    return; // exec reports what it misses
  command.resize(first_words);
  command.push_back("@/proc/self/fd/" + std::to_string(file));
}

/// Becomes the command, whose first `first_words` arguments are a launcher and a compiler.
int run(std::vector<std::string> command, std::size_t first_words = 1) {
  shorten(command, first_words);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "prism++: error: cannot run %s: %s\n", arguments[0], std::strerror(errno));
  return 127;
}

/// The exit status after output: 1 if it could not be written (full disk, closed pipe).
int delivered() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return 0;
  std::fputs("prism++: error: standard output cannot be written\n", stderr);
  return 1;
}

void require_standard_algorithms(const places& where) {
  if (!std::filesystem::exists(where.standard_algorithms.front() / "prism/stdpar.hpp"))
    throw std::runtime_error("--stdpar needs prism/stdpar.hpp, which was not found in " +
                             where.standard_algorithms.front().string() +
                             "; install PRISM's operations (Debian: prism-operations)");
}

/// Compiles by clang, behind the launcher's words.
int compile(const request& asked, std::vector<std::string> launcher) {
  const places where = find_places();
  if (asked.offloads_standard_algorithms) require_standard_algorithms(where);
  for (const std::string& warning : asked.warnings)
    std::fprintf(stderr, "prism++: warning: %s\n", warning.c_str());
  std::vector<std::string> clang = clang_command(asked, where);
  if (asked.has_device_pass && asked.preprocesses) return preprocess_both(asked, where, std::move(clang));
  if (asked.has_device_pass && asked.compiles && !asked.sources.empty()) {
    const device_pass pass = run_device_pass(asked, where);
    if (pass.status != 0) return pass.status;
    clang.insert(clang.begin() + 1, pass.options.begin(), pass.options.end());
    launcher.clear(); // a cache of objects sees only the second pass
  }
  // A cache of objects would not write the files that are asked for here.
  if (std::getenv("PRISM_DUMP_IR")) launcher.clear();
  // A cache of objects refuses precompiled headers, and has no need of them.
  if (launcher.empty()) {
    const std::vector<std::string> headers = use_precompiled_headers(asked, where);
    clang.insert(clang.begin() + 1, headers.begin(), headers.end());
  }
  const std::size_t first_words = launcher.size() + 1;
  launcher.insert(launcher.end(), clang.begin(), clang.end());
  return run(std::move(launcher), first_words);
}

bool is_prism(const std::string& compiler) {
  std::error_code unknown;
  return std::filesystem::equivalent(compiler, "/proc/self/exe", unknown);
}

int compile_for_cmake(const std::vector<std::string>& arguments) {
  launch asked = parse_launch(arguments, is_prism);
  if (asked.has_kernels)
    return compile(parse(expand_response_files(asked.options)), std::move(asked.launcher));
  std::vector<std::string> command = std::move(asked.launcher);
  command.push_back(asked.compiler);
  const std::size_t first_words = command.size();
  command.insert(command.end(), asked.options.begin(), asked.options.end());
  return run(std::move(command), first_words);
}

} // namespace

int main(int count, char** values) {
  try {
    std::vector<std::string> arguments(values + 1, values + count);
    if (const std::string name = std::filesystem::path(values[0]).filename(); is_linker_name(name))
      return link(name, std::move(arguments));
    if (!arguments.empty() && arguments[0] == "--as-launcher")
      return compile_for_cmake({arguments.begin() + 1, arguments.end()});
    const request asked = parse(expand_response_files(arguments));
    if (asked.help) {
      std::fputs(help_text().c_str(), stdout);
      return delivered();
    }
    if (asked.version) {
      const places where = find_places();
      std::printf("prism++ " PRISM_VERSION " (SYCL 2020), plugin for LLVM " PRISM_LLVM_MAJOR "\n");
      if (const int failed = delivered()) return failed;
      return run({where.clang.string(), "--version"});
    }
    if (!asked.has_input && asked.rest.empty()) {
      std::fputs("prism++: error: no input files; prism++ --help shows the options\n", stderr);
      return 1;
    }
    return compile(asked, {});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "prism++: error: %s\n", problem.what());
    return 1;
  }
}
