#include "bench/child.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

std::vector<std::string> merged(const std::vector<std::string>& added) {
  std::vector<std::string> all = added;
  for (char** entry = environ; *entry; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "=") + 1);
    bool replaced = false;
    for (const std::string& a : added) replaced = replaced || a.rfind(name, 0) == 0;
    if (!replaced) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& all) {
  std::vector<char*> out;
  for (std::string& s : all) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

double seconds(const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); }

} // namespace

namespace {

/// Starts a child whose standard output goes to `output`, and waits for its end.
times run_with_output(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                      int output) {
  std::vector<std::string> words = command, variables = merged(environment);
  const std::vector<char*> arguments = pointers(words), settings = pointers(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  int status = 0, failure = 0;
  rusage used{};
  times spent = timed([&] {
    pid_t child = 0;
    failure = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), settings.data());
    while (!failure && wait4(child, &status, 0, &used) < 0 && errno == EINTR) {}
  });
  posix_spawn_file_actions_destroy(&actions);
  if (failure) throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(failure));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(command[0] + " ended with status " +
                             std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  }
  spent.processor = seconds(used.ru_utime) + seconds(used.ru_stime);
  return spent;
}

} // namespace

times run_child(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) throw std::runtime_error("cannot open /dev/null");
  const std::unique_ptr<const int, void (*)(const int*)> closed(&nowhere,
                                                                [](const int* file) { close(*file); });
  return run_with_output(command, environment, nowhere);
}

std::string output_of_child(const std::vector<std::string>& command,
                            const std::vector<std::string>& environment) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("cannot make a temporary file");
  run_with_output(command, environment, fileno(file.get()));
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) text += char(c);
  return text;
}

} // namespace bench
