#include "runtime/images/entry_bytes.hpp"

#include "runtime/support/hash.hpp"

#include <cerrno>
#include <unistd.h>

namespace prism::images {

std::uint64_t checksum(std::string_view key, std::span<const std::byte> data) {
  return support::hash64(data, support::hash64(std::as_bytes(std::span(key.data(), key.size()))));
}

bool write_all(int file, const void* from, std::size_t bytes) {
  const char* in = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::write(file, in, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    in += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

} // namespace prism::images
