#include "devices/module_loader.hpp"

#include "devices/api/private_folder.hpp"
#include "devices/driver_fault.hpp"
#include "devices/registry.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace prism::devices {
namespace {

namespace fs = std::filesystem;

found_module load(const fs::path& file) {
  if (const auto reason = why_not_trusted(file); !reason.empty())
    return {file, nullptr, "the file " + reason};
  const driver_opening marks_libraries(file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return {file, nullptr, std::string("it cannot be loaded: ") + (why ? why : "unknown reason")};
  }
  const auto entry = reinterpret_cast<backend_entry>(dlsym(library, "prism_backend_entry"));
  if (entry == nullptr) {
    dlclose(library);
    return {file, nullptr, "it does not export prism_backend_entry"};
  }
  const backend* b = entry();
  if (b == nullptr) {
    dlclose(library);
    return {file, nullptr, "its prism_backend_entry returned nothing"};
  }
  // Adds the file's name, known only here; copies the text before dlclose.
  if (auto reason = mismatch_of(*b); !reason.empty()) {
    dlclose(library);
    return {file, nullptr, std::move(reason)};
  }
  return {file, b, ""};
}

} // namespace

found_module load_module(const std::string& file) { return load(file); }

std::vector<found_module> find_modules(const std::string& folders) {
  std::vector<found_module> found;
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    if (folder.empty()) continue;
    if (const auto reason = why_not_trusted(folder); !reason.empty()) {
      found.push_back({folder, nullptr, "the folder, which PRISM_BACKEND_PATH names, " + reason});
      continue;
    }
    std::vector<fs::path> files;
    std::error_code ignored; // a folder that is removed meanwhile has no modules
    for (const auto& item : fs::directory_iterator(folder, ignored))
      if (item.path().extension() == ".so") files.push_back(item.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) found.push_back(load(file));
  }
  return found;
}

} // namespace prism::devices
