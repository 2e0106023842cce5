// Sizes in bytes as users write them. A header alone, for libraries that use no other part of this folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace prism::support {

/// "512", "64K", "256M", "1G"; empty when it is not a size.
inline std::optional<unsigned long long> parse_size(std::string_view text) {
  unsigned long long number = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (number > (~0ull - 9) / 10) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(text[i] - '0');
  }
  if (i == 0) return std::nullopt;
  unsigned shift = 0;
  if (i < text.size()) {
    switch (text[i]) {
      case 'k':
      case 'K': shift = 10; break;
      case 'm':
      case 'M': shift = 20; break;
      case 'g':
      case 'G': shift = 30; break;
      default: return std::nullopt;
    }
    if (i + 1 != text.size()) return std::nullopt;
  }
  if (shift != 0 && number > (~0ull >> shift)) return std::nullopt;
  return number << shift;
}

} // namespace prism::support
