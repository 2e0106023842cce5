// Archives of files (PKWARE's APPNOTE 6.3): what .npz needs of them. Functions over bytes in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace prism::zip {

struct entry {
  std::string name;
  std::string content;
};

/// All entries, unpacked, in the order of the archive's directory. Throws errc::invalid with a reason:
/// damaged, encrypted, in several parts, compressed by another method than deflate, a wrong checksum.
std::vector<entry> unpack(std::string_view archive);
/// The names of all entries in the same order. Of an archive of `size` bytes only its end is read, by
/// read(first, count): some 64 KiB, and the directory.
using read_part = std::function<std::string(std::uint64_t first, std::uint64_t count)>;
std::vector<std::string> names(std::uint64_t size, const read_part& read);
/// An archive with these entries, deflated or stored.
std::string pack(const std::vector<entry>& entries, bool deflated);

} // namespace prism::zip
