#include "runtime/support/read_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace prism::support {

namespace {

file_bytes refused(const std::string& problem) { return {{}, problem}; }

std::string reason() { return std::strerror(errno); }

file_bytes read_whole(int from, std::size_t most) {
  struct stat info{};
  if (::fstat(from, &info) != 0) return refused("cannot be read: " + reason());
  if (S_ISDIR(info.st_mode)) return refused("is a folder");
  if (!S_ISREG(info.st_mode)) return refused("is no regular file");
  if (static_cast<std::size_t>(info.st_size) > most)
    return refused("has " + std::to_string(info.st_size) + " bytes, at most " + std::to_string(most) +
                   " are read");
  file_bytes out;
  out.bytes.resize(static_cast<std::size_t>(info.st_size));
  std::size_t done = 0;
  while (done < out.bytes.size()) {
    const ssize_t count = ::read(from, out.bytes.data() + done, out.bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refused("cannot be read: " + reason());
    if (count == 0) break; // it became shorter
    done += static_cast<std::size_t>(count);
  }
  out.bytes.resize(done);
  return out;
}

} // namespace

file_bytes read_file(const std::string& file, std::size_t most) {
  const int from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (from < 0) return refused("cannot be read: " + reason());
  file_bytes out = read_whole(from, most);
  ::close(from);
  return out;
}

} // namespace prism::support
