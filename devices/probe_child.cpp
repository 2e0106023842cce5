// Runs a probe in a child process: starts it with posix_spawn (a fork would copy a process with threads),
// reads its output through a pipe, and kills it if it takes too long.
#include "devices/probe.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace prism::devices {
namespace {

using clock = std::chrono::steady_clock;

struct child {
  pid_t id = -1;
  int output = -1;
};

/// This process's environment with the changes: the strings, then the array of pointers for posix_spawn.
std::vector<std::string> changed_environment(const environment_changes& changes) {
  std::vector<std::string> lines;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    if (std::none_of(changes.begin(), changes.end(),
                     [&](const auto& c) { return line.substr(0, line.find('=')) == c.first; }))
      lines.emplace_back(line);
  }
  for (const auto& [name, value] : changes)
    if (!value.empty()) lines.push_back(name + "=" + value);
  return lines;
}

std::string spawn(const std::filesystem::path& program, const std::string& name,
                  const environment_changes& changes, child& started) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::string("cannot make a pipe: ") + std::strerror(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::string path = program.string(), argument = name;
  char* arguments[] = {path.data(), argument.data(), nullptr};
  auto lines = changed_environment(changes);
  std::vector<char*> variables;
  for (auto& line : lines) variables.push_back(line.data());
  variables.push_back(nullptr);
  const int code = posix_spawn(&started.id, path.c_str(), &actions, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (code != 0) {
    close(ends[0]);
    return "cannot start " + path + ": " + std::strerror(code);
  }
  started.output = ends[0];
  return {};
}

/// Reads until the child closes its output. False if the deadline passes first.
bool read_output(int from, clock::time_point deadline, std::string& text) {
  constexpr std::size_t enough =
      64 * 1024; // a verdict is one line; a driver that prints without end must not fill memory
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{from, POLLIN, 0};
    const int ready = poll(&entry, 1, int(std::min<long long>(left, 1000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    char block[1024];
    const auto count = read(from, block, sizeof block);
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
    if (count > 0 && text.size() < enough) text.append(block, std::size_t(count));
  }
}

/// Waits for the end of a child whose output is closed; false if the deadline passes first.
bool wait_for_end(pid_t id, clock::time_point deadline, int& status) {
  for (;;) {
    const auto done = waitpid(id, &status, WNOHANG);
    if (done == id || (done < 0 && errno != EINTR)) return true;
    if (clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

/// The last line that is a verdict: drivers also print to standard output.
std::optional<probe_result> verdict_in(const std::string& output) {
  const auto start = output.rfind("prism-probe 1 ");
  if (start == std::string::npos) return std::nullopt;
  return from_text(output.substr(start, output.find('\n', start) - start));
}

} // namespace

verdict probe_in_child(const std::filesystem::path& program, const std::string& name,
                       std::chrono::milliseconds limit, const environment_changes& environment) {
  const auto broken = [](const std::string& reason, probe_end how = probe_end::crashed) {
    return verdict{{false, reason, 0}, true, {}, {}, how};
  };
  child probe;
  if (const auto reason = spawn(program, name, environment, probe); !reason.empty())
    return {{false, reason, 0}, false, {}, {}, probe_end::not_started};
  const auto deadline = clock::now() + limit;
  std::string output;
  int status = 0;
  const bool ended = read_output(probe.output, deadline, output) && wait_for_end(probe.id, deadline, status);
  close(probe.output);
  if (!ended) {
    kill(probe.id, SIGKILL);
    while (waitpid(probe.id, &status, 0) < 0 && errno == EINTR) {}
    return broken("its driver did not answer within " + std::to_string(limit.count()) +
                      " ms when probed (PRISM_PROBE_TIMEOUT_MS changes the limit)",
                  probe_end::timed_out);
  }
  if (WIFSIGNALED(status))
    return broken("its driver crashed when probed (" + signal_name(WTERMSIG(status)) + ")");
  // The status of a child that posix_spawn could not execute, where it could not report that itself
  // (qemu-user).
  constexpr int not_executed = 127;
  if (output.empty() && WEXITSTATUS(status) == not_executed)
    return {{false, "cannot start " + program.string(), 0}, false, {}, {}, probe_end::not_started};
  if (auto result = verdict_in(output); result && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return {*result, false, {}, {}};
  return broken(program.string() + " ended with status " + std::to_string(WEXITSTATUS(status)) +
                " and no verdict when it probed the backend");
}

} // namespace prism::devices
