// A copy of a file descriptor for a driver's import, which takes it over if it succeeds. After a failure it
// is closed, unless the driver has done that: Vulkan says that it must not, lavapipe and SwiftShader do.
#pragma once

#include "devices/api/types.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace prism::devices::vulkan {

class own_descriptor {
public:
  /// `of` < 0: none. Throws device_error{invalid} if it is not open.
  explicit own_descriptor(int of) : m_of(of), m_number(of < 0 ? -1 : fcntl(of, F_DUPFD_CLOEXEC, 0)) {
    if (of >= 0 && m_number < 0)
      throw device_error(error_category::invalid, "",
                         "an import: " + std::to_string(of) + " is not an open file descriptor");
  }
  ~own_descriptor() {
    if (m_number >= 0 && is_the_same_file()) close(m_number);
  }
  own_descriptor(const own_descriptor&) = delete;
  int number() const noexcept { return m_number; }
  void release() noexcept { m_number = -1; }

private:
  /// False if the number is closed, or another thread has opened something else under it.
  bool is_the_same_file() const noexcept {
    struct stat original, own;
    return fstat(m_of, &original) == 0 && fstat(m_number, &own) == 0 && original.st_dev == own.st_dev &&
           original.st_ino == own.st_ino;
  }

  int m_of, m_number;
};

} // namespace prism::devices::vulkan
