// Archives of files (PKWARE's APPNOTE 6.3): what .npz needs of them. Pure functions over bytes in memory.
#pragma once

#include <cstdint>
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
/// An archive with these entries, deflated or stored.
std::string pack(const std::vector<entry>& entries, bool deflated);

} // namespace prism::zip
