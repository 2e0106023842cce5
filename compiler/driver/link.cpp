#include "compiler/driver/link.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/link_inputs.hpp"
#include "compiler/driver/places.hpp"

namespace prism::driver {
namespace fs = std::filesystem;

namespace {

/// The program of this name beside clang (lld must be of its version to read its bitcode) or on PATH, that is not prism++
/// itself.
std::string real_linker(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::error_code unresolved;
  const fs::path clang = fs::canonical(find_places().clang, unresolved); // /usr/bin/clang++-19 is a link into its folder
  const std::string all = (unresolved ? "" : clang.parent_path().string() + ":") + (variable ? variable : "/usr/bin");
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path file = fs::path(all.substr(begin, end - begin)) / name;
    std::error_code error;
    if (::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, error) && !fs::equivalent(file, "/proc/self/exe", error)) return file;
    begin = end + 1;
  }
  throw std::runtime_error("the linker '" + name + "' is not on PATH; install it (Debian: apt install binutils) or choose another with -fuse-ld=");
}

std::vector<char*> c_strings(std::vector<std::string>& command) {
  std::vector<char*> pointers;
  for (std::string& argument : command) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void become(std::vector<std::string> command) {
  execv(command[0].c_str(), c_strings(command).data());
  throw std::runtime_error("cannot run " + command[0] + ": " + std::strerror(errno));
}

int run(std::vector<std::string> command) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(errno));
  if (child == 0) {
    execv(command[0].c_str(), c_strings(command).data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class temporary_folder {
public:
  temporary_folder() {
    std::string pattern = (fs::temp_directory_path() / "prism-link-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder " + pattern + ": " + std::strerror(errno));
    m_path = pattern;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  std::string file(const char* name) const { return m_path / name; }

private:
  fs::path m_path;
};

void write(const std::string& file, const std::vector<std::string>& lines) {
  std::ofstream stream(file);
  for (const std::string& line : lines) stream << line << "\n";
  if (!stream.flush()) throw std::runtime_error("cannot write " + file);
}

} // namespace

bool is_linker_name(const std::string& name) { return name == "ld" || name.rfind("ld.", 0) == 0; }

int link(const std::string& name, std::vector<std::string> arguments) {
  std::vector<std::string> linker = {real_linker(name)};
  linker.insert(linker.end(), arguments.begin(), arguments.end());
  const link_inputs inputs = find_link_inputs(arguments);
  std::vector<std::string> holders;
  for (const std::string& file : inputs.files)
    if (may_hold_device_code(file)) holders.push_back(file);
  if (holders.empty() || inputs.relocatable) become(std::move(linker));

  const places where = find_places();
  const temporary_folder folder;
  const std::string source = folder.file("device_code.cpp"), list = folder.file("inputs"), object = folder.file("device_code.o");
  write(source, {});
  write(list, holders);
  const std::string plugin = where.plugin.string();
  // Optimised: the work-group functions of the host device are made here. -fPIC: for any kind of program.
  const int status = run({where.clang.string(), "-c", "-O2", "-fPIC", "-fpass-plugin=" + plugin, "-Xclang", "-load", "-Xclang", plugin, "-Xclang", "-mllvm",
                          "-Xclang", "-prism-link=" + list, source, "-o", object});
  if (status != 0) return status;
  linker.push_back(object);
  return run(std::move(linker));
}

} // namespace prism::driver
