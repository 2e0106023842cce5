// The key of a cached program: what was built, and for which device and driver.
#pragma once

#include <string>
#include <string_view>

namespace prism::images {

struct program_key {
  std::string kernel; // format, content, entry and kind of the image, one per line
  std::string device; // devices::device::fingerprint

  std::string text() const { return kernel + '\n' + device; }
  /// The inverse of text(). Other texts are stored completely in `kernel`.
  static program_key from(std::string_view text) {
    std::size_t end = 0;
    for (int line = 0; line < lines_of_kernel && end != std::string_view::npos; ++line)
      end = text.find('\n', end + (line != 0));
    if (end == std::string_view::npos) return {std::string(text), {}};
    return {std::string(text.substr(0, end)), std::string(text.substr(end + 1))};
  }
  /// The function in the image, for messages.
  std::string entry() const {
    std::size_t begin = 0;
    for (int line = 0; line < 2 && begin != std::string::npos; ++line)
      begin = kernel.find('\n', begin + (line != 0));
    if (begin == std::string::npos) return kernel;
    return kernel.substr(begin + 1, kernel.find('\n', begin + 1) - begin - 1);
  }

private:
  static constexpr int lines_of_kernel = 4;
};

} // namespace prism::images
