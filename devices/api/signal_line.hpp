// One line on standard error from a handler of a signal: takes no memory and no lock of the process, which
// may be exhausted, damaged or held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unistd.h>

namespace prism::devices {

class signal_line {
public:
  void add(std::string_view text) {
    for (const char c : text)
      if (m_size < sizeof m_text - 1) m_text[m_size++] = c;
  }
  void add_number(std::uint64_t value, unsigned base = 10) {
    char digits[20];
    std::size_t at = sizeof digits;
    do digits[--at] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    add({digits + at, sizeof digits - at});
  }
  void write() {
    m_text[m_size++] = '\n';
    (void)!::write(STDERR_FILENO, m_text, m_size);
  }

private:
  char m_text[1024];
  std::size_t m_size = 0;
};

} // namespace prism::devices
