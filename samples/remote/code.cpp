#include "code.hpp"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>

namespace remote {

namespace {

std::string build_id(const dl_phdr_info& o) {
  for (int i = 0; i < o.dlpi_phnum; ++i) {
    const auto& segment = o.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(o.dlpi_addr + segment.p_vaddr);
    for (const char* end = at + segment.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* body = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
        std::string out = "id ";
        for (ElfW(Word) b = 0; b < note.n_descsz; ++b) {
          out += "0123456789abcdef"[static_cast<unsigned char>(body[b]) >> 4];
          out += "0123456789abcdef"[static_cast<unsigned char>(body[b]) & 15];
        }
        return out;
      }
      at = body + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return {};
}

std::string identity(const dl_phdr_info& o) {
  if (std::string id = build_id(o); !id.empty()) return id;
  const std::string file = o.dlpi_name && *o.dlpi_name ? o.dlpi_name : "/proc/self/exe";
  struct stat info{};
  if (stat(file.c_str(), &info) != 0) return {};
  return "file " + std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) + ":" +
         std::to_string(info.st_size) + ":" + std::to_string(info.st_mtim.tv_sec) + "." +
         std::to_string(info.st_mtim.tv_nsec);
}

bool is_code(const dl_phdr_info& o, std::uint64_t offset) {
  for (int i = 0; i < o.dlpi_phnum; ++i) {
    const auto& s = o.dlpi_phdr[i];
    if (s.p_type == PT_LOAD && (s.p_flags & PF_X) && offset >= s.p_vaddr && offset - s.p_vaddr < s.p_memsz)
      return true;
  }
  return false;
}

/// Visits loaded files until `f` returns true.
template <typename F>
void for_each_object(F&& f) {
  dl_iterate_phdr([](dl_phdr_info* o, std::size_t, void* context) {
    return (*static_cast<F*>(context))(*o) ? 1 : 0;
  }, &f);
}

} // namespace

code_location location_of(const void* function) {
  const auto address = reinterpret_cast<std::uint64_t>(function);
  std::optional<code_location> found;
  for_each_object([&](const dl_phdr_info& o) {
    if (address < o.dlpi_addr || !is_code(o, address - o.dlpi_addr)) return false;
    found = code_location{identity(o), address - o.dlpi_addr};
    return true;
  });
  if (!found) throw std::invalid_argument("the function is not part of a loaded file");
  return *found;
}

const void* function_at(const code_location& where) {
  const void* found = nullptr;
  bool seen = false;
  for_each_object([&](const dl_phdr_info& o) {
    if (identity(o) != where.object) return false;
    seen = true;
    if (is_code(o, where.offset)) found = reinterpret_cast<const void*>(o.dlpi_addr + where.offset);
    return true;
  });
  if (!seen)
    throw std::invalid_argument(
        "the server runs another program or another build of it, which does not have this code; start it "
        "with the same file");
  if (found == nullptr) throw std::invalid_argument("there is no code at this offset of the file");
  return found;
}

} // namespace remote
