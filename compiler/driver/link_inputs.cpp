#include "compiler/driver/link_inputs.hpp"

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <elf.h>
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
bool linker_option_has_value(const std::string& argument) {
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

  /// The library for -lname; "" if none is found.
  std::string find(const std::string& name) const {
    for (const std::string& folder : folders) {
      if (name.rfind(':', 0) == 0) {
        if (const std::string exact = folder + "/" + name.substr(1); is_there(exact)) return exact;
        continue;
      }
      if (const std::string shared = folder + "/lib" + name + ".so"; !only_static && is_there(shared))
        return shared;
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
    else if (linker_option_has_value(all[i])) ++i;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& argument = all[i];
    if (argument == "-r" || argument == "--relocatable") found.relocatable = true;
    else if (argument == "-shared" || argument == "-Bshareable" || argument == "--shared")
      found.makes_shared_library = true;
    else if (argument == "-static" || argument == "-Bstatic" || argument == "-dn" ||
             argument == "-non_shared")
      libraries.only_static = true;
    else if (argument == "-Bdynamic" || argument == "-dy" || argument == "-call_shared")
      libraries.only_static = false;
    else if (argument.rfind("-L", 0) == 0) value_behind(all, i, 2);
    else if (argument.rfind("-l", 0) == 0) {
      if (const std::string file = libraries.find(value_behind(all, i, 2)); !file.empty())
        found.files.push_back(file);
    } else if (linker_option_has_value(argument)) ++i;
    else if (argument.rfind('-', 0) != 0) found.files.push_back(argument);
  }
  return found;
}

namespace {

/// The bytes of a regular file; empty if it cannot be read.
class mapped_file {
public:
  explicit mapped_file(const std::string& file) : m_handle(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status{};
    if (m_handle < 0 || fstat(m_handle, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0)
      return;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, m_handle, 0); bytes != MAP_FAILED)
      m_content = std::string_view(static_cast<const char*>(bytes), size);
  }
  ~mapped_file() {
    if (!m_content.empty()) munmap(const_cast<char*>(m_content.data()), m_content.size());
    if (m_handle >= 0) close(m_handle);
  }
  mapped_file(const mapped_file&) = delete;
  std::string_view content() const { return m_content; }

private:
  int m_handle;
  std::string_view m_content;
};

bool is_elf(std::string_view content, char type) {
  return content.size() >= sizeof(Elf64_Ehdr) &&
         content.substr(0, 4) == "\x7f"
                                 "ELF" &&
         content[EI_CLASS] == ELFCLASS64 && content[offsetof(Elf64_Ehdr, e_type)] == type;
}

/// The names of the sections of a 64-bit ELF file; empty if it is damaged.
std::string_view section_names(std::string_view content) {
  Elf64_Ehdr file;
  std::memcpy(&file, content.data(), sizeof file);
  const std::uint64_t at = file.e_shoff + std::uint64_t(file.e_shstrndx) * sizeof(Elf64_Shdr);
  if (file.e_shoff > content.size() || at > content.size() || content.size() - at < sizeof(Elf64_Shdr))
    return {};
  Elf64_Shdr names;
  std::memcpy(&names, content.data() + at, sizeof names);
  if (names.sh_offset > content.size() || names.sh_size > content.size() - names.sh_offset) return {};
  return content.substr(names.sh_offset, names.sh_size);
}

} // namespace

bool may_hold_device_code(const std::string& file) {
  const mapped_file mapped(file);
  const std::string_view content = mapped.content();
  if (content.substr(0, 4) == "BC\xC0\xDE") return true; // from -flto: only the plugin can read bitcode
  const bool archive = content.substr(0, 8) == "!<arch>\n" || content.substr(0, 8) == "!<thin>\n";
  if (!archive && !is_elf(content, ET_REL)) return false;
  if (content.find(".prism_bc") != std::string_view::npos) return true;
  // Members of an archive may be bitcode; members of a thin archive are in other files.
  return archive && (content[2] == 't' || content.find("BC\xC0\xDE") != std::string_view::npos);
}

bool exports_device_code(const std::string& file) {
  const mapped_file mapped(file);
  return is_elf(mapped.content(), ET_DYN) &&
         section_names(mapped.content()).find(".prism_dso") != std::string_view::npos;
}

} // namespace prism::driver
