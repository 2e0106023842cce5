#include "kernels/provider/trial.hpp"

#include "devices/api/private_folder.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace prism::provider {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

void describe(const fs::path& path, std::ostream& out) {
  struct stat info{};
  if (stat(path.c_str(), &info) == 0)
    out << path.native() << ' ' << info.st_ino << ' ' << info.st_size << ' ' << info.st_mtim.tv_sec << '.'
        << info.st_mtim.tv_nsec << '\n';
}

/// The inputs of a verdict. The loader's cache changes whenever a package with a library is installed or
/// removed.
std::string fingerprint_of(const fs::path& file) {
  std::ostringstream out;
  describe(file, out);
  describe("/etc/ld.so.cache", out);
  out << variable("LD_LIBRARY_PATH") << '\n' << variable("LD_PRELOAD") << '\n';
  std::ostringstream number;
  number << std::hex << std::hash<std::string>()(out.str());
  return number.str();
}

/// The end of the child process as a sentence; empty if the provider answered.
std::string ended(int status, bool in_time, std::chrono::milliseconds limit) {
  if (!in_time) return "it did not answer within " + std::to_string(limit.count()) + " ms when it was opened";
  if (WIFSIGNALED(status))
    return std::string("it ends the process when it is opened: ") + strsignal(WTERMSIG(status));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "it ends the process when it is opened, with status " + std::to_string(WEXITSTATUS(status));
  return {};
}

/// Waits for the child until the deadline, then ends it.
bool wait_for(pid_t child, clock::time_point deadline, int& status) {
  for (auto pause = std::chrono::microseconds(200);;
       pause = std::min(pause * 2, std::chrono::microseconds(20'000))) {
    const pid_t found = waitpid(child, &status, WNOHANG);
    if (found == child) return true;
    if (found < 0 && errno != EINTR)
      return status = 0, true; // the program collects its children by itself, so nothing indicates a fault
    if (clock::now() >= deadline) break;
    std::this_thread::sleep_for(pause);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

std::string try_in_child(const fs::path& file, const trial_settings& settings) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null",
                                     stream == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
  std::string program = settings.program.string(), argument = file.string();
  const std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
  pid_t child = -1;
  const int code = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return "its trial cannot be started (" + program + ": " + std::strerror(code) + ")";
  int status = 0;
  const bool in_time = wait_for(child, clock::now() + settings.limit, status);
  return ended(status, in_time, settings.limit);
}

/// Reads the cached verdict; false if there is no valid one.
bool read_verdict(const fs::path& cached_file, std::string& reason) {
  if (!why_not_private(cached_file.parent_path()).empty()) return false;
  std::error_code code;
  const auto written = fs::last_write_time(cached_file, code);
  std::ifstream in(cached_file);
  if (code || !std::getline(in, reason)) return false;
  return reason == "usable" || fs::file_time_type::clock::now() - written < std::chrono::hours(1);
}

/// Errors are ignored: without the file, the next process tries again.
void store_verdict(const fs::path& cached_file, const std::string& reason) {
  if (!make_private_folder(cached_file.parent_path()) || !why_not_private(cached_file.parent_path()).empty())
    return;
  const fs::path fresh = cached_file.native() + "." + std::to_string(getpid());
  std::ofstream(fresh) << (reason.empty() ? "usable" : reason) << '\n';
  std::error_code code;
  fs::rename(fresh, cached_file, code);
  if (code) fs::remove(fresh, code);
}

} // namespace

std::vector<fs::path> own_folders() {
  std::vector<fs::path> places;
  Dl_info library{};
  std::error_code code;
  if (dladdr(reinterpret_cast<void*>(&own_folders), &library) && library.dli_fname)
    places.push_back(fs::weakly_canonical(library.dli_fname, code).parent_path());
  if (const auto executable = fs::read_symlink("/proc/self/exe", code);
      !code && (places.empty() || places.front() != executable.parent_path()))
    places.push_back(executable.parent_path());
  return places;
}

trial_settings default_trial_settings() {
  trial_settings settings;
  settings.cache_folder = user_cache_folder();
  if (const long limit = std::atol(variable("PRISM_PROBE_TIMEOUT_MS").c_str()); limit > 0)
    settings.limit = std::chrono::milliseconds(limit);
  for (const fs::path& place : own_folders())
    for (const char* folder : {".", "../bin", "../../bin", "../libexec/prism"})
      if (const fs::path found = place / folder / "prism-provider-trial";
          settings.program.empty() && access(found.c_str(), X_OK) == 0)
        settings.program = found;
  return settings;
}

std::string failed_trial(const fs::path& file, const trial_settings& settings) {
  if (settings.program.empty()) return {};
  std::string reason;
  const fs::path cached_file =
      settings.cache_folder.empty() ? fs::path() : settings.cache_folder / "providers" / fingerprint_of(file);
  if (!cached_file.empty() && read_verdict(cached_file, reason))
    return reason == "usable" ? std::string() : reason;
  reason = try_in_child(file, settings);
  if (!cached_file.empty()) store_verdict(cached_file, reason);
  return reason;
}

} // namespace prism::provider
