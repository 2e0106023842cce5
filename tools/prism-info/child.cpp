#include "tools/prism-info/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace prism::info {

child_output run_child(const std::string& option, const std::string& value, const std::string& what,
                       std::chrono::seconds limit) {
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return {"", std::string("no pipe: ") + std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = "prism-info", first = option, second = value;
  char* arguments[] = {name.data(), first.data(), second.data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  if (failed) {
    close(pipes[0]);
    return {"", std::string("the child could not be started: ") + std::strerror(failed)};
  }
  child_output out;
  const auto end = std::chrono::steady_clock::now() + limit;
  for (char chunk[4096];;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd ready{pipes[0], POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, int(left)) == 0) {
      out.fault = fmt::format("{} took longer than {} s", what, limit.count());
      kill(child, SIGKILL);
      break;
    }
    const ssize_t n = read(pipes[0], chunk, sizeof chunk);
    if (n <= 0) break;
    out.text.append(chunk, std::size_t(n));
  }
  close(pipes[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (out.fault.empty() && WIFSIGNALED(status))
    out.fault = fmt::format("{} crashed: {}", what, strsignal(WTERMSIG(status)));
  if (out.fault.empty() && WEXITSTATUS(status) != 0)
    out.fault = out.text.empty() ? what + " failed" : out.text;
  return out;
}

void end_child(const std::string& text, int status) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += std::size_t(n);
  }
  _exit(status);
}

} // namespace prism::info
