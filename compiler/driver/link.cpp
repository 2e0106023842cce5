#include "compiler/driver/link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/link_inputs.hpp"
#include "compiler/driver/places.hpp"

namespace prism::driver {
namespace fs = std::filesystem;

namespace {

/// The program of this name next to clang, or on PATH, that is not prism++ itself. lld must have clang's
/// version to read its bitcode.
std::string real_linker(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::error_code unresolved;
  const fs::path clang =
      fs::canonical(find_places().clang, unresolved); // /usr/bin/clang++-19 is a link into clang's folder
  const std::string all =
      (unresolved ? "" : clang.parent_path().string() + ":") + (variable ? variable : "/usr/bin");
  for (const fs::path& file : programs_named(name, all))
    if (std::error_code error; !fs::equivalent(file, "/proc/self/exe", error)) return file;
  throw std::runtime_error(
      "the linker '" + name +
      "' is not on PATH; install it (Debian: apt install binutils) or choose another with -fuse-ld=");
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

pid_t start(std::vector<std::string> command) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start " + command[0] + ": " + std::strerror(errno));
  if (child == 0) {
    execv(command[0].c_str(), c_strings(command).data());
    _exit(127);
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// How many processes build the kernels at once. Each takes half a second before its first kernel, and a
/// hundred kernels have about this many bytes of objects.
std::size_t count_parts(const std::vector<std::string>& holders) {
  constexpr std::uintmax_t worth_a_process = 1 << 20;
  constexpr std::size_t most = 8; // each process holds all the device code
  std::uintmax_t bytes = 0;
  for (const std::string& file : holders) {
    std::error_code unknown;
    if (const std::uintmax_t size = fs::file_size(file, unknown); !unknown) bytes += size;
  }
  return std::min({most, std::size_t(std::max(1u, std::thread::hardware_concurrency())),
                   std::size_t(1 + bytes / worth_a_process)});
}

class temporary_folder {
public:
  temporary_folder() {
    std::string pattern = (fs::temp_directory_path() / "prism-link-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw std::runtime_error("cannot make a folder " + pattern + ": " + std::strerror(errno));
    m_path = pattern;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  std::string file(const std::string& name) const { return m_path / name; }

private:
  fs::path m_path;
};

/// The sanitizers whose runtime the compiler links: kernels that are built here are watched as those that it
/// compiled.
std::vector<std::string> sanitizer_options(const std::vector<std::string>& arguments) {
  std::vector<std::string> options;
  for (const char* kind : {"address", "thread"}) {
    const std::string library = std::string("libclang_rt.") + kind[0] + "san";
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const std::string& each) { return each.find(library) != std::string::npos; }))
      options.push_back(std::string("-fsanitize=") + kind);
  }
  return options;
}

/// The machine that the program is for, which a compiler names to the linker as an emulation: `-m
/// aarch64linux` (clang) or `-maarch64linux` (GCC). Without the option clang builds for the machine on which
/// it runs.
std::vector<std::string> target_options(const std::vector<std::string>& arguments) {
  static constexpr std::pair<const char*, const char*> machines[] = {
      {"aarch64linux", "--target=aarch64-linux-gnu"}, {"elf64lriscv", "--target=riscv64-linux-gnu"}};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const auto& [emulation, target] : machines)
      if (arguments[i] == std::string("-m") + emulation ||
          (arguments[i] == "-m" && i + 1 < arguments.size() && arguments[i + 1] == emulation))
        return {target};
  return {};
}

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
  std::vector<std::string> holders, shared;
  for (const std::string& file : inputs.files)
    if (may_hold_device_code(file)) holders.push_back(file);
    else if (exports_device_code(file)) shared.push_back(file);
  if (holders.empty() || inputs.relocatable) become(std::move(linker));
  const std::size_t parts = count_parts(holders);
  holders.insert(holders.end(), shared.begin(), shared.end());

  const places where = find_places();
  const temporary_folder folder;
  const std::string source = folder.file("device_code.cpp"), list = folder.file("inputs");
  write(source, {});
  write(list, holders);
  const std::string plugin = where.plugin.string();
  // Optimised, because the work-group functions of the host device are made here. -fPIC suits every kind of
  // program.
  std::vector<std::string> more = sanitizer_options(arguments);
  if (inputs.makes_shared_library)
    more.insert(more.end(), {"-Xclang", "-mllvm", "-Xclang", "-prism-link-shared"});
  for (std::string& option : target_options(arguments)) more.push_back(std::move(option));
  std::vector<pid_t> builders;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string number = std::to_string(part), object = folder.file("device_code" + number + ".o");
    std::vector<std::string> build = {where.clang.string(),
                                      "-c",
                                      "-O2",
                                      "-fPIC",
                                      "-fpass-plugin=" + plugin,
                                      "-Xclang",
                                      "-load",
                                      "-Xclang",
                                      plugin,
                                      "-Xclang",
                                      "-mllvm",
                                      "-Xclang",
                                      "-prism-link=" + list,
                                      "-Xclang",
                                      "-mllvm",
                                      "-Xclang",
                                      "-prism-link-part=" + number + "/" + std::to_string(parts),
                                      source,
                                      "-o",
                                      object};
    build.insert(build.end(), more.begin(), more.end());
    builders.push_back(start(std::move(build)));
    linker.push_back(object);
  }
  int failed = 0;
  for (const pid_t builder : builders)
    if (const int status = status_of(builder); status != 0 && failed == 0) failed = status;
  return failed != 0 ? failed : status_of(start(std::move(linker)));
}

} // namespace prism::driver
