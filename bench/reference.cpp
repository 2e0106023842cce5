#include "bench/reference.hpp"

#include <csignal>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

python_reference::python_reference(const std::string& script) {
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  std::string words[] = {"/usr/bin/python3", "-B", script};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int failure = ::posix_spawn(&m_child, arguments[0], &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]), ::close(from[1]);
  m_to = ::fdopen(to[1], "w"), m_from = ::fdopen(from[0], "r");
  std::signal(SIGPIPE, SIG_IGN); // a child that ended is an answer without text
  if (failure) m_child = 0, throw std::runtime_error("cannot start " + words[0]);
}

python_reference::~python_reference() {
  if (m_to) std::fclose(m_to); // it reads the end of its input, and ends
  if (m_from) std::fclose(m_from);
  if (m_child) ::waitpid(m_child, nullptr, 0);
}

std::string python_reference::answer(const std::string& words) {
  std::fprintf(m_to, "%s\n", words.c_str());
  std::fflush(m_to);
  char line[512];
  if (!std::fgets(line, sizeof line, m_from))
    throw std::runtime_error("bench/reference.py ended at \"" + words + "\": is NumPy installed?");
  return line;
}

std::string python_reference::obstacle(const std::string& words) {
  const std::string text = answer(words);
  return text.rfind("missing ", 0) == 0 ? text.substr(8, text.size() - 9) : "";
}

times python_reference::run(const std::string& words) {
  std::istringstream text(answer(words));
  times spent;
  if (!(text >> spent.wall >> spent.processor)) throw std::runtime_error(text.str());
  return spent;
}

} // namespace bench
