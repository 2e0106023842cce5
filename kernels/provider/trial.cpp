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

/// What a verdict depends on. The loader's cache is written anew whenever a package with a library comes or
/// goes.
std::string fingerprint_of(const fs::path& file) {
  std::ostringstream out;
  describe(file, out);
  describe("/etc/ld.so.cache", out);
  out << variable("LD_LIBRARY_PATH") << '\n' << variable("LD_PRELOAD") << '\n';
  std::ostringstream number;
  number << std::hex << std::hash<std::string>()(out.str());
  return number.str();
}

/// Ends of the child's life as a sentence; empty when it answered.
std::string ended(int status, bool in_time, std::chrono::milliseconds limit) {
  if (!in_time) return "it did not answer within " + std::to_string(limit.count()) + " ms when it was opened";
  if (WIFSIGNALED(status))
    return std::string("it ends the process when it is opened: ") + strsignal(WTERMSIG(status));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return "it ends the process when it is opened, with status " + std::to_string(WEXITSTATUS(status));
  return {};
}

/// Waits for the child, at most until the deadline; ends it then.
bool wait_for(pid_t child, clock::time_point deadline, int& status) {
  for (auto pause = std::chrono::microseconds(200);;
       pause = std::min(pause * 2, std::chrono::microseconds(20'000))) {
    const pid_t found = waitpid(child, &status, WNOHANG);
    if (found == child) return true;
    if (found < 0 && errno != EINTR)
      return status = 0, true; // the program collects its children itself: nothing is known against it
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

/// The kept verdict; nullopt-like: false when there is none that holds.
bool read_verdict(const fs::path& kept, std::string& reason) {
  if (!why_not_private(kept.parent_path()).empty()) return false;
  std::error_code code;
  const auto written = fs::last_write_time(kept, code);
  std::ifstream in(kept);
  if (code || !std::getline(in, reason)) return false;
  return reason == "usable" || fs::file_time_type::clock::now() - written < std::chrono::hours(1);
}

/// Best effort: without it the next process tries again.
void keep_verdict(const fs::path& kept, const std::string& reason) {
  if (!make_private_folder(kept.parent_path()) || !why_not_private(kept.parent_path()).empty()) return;
  const fs::path fresh = kept.native() + "." + std::to_string(getpid());
  std::ofstream(fresh) << (reason.empty() ? "usable" : reason) << '\n';
  std::error_code code;
  fs::rename(fresh, kept, code);
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
  const fs::path kept =
      settings.cache_folder.empty() ? fs::path() : settings.cache_folder / "providers" / fingerprint_of(file);
  if (!kept.empty() && read_verdict(kept, reason)) return reason == "usable" ? std::string() : reason;
  reason = try_in_child(file, settings);
  if (!kept.empty()) keep_verdict(kept, reason);
  return reason;
}

} // namespace prism::provider
