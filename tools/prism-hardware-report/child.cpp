#include "tools/prism-hardware-report/child.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prism::hardware {

namespace {

using clock = std::chrono::steady_clock;
constexpr std::size_t most_output = 64 << 10; // the first quarter and the last three quarters of it are kept

std::vector<std::string> environment_with(const environment_changes& changes) {
  std::vector<std::string> all;
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  for (char** entry = environ; *entry; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    bool is_replaced = false;
    for (const auto& change : changes) is_replaced = is_replaced || change.first == name;
    if (!is_replaced) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return {};
  const std::size_t size = std::size_t(in.tellg());
  const auto part = [&](std::size_t from, std::size_t length) {
    std::string text(length, '\0');
    in.seekg(std::streamoff(from));
    in.read(text.data(), std::streamsize(length));
    text.resize(std::size_t(in.gcount()));
    return text;
  };
  if (size <= most_output) return part(0, size);
  const std::size_t first = most_output / 4, last = most_output - first;
  return part(0, first) + "\n[... " + std::to_string(size - most_output) + " bytes ...]\n" +
         part(size - last, last);
}

/// Whether the child ended before the time; its wait status is in `status` then.
bool ended_until(pid_t child, int descriptor, clock::time_point until, int& status) {
  for (;;) {
    if (waitpid(child, &status, WNOHANG) == child) return true;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0) return false;
    if (descriptor < 0) { // a kernel older than 5.3
      std::this_thread::sleep_for(std::chrono::milliseconds(std::min<long long>(left, 20)));
      continue;
    }
    pollfd wanted{descriptor, POLLIN, 0};
    poll(&wanted, 1, int(std::min<long long>(left, 60000)));
  }
}

} // namespace

std::string child_result::reason(double limit_s) const {
  switch (how) {
    case ending::exited: return "exit status " + std::to_string(code);
    case ending::signalled: {
      const char* name = sigabbrev_np(code);
      return name ? "SIG" + std::string(name) : "signal " + std::to_string(code);
    }
    case ending::limit:
      return "did not end within " + std::to_string(int(limit_s + .5)) + " s" +
             (is_held ? ", and SIGKILL did not end it: the kernel holds it" : "");
    case ending::not_started: break;
  }
  return "cannot start: " + std::string(std::strerror(code));
}

child_result run(const child_request& request, const std::filesystem::path& scratch) {
  std::vector<std::string> words{request.program.string()};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> variables = environment_with(request.environment);
  const std::vector<char*> arguments = pointers(words), settings = pointers(variables);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, scratch.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  child_result result;
  const auto begin = clock::now();
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), settings.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure) {
    result.code = failure;
    return result;
  }
  const int descriptor = int(syscall(SYS_pidfd_open, child, 0));
  int status = 0;
  const auto limit =
      std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(request.limit_s));
  if (ended_until(child, descriptor, begin + limit, status)) {
    result.how = WIFSIGNALED(status) ? child_result::ending::signalled : child_result::ending::exited;
    result.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  } else {
    result.how = child_result::ending::limit;
  }
  kill(-child, SIGKILL); // its own children too
  if (result.how == child_result::ending::limit)
    result.is_held = !ended_until(child, descriptor, clock::now() + std::chrono::seconds(5), status);
  if (descriptor >= 0) close(descriptor);
  result.seconds = std::chrono::duration<double>(clock::now() - begin).count();
  result.output = text_of(scratch);
  std::error_code ignored;
  std::filesystem::remove(scratch, ignored);
  return result;
}

} // namespace prism::hardware
