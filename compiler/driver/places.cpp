#include "compiler/driver/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/config.hpp"

namespace prism::driver {
namespace fs = std::filesystem;

namespace {

constexpr const char* plugin_name = "libprism-plugin.so";

fs::path own_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw std::runtime_error("cannot read /proc/self/exe: " + error.message());
  return self.parent_path();
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return ::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, ignored);
}

/// The first line that `program --version` prints; "" if it fails.
std::string version_of(const std::string& program) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    execl(program.c_str(), program.c_str(), "--version", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char piece[256];
  for (ssize_t bytes = 0; child > 0 && (bytes = read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(bytes));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) return "";
  return text.substr(0, text.find('\n'));
}

/// The plugin has the interface of one version of LLVM: another clang would crash when it loads it.
fs::path checked_clang(const std::string& chosen) {
  if (!is_program(chosen))
    throw std::runtime_error("PRISM_CLANG names '" + chosen + "', which is not an executable program");
  const std::string version = version_of(chosen);
  if (version.find("clang version " PRISM_LLVM_MAJOR ".") != std::string::npos) return chosen;
  throw std::runtime_error("PRISM_CLANG names '" + chosen + "', which is " +
                           (version.empty() ? "no clang (it has no --version)" : "'" + version + "'") +
                           "; PRISM's plugin was built for clang " PRISM_LLVM_MAJOR
                           " and works with no other version");
}

fs::path find_clang() {
  if (const char* chosen = std::getenv("PRISM_CLANG"); chosen && *chosen) return checked_clang(chosen);
  if (is_program(PRISM_CONFIGURED_CLANG)) return PRISM_CONFIGURED_CLANG;
  const char* path = std::getenv("PATH");
  if (const auto found = programs_named("clang++-" PRISM_LLVM_MAJOR, path ? path : ""); !found.empty())
    return found.front();
  throw std::runtime_error(
      "clang++ " PRISM_LLVM_MAJOR " is needed and was not found at " PRISM_CONFIGURED_CLANG
      " nor on PATH as clang++-" PRISM_LLVM_MAJOR ". Install it (Debian: apt install clang-" PRISM_LLVM_MAJOR
      ") or name it in PRISM_CLANG");
}

/// The first folder that contains `what`.
fs::path first_with(const std::vector<fs::path>& folders, const fs::path& what, const char* meaning) {
  std::string looked;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / what)) return fs::weakly_canonical(folder);
    looked += (looked.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  throw std::runtime_error(std::string(meaning) + " (" + what.string() + ") was not found in " + looked +
                           ". Build or install PRISM again");
}

/// The folder of PRISM's sources if this is a build tree, which has its name in a file. The program itself
/// has no path of the machine that built it.
fs::path source_folder(const fs::path& linkers) {
  std::string line;
  std::ifstream file(linkers / "source-folder");
  std::getline(file, line);
  return line;
}

} // namespace

std::vector<fs::path> programs_named(const std::string& name, const std::string& folders) {
  std::vector<fs::path> found;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path file = fs::path(folders.substr(begin, end - begin)) / name;
    if (is_program(file)) found.push_back(file);
    begin = end + 1;
  }
  return found;
}

places find_places() {
  const fs::path bin = own_folder();
  const fs::path root = bin.parent_path();
  places found;
  found.clang = find_clang();
  const std::vector<fs::path> libraries = {root / "lib", root / PRISM_INSTALL_LIBDIR, root / "lib64"};
  found.library = first_with(libraries, plugin_name, "PRISM's compiler plugin");
  found.plugin = found.library / plugin_name;
  found.linkers = first_with({root / "libexec/prism", root / PRISM_INSTALL_LIBEXECDIR / "prism"}, "ld",
                             "PRISM's step before the linker");
  const fs::path source = source_folder(found.linkers);
  std::vector<fs::path> headers = {root / "include"};
  if (!source.empty()) headers.insert(headers.begin(), source / "runtime/include");
  found.include = first_with(headers, "sycl", "PRISM's headers");
  found.standard_algorithms = {found.include};
  if (!source.empty()) found.standard_algorithms = {source / "stdpar/include", source / "kernels/include"};
  return found;
}

} // namespace prism::driver
