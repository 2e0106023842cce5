#include "compiler/driver/link_inputs.hpp"

#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/driver/response_files.hpp"

namespace prism::driver {
namespace fs = std::filesystem;

namespace {

/// False also if the file system reports an error, for example for a name that is too long; the linker then
/// reports it.
bool is_there(const fs::path& file) {
  std::error_code failed;
  return fs::exists(file, failed);
}

/// Options of GNU ld and compatible linkers whose next word is their value.
bool takes_a_value(const std::string& argument) {
  for (const char* option : {"-o",
                             "--output",
                             "-m",
                             "-z",
                             "-dynamic-linker",
                             "--dynamic-linker",
                             "-rpath",
                             "--rpath",
                             "-rpath-link",
                             "-soname",
                             "-h",
                             "-plugin",
                             "-T",
                             "--script",
                             "-u",
                             "--undefined",
                             "-e",
                             "--entry",
                             "-y",
                             "-Map",
                             "--version-script",
                             "--dynamic-list",
                             "-init",
                             "-fini",
                             "--sysroot",
                             "-a",
                             "-A",
                             "-b",
                             "--format",
                             "-F",
                             "-f",
                             "-G",
                             "-O",
                             "--defsym",
                             "--wrap",
                             "-R",
                             "-I"})
    if (argument == option) return true;
  return false;
}

struct search {
  std::vector<std::string> folders;
  bool only_static = false;

  /// The static library for -lname; "" if a shared library comes first, or none is found.
  std::string find(const std::string& name) const {
    for (const std::string& folder : folders) {
      if (name.rfind(':', 0) == 0) {
        if (const std::string exact = folder + "/" + name.substr(1); is_there(exact)) return exact;
        continue;
      }
      if (!only_static && is_there(folder + "/lib" + name + ".so")) return "";
      if (const std::string archive = folder + "/lib" + name + ".a"; is_there(archive)) return archive;
    }
    return "";
  }
};

std::string value_behind(const std::vector<std::string>& all, std::size_t& i, std::size_t prefix) {
  if (all[i].size() > prefix) return all[i].substr(prefix);
  return i + 1 < all.size() ? all[++i] : "";
}

} // namespace

link_inputs find_link_inputs(const std::vector<std::string>& arguments) {
  const std::vector<std::string> all = expand_response_files(arguments);
  link_inputs found;
  search libraries;
  for (std::size_t i = 0; i < all.size(); ++i) // -L also applies to options in front of it
    if (all[i].rfind("-L", 0) == 0) libraries.folders.push_back(value_behind(all, i, 2));
    else if (takes_a_value(all[i])) ++i;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& argument = all[i];
    if (argument == "-r" || argument == "--relocatable") found.relocatable = true;
    else if (argument == "-static" || argument == "-Bstatic" || argument == "-dn" ||
             argument == "-non_shared")
      libraries.only_static = true;
    else if (argument == "-Bdynamic" || argument == "-dy" || argument == "-call_shared")
      libraries.only_static = false;
    else if (argument.rfind("-L", 0) == 0) value_behind(all, i, 2);
    else if (argument.rfind("-l", 0) == 0) {
      if (const std::string file = libraries.find(value_behind(all, i, 2)); !file.empty())
        found.files.push_back(file);
    } else if (takes_a_value(argument)) ++i;
    else if (argument.rfind('-', 0) != 0) found.files.push_back(argument);
  }
  return found;
}

bool may_hold_device_code(const std::string& file) {
  const int handle = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle < 0) return false;
  struct stat status{};
  bool found = false;
  constexpr off_t elf_header = 64;
  if (fstat(handle, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= elf_header) {
    const auto size = static_cast<std::size_t>(status.st_size);
    if (void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle, 0); bytes != MAP_FAILED) {
      const std::string_view content(static_cast<const char*>(bytes), size);
      const bool relocatable = content.substr(0, 4) == "\x7f"
                                                       "ELF" &&
                               content[16] == 1;
      const bool archive = content.substr(0, 8) == "!<arch>\n" || content.substr(0, 8) == "!<thin>\n";
      if (relocatable || archive) found = content.find(".prism_bc") != std::string_view::npos;
      if (content.substr(0, 4) == "BC\xC0\xDE") found = true; // from -flto: only the plugin can read bitcode
      // Members of an archive may be bitcode; members of a thin archive are in other files.
      if (archive && !found)
        found = content[2] == 't' || content.find("BC\xC0\xDE") != std::string_view::npos;
      munmap(bytes, size);
    }
  }
  close(handle);
  return found;
}

} // namespace prism::driver
