// A program as a child process that cannot outlast its limit: the report must end even if a
// driver hangs in the kernel and SIGKILL does not end the process.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace prism::hardware {

using environment_changes = std::vector<std::pair<std::string, std::string>>; // name, value

struct child_request {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  environment_changes environment; // replaces or adds to this process's
  double limit_s = 60;
};

struct child_result {
  enum class ending { exited, signalled, limit, not_started };
  ending how = ending::not_started;
  int code = 0;         // exit status, signal or errno
  bool is_held = false; // by the kernel: the process did not end within five seconds of SIGKILL
  double seconds = 0;   // wall time
  std::string output;   // standard output and error; without the middle if it is long

  bool succeeded() const { return how == ending::exited && code == 0; }
  /// "exit status 1", "SIGSEGV", "did not end within 60 s", "cannot start: …"
  std::string reason(double limit_s) const;
};

/// Runs the program in a process group of its own and waits for its end or its limit. Thread-safe. `scratch`:
/// a file for its output, which is removed afterwards.
child_result run(const child_request& request, const std::filesystem::path& scratch);

} // namespace prism::hardware
