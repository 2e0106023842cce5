#include "compiler/driver/places.hpp"

#include <cstdlib>
#include <stdexcept>
#include <vector>

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

bool is_program(const fs::path& file) { return ::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file); }

fs::path find_on_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string all = variable ? variable : "";
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path file = fs::path(all.substr(begin, end - begin)) / name;
    if (is_program(file)) return file;
    begin = end + 1;
  }
  return {};
}

fs::path find_clang() {
  if (const char* chosen = std::getenv("PRISM_CLANG"); chosen && *chosen) {
    if (is_program(chosen)) return chosen;
    throw std::runtime_error(std::string("PRISM_CLANG names '") + chosen +
                             "', which is not an executable program");
  }
  if (is_program(PRISM_CONFIGURED_CLANG)) return PRISM_CONFIGURED_CLANG;
  for (const std::string name : {"clang++-" PRISM_LLVM_MAJOR})
    if (fs::path found = find_on_path(name); !found.empty()) return found;
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

} // namespace

places find_places() {
  const fs::path bin = own_folder();
  const fs::path root = bin.parent_path();
  const bool build_tree = bin == fs::path(PRISM_BUILD_BIN);
  places found;
  found.clang = find_clang();
  const std::vector<fs::path> libraries = {root / "lib", root / PRISM_INSTALL_LIBDIR, root / "lib64"};
  found.library = first_with(libraries, plugin_name, "PRISM's compiler plugin");
  found.plugin = found.library / plugin_name;
  std::vector<fs::path> headers = {root / "include"};
  if (build_tree) headers.insert(headers.begin(), PRISM_SOURCE_INCLUDE);
  found.include = first_with(headers, "sycl", "PRISM's headers");
  found.linkers = first_with({root / "libexec/prism", root / PRISM_INSTALL_LIBEXECDIR / "prism"}, "ld",
                             "PRISM's step before the linker");
  return found;
}

} // namespace prism::driver
