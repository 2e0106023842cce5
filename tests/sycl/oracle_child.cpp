#include "tests/sycl/oracle_child.hpp"

#include "tests/sycl/common.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace oracle {

namespace {

constexpr const char* asks = "ORACLE_PROGRAMS"; // the file with the programs
constexpr unsigned limit = 240;                 // seconds; a child that runs longer counts as hanging

class files { // of a child process: its programs, its results, its output
public:
  files()
      : programs(testing::TempDir() + "prism_oracle_" + std::to_string(::getpid()) + "_" +
                 std::to_string(++count)) {}
  ~files() {
    for (const std::string& each : {programs, found(), printed()}) std::remove(each.c_str());
  }
  files(const files&) = delete;
  const std::string programs;
  std::string found() const { return programs + ".found"; }
  std::string printed() const { return programs + ".printed"; }

private:
  static inline unsigned count = 0;
};

std::string last_of(const std::string& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  const std::string text = all.str();
  return text.size() > 2000 ? text.substr(text.size() - 2000) : text;
}

/// Returns the exit status.
int start(const files& at, const std::string& wrappers) {
  std::vector<std::string> environment;
  for (char** each = environ; *each != nullptr; ++each)
    if (std::strncmp(*each, "PRISM_WRAP=", 11) != 0) environment.emplace_back(*each);
  environment.push_back("PRISM_WRAP=" + wrappers);
  environment.push_back(asks + ("=" + at.programs));
  std::vector<char*> variables;
  for (std::string& each : environment) variables.push_back(each.data());
  variables.push_back(nullptr);
  std::string name = "sycl_oracle", filter = "--gtest_filter=oracle_child.*";
  char* arguments[] = {name.data(), filter.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, at.printed().c_str(),
                                   O_CREAT | O_TRUNC | O_WRONLY, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int code = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw std::runtime_error(std::string("posix_spawn: ") + std::strerror(code));
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

} // namespace

outcome run_under(const std::string& wrappers, const std::vector<std::vector<op>>& programs,
                  std::size_t batch) {
  const files at;
  {
    std::ofstream out(at.programs);
    out << batch << ' ' << programs.size() << '\n';
    for (const std::vector<op>& each : programs) write(out, each);
  }
  const int status = start(at, wrappers);
  outcome found;
  std::ifstream in(at.found());
  in >> found.failures >> found.refusals >> found.compared >> found.unknown >> found.lost;
  const bool complete = bool(in);
  in.ignore();
  std::getline(in, found.wrong);
  if (WIFSIGNALED(status))
    found.wrong = "its process ended by signal " + std::to_string(WTERMSIG(status)) +
                  (WTERMSIG(status) == SIGALRM ? ": it hangs" : "");
  else if (WEXITSTATUS(status) != 0 || !complete)
    found.wrong = "its process ended with status " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0 || !complete)
    found.wrong += ", after\n" + last_of(at.printed());
  return found;
}

namespace {

TEST(oracle_child, runs_the_programs_of_its_file) {
  const char* file = std::getenv(asks);
  if (file == nullptr)
    GTEST_SKIP() << asks << " names no file: the other tests start this one in processes of its own";
  ::alarm(limit);
  std::ifstream in(file);
  std::size_t batch = 0, count = 0;
  in >> batch >> count;
  std::vector<std::vector<op>> programs;
  for (; count > 0; --count) programs.push_back(read(in));
  const outcome found = run_beside(programs, batch);
  std::ofstream(file + std::string(".found"))
      << found.failures << ' ' << found.refusals << ' ' << found.compared << ' ' << found.unknown << ' '
      << found.lost << '\n'
      << found.wrong << '\n';
}

} // namespace

} // namespace oracle
