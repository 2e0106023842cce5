#include "compiler/driver/process.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace prism::driver {

namespace {

[[noreturn]] void become(char** words, const std::string& folder, bool quiet) {
  if (quiet)
    if (const int nowhere = open("/dev/null", O_RDWR); nowhere >= 0)
      for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
  if (folder.empty() || chdir(folder.c_str()) == 0) execvp(words[0], words);
  std::fprintf(stderr, "prism++: error: cannot run %s: %s\n", words[0], std::strerror(errno));
  _exit(127);
}

} // namespace

int run_and_wait(std::vector<std::string> command, const std::string& folder, bool quiet) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(errno));
  if (child == 0) become(words.data(), folder, quiet);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace prism::driver
