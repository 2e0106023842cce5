#include "devices/driver_files.hpp"

#include "devices/api/private_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace prism::devices {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<fs::path> split(const std::string& list) {
  std::vector<fs::path> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ':');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// Appends the files with this extension in a folder, by name; if the path is no folder, the path itself.
void append_files(std::vector<fs::path>& files, const fs::path& place, const char* extension) {
  std::error_code ignored;
  if (!fs::is_directory(place, ignored)) {
    if (fs::exists(place, ignored)) files.push_back(place);
    return;
  }
  const auto first = files.size();
  for (const auto& item : fs::directory_iterator(place, ignored))
    if (item.path().extension() == extension) files.push_back(item.path());
  std::sort(files.begin() + std::ptrdiff_t(first), files.end());
}

std::vector<fs::path> opencl_files() {
  std::vector<fs::path> files;
  std::string place = variable("OCL_ICD_VENDORS");
  if (place.empty()) place = variable("OPENCL_VENDOR_PATH");
  append_files(files, place.empty() ? "/etc/OpenCL/vendors" : place, ".icd");
  for (const auto& library : split(variable("OCL_ICD_FILENAMES"))) files.push_back(library);
  return files;
}

/// The folders of the loader's documentation: configuration, then data; in each the user's before the
/// system's.
std::vector<fs::path> vulkan_folders() {
  const auto either = [](const char* name, const std::string& otherwise) {
    const auto value = variable(name);
    return value.empty() ? otherwise : value;
  };
  const std::string home = variable("HOME");
  std::string list = either("XDG_CONFIG_HOME", home.empty() ? "" : home + "/.config") + ":" +
                     either("XDG_CONFIG_DIRS", "/etc/xdg") + ":/usr/local/etc:/etc:" +
                     either("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share") + ":" +
                     either("XDG_DATA_DIRS", "/usr/local/share:/usr/share");
  auto folders = split(list);
  for (auto& folder : folders) folder /= "vulkan/icd.d";
  return folders;
}

std::vector<fs::path> vulkan_files() {
  std::vector<fs::path> files;
  std::string named = variable("VK_DRIVER_FILES");
  if (named.empty()) named = variable("VK_ICD_FILENAMES");
  auto places = named.empty() ? vulkan_folders() : split(named);
  if (named.empty())
    for (const auto& more : split(variable("VK_ADD_DRIVER_FILES"))) places.push_back(more);
  for (const auto& place : places) append_files(files, place, ".json");
  return files;
}

/// Leaves a file that already has this text untouched: cached verdicts depend on its modification time.
bool write_whole(const fs::path& file, const std::string& text) {
  std::ifstream there(file);
  if (std::string line; std::getline(there, line) && line == text) return true;
  const fs::path fresh = file.native() + "." + std::to_string(getpid());
  std::ofstream out(fresh);
  out << text << '\n';
  out.close();
  std::error_code code;
  if (out) fs::rename(fresh, file, code);
  return out && !code;
}

environment_changes only_these_opencl(const std::vector<fs::path>& files, const fs::path& folder) {
  if (!make_private_folder(folder) ||
      !why_not_private(folder).empty()) // a user who can write there decides which code is loaded
    return {};
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!write_whole(folder / (std::to_string(i) + ".icd"), opencl_library_of(files[i]))) return {};
  return {{"OCL_ICD_VENDORS", folder.native()},
          {"OPENCL_VENDOR_PATH", folder.native()},
          {"OCL_ICD_FILENAMES", ""}};
}

} // namespace

std::vector<fs::path> driver_files(const std::string& backend) {
  if (backend == "opencl") return opencl_files();
  if (backend == "vulkan") return vulkan_files();
  return {};
}

std::string opencl_library_of(const fs::path& file) {
  if (file.extension() != ".icd") return file.native();
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

environment_changes only_these_drivers(const std::string& backend, const std::vector<fs::path>& files,
                                       const fs::path& folder) {
  if (backend == "opencl") return only_these_opencl(files, folder);
  std::string list;
  for (const auto& file : files) list += (list.empty() ? "" : ":") + file.native();
  return {{"VK_DRIVER_FILES", list}, {"VK_ICD_FILENAMES", list}, {"VK_ADD_DRIVER_FILES", ""}};
}

} // namespace prism::devices
