#include "bench/shared_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <dlfcn.h>
#include <glob.h>

namespace bench {

namespace {

/// The paths that the pattern matches, the newest version first.
std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  std::sort(paths.begin(), paths.end(),
            [](const std::string& a, const std::string& b) { return strverscmp(a.c_str(), b.c_str()) > 0; });
  return paths;
}

} // namespace

std::vector<std::string> library_folder_patterns() {
  std::vector<std::string> all;
  const char* own = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(own ? own : "");
  for (std::string one; std::getline(folders, one, ':');)
    if (!one.empty()) all.push_back(one);
  for (const char* one : {"/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/cuda/lib64",
                          "/usr/local/cuda/targets/*/lib", "/usr/local/cuda-*/lib64",
                          "/usr/local/cuda-*/targets/*/lib", "/opt/cuda/lib64", "/usr/local/nvidia/lib64",
                          "/usr/lib64-nvidia", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"})
    all.emplace_back(one);
  std::vector<std::string> pythons{"/usr", "/usr/local", "/opt/*", "/opt/*/.venv", "/opt/*/venv"};
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* folder = std::getenv(name); folder && *folder) pythons.insert(pythons.begin(), folder);
  for (const std::string& python : pythons)
    for (const char* kind : {"site", "dist"})
      all.push_back(python + "/lib/python3*/" + kind + "-packages/nvidia/*/lib");
  return all;
}

shared_library::shared_library(const std::string& stem) {
  std::string refused;
  const auto opens = [&](const std::string& file, bool is_there) {
    m_handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    m_file = file;
    const char* why = m_handle ? nullptr : dlerror();
    if (why && is_there) refused += std::string("; ") + why;
    return m_handle != nullptr;
  };
  if (opens(stem + ".so.1", false) || opens(stem + ".so", false)) return;
  for (const std::string& folder : library_folder_patterns())
    for (const std::string& file : matches(folder + "/" + stem + ".so*"))
      if (opens(file, true)) return;
  throw not_there(stem + ".so cannot be opened" + (refused.empty() ? ": it is not installed" : refused));
}

void* shared_library::address_of(const char* name) const {
  void* const found = dlsym(m_handle, name);
  if (!found) throw not_there(m_file + " has no " + name);
  return found;
}

} // namespace bench
